#include "core/exec/collect/collect_stage.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/agent_process.hpp"
#include "core/exec/collect/collect_command.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/limit_watch.hpp"
#include "core/exec/skill/skill_output.hpp"

#include <csignal>
#include <numeric>
#include <sys/resource.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// A collector has this long, and a second more for bytes_per_second of what may be kept, however slow the disk is.
constexpr std::chrono::milliseconds least_time = 60s;
constexpr std::int64_t bytes_per_second = 4 << 20;
/// The agent ends its collector at the limit. The server gives up so much later.
constexpr auto backstop = 5s;

/// Limits of the collector's process. It joins no group: a group at its limit must not stop it.
constexpr std::uint64_t memory_bytes = 64 << 20;
constexpr std::uint64_t open_files = 256;

/// What the agent collects by itself comes within milliseconds of the end.
constexpr auto at_end_grace = 1s;
/// The agent compares each name with the patterns, and does nothing else meanwhile.
constexpr std::size_t most_pattern_bytes_at_end = 1024;

std::size_t pattern_bytes(const collect_spec& spec)
{
    return std::accumulate(spec.patterns.begin(), spec.patterns.end(), std::size_t{0},
        [](std::size_t all, const std::string& each) { return all + each.size(); });
}

/// Whether the agent's collection at the end is over, or nothing is to be waited for.
bool has_files_at_end_or_none(const execution& exec)
{
    return !exec.current.at_end || !exec.heard.exited || exec.current.at_end->now() != files_at_end::state::awaited ||
           !exec.heard.lost.empty();
}

std::chrono::milliseconds time_for(const collect_spec& spec)
{
    return least_time + std::chrono::seconds(spec.max_bytes / bytes_per_second);
}

protocol::spawn_request request_for(const execution& exec)
{
    protocol::spawn_request request;
    request.argv = collect_command(exec.spec.collect, exec.sandbox()->work_directory());
    request.cwd = "/";
    const auto wall = time_for(exec.spec.collect);
    request.wall_ms = static_cast<std::uint64_t>(wall.count());
    request.rlimits = {{RLIMIT_CORE, 1}, {RLIMIT_FSIZE, 0}, {RLIMIT_NOFILE, open_files}, {RLIMIT_DATA, memory_bytes},
        {RLIMIT_CPU, static_cast<std::uint64_t>(wall / 1s)}};
    return request;
}

protocol::spawn_request request_at_end(const execution& exec)
{
    protocol::spawn_request request;
    request.argv = collect_at_end_command(exec.spec.collect, exec.sandbox()->work_directory(), exec.number());
    request.cwd = "/";
    return request;
}

task<> run_collector(std::shared_ptr<collector> session) { co_await session->run(); }

/// Returns when the sandbox is lost, or at a cancel that came after the program's end.
task<wait_end> wait_for_stop(std::shared_ptr<execution> exec, bool was_cancelled)
{
    while (exec->heard.lost.empty() && (was_cancelled || !exec->cancel_wanted())) {
        const auto seen = exec->changed.version();
        if (co_await exec->changed.wait_past_or_cancelled(seen) == wait_end::cancelled)
            co_return wait_end::cancelled;
    }
    co_return wait_end::came;
}

/// Says why not all was collected; empty if the collector came to its end.
task<std::string> collect_or_stop(std::shared_ptr<execution> exec, std::shared_ptr<collector> session)
{
    const auto ended = co_await race(run_collector(session), wait_for_stop(exec, exec->cancel_wanted()));
    if (ended.index() == 0)
        co_return "";
    if (exec->heard.lost.empty())
        co_return "the execution was cancelled while its files were collected";
    co_return "the sandbox was lost while its files were collected: " + exec->heard.lost;
}

/// Hears whether the agent still has the end of a program whose output is known already.
class end_listener final : public protocol::execution_sink {
public:
    explicit end_listener(std::shared_ptr<execution> exec) : exec_(std::move(exec)) { }
    bool heard = false;

    void on_started(std::int32_t, std::uint64_t) override { }
    void on_output(protocol::stream_number, std::uint64_t, shared_bytes) override { }
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { }
    void on_eof(protocol::stream_number, std::uint64_t) override { }
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override
    {
        exec_->heard.exited = report;
        hear();
    }
    void on_start_failed(int, std::string) override { hear(); }
    void on_unknown() override { hear(); }

private:
    void hear()
    {
        heard = true;
        exec_->wake();
    }
    std::shared_ptr<execution> exec_;
};

collected_files nothing_because(std::string why)
{
    collected_files none;
    none.summary.error = std::move(why);
    return none;
}

/// The output that the collector brought. If it failed, nobody knows whether there is one.
skill_output output_of(const execution& exec)
{
    if (exec.left.output_text)
        return {skill_output::state::whole, *exec.left.output_text};
    if (!exec.left.output_problem.empty())
        return {skill_output::state::unreadable, exec.left.output_problem};
    const bool ended_well = exec.row.status == execution_status::success;
    if (ended_well && exec.row.collected && !exec.row.collected->error.empty())
        return {skill_output::state::unreadable, exec.row.collected->error};
    return {};
}

}    // namespace

void collect_stage::ask_for_files_at_end(execution& exec) const
{
    const auto& where = *use_.sources.find(exec.row.runtime);
    const bool is_little = pattern_bytes(exec.spec.collect) <= most_pattern_bytes_at_end;
    const bool is_enclosed = where.traits().isolates && !exec.current.taken_up;    // and its agent is of this version
    exec.current.at_end.reset();
    if (!wants_files(exec.spec.collect) || use_.stores.contents == nullptr || !is_little || !is_enclosed)
        return;
    exec.current.at_end = std::make_shared<files_at_end>(
        exec.link(), exec.current.lease.home->numbers().next(), request_at_end(exec), [&exec] { exec.wake(); });
}

task<> collect_stage::keep_files(execution_ptr exec)
{
    if (!wants_files(exec->spec.collect) || !exec->heard.started)
        co_return;
    const count_guard counted(idle_gate_.collecting());
    auto collecting = without_exceptions(collect_files(exec));
    auto collected = co_await std::move(collecting);
    if (collected.has_error())
        use_.log.error(
            "files of an execution could not be collected", {{"execution_id", exec->row.id.str()}, {"what", collected.error().detail}});
    auto files = collected.has_value() ? std::move(*collected) : nothing_because("its files could not be collected: the server failed");
    exec->left.artifacts = std::move(files.artifacts);
    exec->left.held = std::move(files.held);
    exec->row.collected = std::move(files.summary);
    exec->left.output_text = std::move(files.output);
    exec->left.output_problem = std::move(files.output_problem);
}

/// Errors: exceptions only.
task<result<collected_files>> collect_stage::collect_files(execution_ptr exec)
{
    if (use_.stores.contents == nullptr)
        co_return nothing_because("its files could not be collected: this server keeps none");
    if (!has_files_at_end_or_none(*exec)) {
        auto hearing = wait_until(exec, &has_files_at_end_or_none);
        static_cast<void>(co_await with_deadline(use_.time, use_.time.steady_now() + at_end_grace, std::move(hearing)));
    }
    const bool has_come = exec->current.at_end && exec->current.at_end->now() == files_at_end::state::whole;
    auto collecting = has_come ? take_files(exec) : fetch_files(exec);
    auto files = co_await std::move(collecting);
    if (!files.summary.error.empty())
        use_.log.warning("not all files of an execution were collected",
            {{"execution_id", exec->row.id.str()}, {"what", files.cause.empty() ? files.summary.error : files.cause}});
    co_return files;
}

/// Takes the files that came with the end.
task<collected_files> collect_stage::take_files(execution_ptr exec)
{
    collector session(use_.executor, *use_.stores.contents, job_of(*exec), [](protocol::stream_number, std::uint64_t) { });
    exec->current.at_end->hand_to(session);
    co_await session.run();
    co_return session.take();
}

/// Has the agent start a collector.
task<collected_files> collect_stage::fetch_files(execution_ptr exec)
{
    if (!exec->heard.lost.empty())
        co_return nothing_because("its files could not be collected: " + exec->heard.lost);
    if (!exec->heard.exited || !exec->sandbox() || !exec->link())
        co_return nothing_because("its files could not be collected: the end of the program was not seen");
    provider_.keep_watch(exec);    // a program that ended at once had no watch yet: hear if its agent ends
    const auto number = exec->current.lease.home->numbers().next();    // a new number: what an earlier server began is collected anew
    const auto session =
        std::make_shared<collector>(use_.executor, *use_.stores.contents, job_of(*exec), acknowledging(exec->link(), number));
    agent_process process(exec->link(), number, *session);
    auto request = request_for(*exec);
    request.seccomp_filter = use_.sources.filter_on(*use_.sources.find(exec->row.runtime));
    process.start(std::move(request));
    const auto until = use_.time.steady_now() + time_for(exec->spec.collect) + backstop;
    auto collecting = collect_or_stop(exec, session);
    const auto stopped = co_await with_deadline(use_.time, until, std::move(collecting));
    if (stopped.has_error())
        session->abandon("its files were not collected in time");
    else if (!stopped->empty())
        session->abandon(*stopped);
    co_await session->settle();
    auto files = session->take();
    process.forget();
    co_return files;
}

collector::job collect_stage::job_of(const execution& exec) const
{
    collector::job job{exec.row.tenant, exec.row.id, exec.spec.collect, use_.time.now_ms(), std::nullopt, use_.rules.free_bytes};
    if (use_.rules.artifact_lifetime)
        job.expires_at_ms = job.now_ms + use_.rules.artifact_lifetime->count();
    return job;
}

task<> collect_stage::keep_files_again(execution_ptr exec)
{
    if (!wants_files(exec->spec.collect) || !exec->row.sandbox)
        co_return;
    const auto found = co_await provider_.find_sandbox_patiently(exec);
    if (found.has_error()) {
        exec->row.collected = nothing_because("its files could not be collected: " + found.error().detail).summary;
        co_return;
    }
    exec->current.lease.home->resume();
    const auto listener = std::make_shared<end_listener>(exec);
    if (!exec->row.attempts.empty())    // the agent counts bytes from the attempt's begin
        exec->continue_attempt();
    const auto known = exec->resume_point();
    const agent_process heard(exec->link(), exec->number(), *listener, known);
    provider_.keep_link(exec);
    provider_.keep_watch(exec);
    const auto has_answered = [listener](const execution& of) { return listener->heard || !of.heard.lost.empty(); };
    auto end = wait_until(exec, has_answered);
    const auto told = co_await with_deadline(use_.time, use_.time.steady_now() + limit_watch::silence_grace, std::move(end));
    if (told.has_value() && exec->heard.lost.empty() && !exec->heard.exited)
        co_return;    // it was never started
    if (exec->current.lease.group)
        exec->current.lease.group->kill();
    exec->link()->signal(exec->number(), SIGKILL, protocol::agent_link::target::sandbox);
    exec->heard.started = true;
    co_await keep_files(exec);
    const auto problem = co_await problem_of_output(exec);
    const auto said = exec->row;    // the log has the end already; only a skill's output is needed
    judge_output(*exec, problem);
    exec->row.status = said.status;
    exec->row.verdict = said.verdict;
    exec->row.error = said.error;
    mark_files(*exec);
}

void collect_stage::mark_files(execution& exec)
{
    const bool partial = exec.row.status != execution_status::success;
    for (auto& each : exec.left.artifacts)
        each.partial = partial;
    if (exec.row.collected)
        exec.row.collected->partial = partial;
}

task<std::string> collect_stage::problem_of_output(execution_ptr exec)
{
    if (!exec->spec.skill || !exec->left.output_text)
        co_return "";
    auto broken = syntax_problem(*exec->left.output_text);
    const auto& schema = exec->spec.skill->output_schema;
    if (!broken.empty() || schema.empty() || use_.skills.schemas == nullptr)
        co_return broken;
    auto checking =
        use_.skills.schemas->check(exec->row.tenant, schema_checker::asker::execution, schema, shared_bytes(*exec->left.output_text));
    auto checked = without_exceptions(std::move(checking));
    const auto found = co_await std::move(checked);
    if (found.has_error() && found.error().code == errc::internal)
        use_.log.error("an output could not be checked", {{"execution_id", exec->row.id.str()}, {"what", found.error().detail}});
    co_return mismatch_problem(found);
}

void collect_stage::judge_output(execution& exec, const std::string& problem)
{
    judge_skill(exec.row, exec.spec, output_of(exec), problem);
}

}    // namespace caisson

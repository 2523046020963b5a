#include "core/exec/sandbox_disposal.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/compile/compiler_process.hpp"

#include <chrono>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// With a pool, a used sandbox in which nothing runs waits this long for idle time before it is removed. Few may wait, which hold at most
/// most_bytes_put_off together.
constexpr std::chrono::milliseconds longest_put_off = 500ms;
constexpr std::int64_t most_bytes_put_off = 256 << 20;

}    // namespace

void sandbox_disposal::release_agent(execution& exec)
{
    if (!exec.link())
        return;
    exec.link()->forget(exec.number());
    exec.link()->shutdown();
}

void sandbox_disposal::clean_up_after(const execution_ptr& exec) { clean_up(exec, "clean-up after ", dispose(exec)); }

void sandbox_disposal::discard(const execution_ptr& exec)
{
    if (exec->current.lease.group)
        exec->current.lease.group->kill();
    release_agent(*exec);
    clean_up(exec, "end of an unrecorded ", end_discarded(exec));
}

void sandbox_disposal::clean_up(const execution_ptr& exec, std::string_view what, task<> work)
{
    leaving_.insert(exec);
    cleanup_.spawn(std::string(what) + exec->row.id.str(), std::move(work));
}

task<> sandbox_disposal::end_discarded(execution_ptr exec)
{
    co_await end_sandbox(exec, "its execution could not be recorded");
    queue_.leave(*exec);
    leaving_.erase(exec);
}

task<> sandbox_disposal::end_sandbox(execution_ptr exec, std::string cause)
{
    co_await recover_for_removal(exec);
    auto removing = without_exceptions(remove_sandbox(exec, std::move(cause)));
    const auto removed = co_await std::move(removing);
    if (removed.has_error())
        use_.log.error("a sandbox could not be removed; the next sweep tries again",
            {{"execution_id", exec->row.id.str()}, {"what", removed.error().detail}});
    if (exec->current.lease.home)
        co_await exec->current.lease.home->close();
    exec->current.at_end.reset();
    exec->stop_listening();
    exec->current.compilers.clear();
    exec->current.lease.group.reset();    // before its sandbox
    exec->current.lease = {};
    if (removed.has_error())
        sandboxes_.sweeps().soon();    // no execution holds it now
}

/// Finds the sandbox that an earlier server made, if nobody needed it so far.
task<> sandbox_disposal::recover_for_removal(execution_ptr exec)
{
    if (exec->sandbox() || exec->current.sandbox_gone || !exec->row.sandbox)
        co_return;
    auto recovering = without_exceptions(provider_.recover_sandbox(exec));
    const auto recovered = co_await std::move(recovering);
    if (recovered.has_error())
        exec->heard.lost = recovered.error().detail;
}

task<result<void>> sandbox_disposal::remove_sandbox(execution_ptr exec, std::string cause)
{
    const bool is_recorded = exec->row.sandbox && exec->record.sandbox_recorded;
    if (!exec->sandbox()) {
        if (is_recorded && !exec->current.sandbox_gone)
            co_return error{errc::runtime_unavailable, exec->heard.lost};
        cause = exec->heard.lost;
    }
    sandbox_service::removal what{exec->current.lease.home, is_recorded ? exec->row.sandbox : std::nullopt, std::move(cause)};
    co_return co_await sandboxes_.remove(std::move(what));
}

/// Removes the sandbox, then gives the place back. A removal that is put off gives the place back first.
task<> sandbox_disposal::dispose(execution_ptr exec)
{
    std::optional<count_guard<std::size_t>> counted;
    std::optional<count_guard<std::int64_t>> held;
    const auto bytes = use_.sources.pool && put_off_ < use_.sources.pool->most_put_off ? held_by(*exec) : std::nullopt;
    if (bytes && put_off_bytes_ + *bytes <= most_bytes_put_off) {
        counted.emplace(put_off_);
        held.emplace(put_off_bytes_, *bytes);
        queue_.leave(*exec);
        co_await idle_gate_.wait(idle_gate::work::removing, longest_put_off);
    } else {
        co_await let_answers_go();
    }
    release_agent(*exec);
    co_await end_sandbox(exec, "its execution ended: " + std::string(to_string(exec->row.verdict.value_or(verdict::lost))));
    co_await exec->background.stop();
    queue_.leave(*exec);
    leaving_.erase(exec);
}

/// The most bytes that a used sandbox holds until it is gone: files, and shared memory, which outlives processes. Nothing: that is not
/// known, or something runs in it.
std::optional<std::int64_t> sandbox_disposal::held_by(const execution& exec)
{
    const auto peak = exec.row.usage.memory_peak_bytes;
    if (!exec.current.disk_at_end || !peak || !exec.heard.exited || !exec.streams_ended())
        return std::nullopt;
    return exec.current.disk_at_end->bytes_used + *peak;
}

/// Lets those who waited for the end answer first, which takes a few turns of this thread. Killing what is left takes longer.
task<> sandbox_disposal::let_answers_go()
{
    constexpr int turns = 12;
    for (int turn = 0; turn < turns; ++turn)
        co_await asio::post(use_.executor, use_task);
}

}    // namespace caisson

#include "core/exec/runner.hpp"

#include "core/exec/insist.hpp"

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

double ms_between(steady_time from, steady_time to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

}    // namespace

task<> runner::run(live_ptr one)
{
    const bool admitted = co_await wait_for_admission(one);
    if (!admitted) {
        ending_facts facts;
        facts.cancelled = true;
        co_await conclude(one, std::move(facts));
        co_return;
    }
    one->phase = run_phase::starting;
    auto making = without_exceptions(make_sandbox(one));
    const auto made = co_await std::move(making);
    if (made.has_value() && !one->cancel_wanted()) {
        start_program(*one);
        co_await run_in_sandbox(one);
        co_return;
    }
    ending_facts facts;
    facts.cancelled = made.has_value();
    if (made.has_error()) {
        const auto& what = made.error().detail;
        use_.log.warning(
            "a sandbox could not be made", {{"execution_id", one->row.id.str()}, {"runtime", one->row.runtime}, {"what", what}});
        facts.fault = "the sandbox could not be started: " + what;
    }
    co_await conclude(one, std::move(facts));
}

task<bool> runner::wait_for_admission(live_ptr one)
{
    queue_.enter(one);
    while (!one->admitted && !one->cancel_wanted()) {
        const auto seen = one->changed.version();
        co_await one->changed.wait_past(seen);
    }
    one->row.stages.queue_ms = ms_between(one->accepted_at, use_.time.steady_now());
    co_return one->admitted && !one->cancel_wanted();
}

task<result<void>> runner::make_sandbox(live_ptr one)
{
    const auto began = use_.time.steady_now();
    const auto found = use_.runtimes.find(one->row.runtime);
    const bool enabled =
        use_.enabled.empty() || std::find(use_.enabled.begin(), use_.enabled.end(), one->row.runtime) != use_.enabled.end();
    if (found == use_.runtimes.end() || !enabled)
        co_return error{errc::runtime_unavailable, "the runtime \"" + one->row.runtime + "\" is not enabled on this server"};
    auto& chosen = *found->second;
    const auto& limits = one->spec.limits;
    sandbox_spec wanted;
    wanted.id = use_.ids.make<sandbox_id>();
    wanted.limits = {limits.memory_bytes, limits.cpu_milli, limits.pids, limits.disk_bytes, limits.inodes};
    wanted.lease = use_.link.lease;
    auto created = co_await chosen.create(wanted);
    if (created.has_error())
        co_return created.error();
    one->sandbox = std::move(*created);
    auto started = co_await chosen.start(*one->sandbox);
    if (started.has_error())
        co_return started.error();
    for (const auto& each : chosen.capabilities().degraded)
        one->row.degraded.push_back(each.control);
    const bool is_said = std::find(one->row.degraded.begin(), one->row.degraded.end(), "isolation") != one->row.degraded.end();
    if (!chosen.isolates() && !is_said)    // before the first probe too: in every record
        one->row.degraded.emplace_back("isolation");
    one->row.stages.start_ms = ms_between(began, use_.time.steady_now());
    auto recorded = co_await record_sandbox(one);
    if (recorded.has_error())
        co_return recorded.error();
    auto grouped = open_group(*one);
    if (grouped.has_error())
        co_return grouped.error();
    co_return co_await open_link(one);
}

/// Durable before the program may start, so that a next server finds the sandbox instead of starting another one.
task<result<void>> runner::record_sandbox(live_ptr one)
{
    one->row.sandbox = one->sandbox->id();
    sandbox_row row;
    row.id = one->sandbox->id();
    row.tenant = one->row.tenant;
    row.runtime = one->row.runtime;
    row.state = sandbox_state::running;
    row.runtime_state = one->sandbox->runtime_state();
    row.created_at_ms = use_.time.now_ms();
    auto inserted = co_await use_.sandboxes.insert(std::move(row));
    if (inserted.has_error())
        co_return inserted.error();
    auto persisted = one->row;
    persisted.status = execution_status::running;
    persisted.started_at_ms = use_.time.now_ms();
    co_return co_await use_.executions.update(std::move(persisted));
}

result<void> runner::open_group(live_execution& one)
{
    const auto& limits = one.spec.limits;
    auto group = one.sandbox->open_group(one.row.id.str(), {limits.memory_bytes, limits.cpu_milli, limits.pids});
    if (group.has_error())
        return group.error();
    one.group = std::move(*group);
    return {};
}

namespace {

task<result<std::unique_ptr<protocol::byte_stream>>> connect_to(std::shared_ptr<sandbox> to) { return to->connect(); }

/// Keeps the link going; what ends it is what the execution is lost to.
task<> run_link(std::shared_ptr<live_execution> one, std::shared_ptr<protocol::agent_link> link)
{
    const auto end = co_await link->run();
    if (end.has_error() && one->lost.empty())
        one->lost = "the sandbox's agent is gone: " + end.error().detail;
    one->wake();
}

task<> watch_sandbox(std::shared_ptr<live_execution> one, std::shared_ptr<sandbox> watched)
{
    const auto why = co_await watched->ended();
    if (one->lost.empty())
        one->lost = "the sandbox ended: " + why;
    one->wake();
}

}    // namespace

task<result<void>> runner::open_link(live_ptr one)
{
    const auto began = use_.time.steady_now();
    auto connect = [box = one->sandbox] { return connect_to(box); };
    one->link = protocol::make_agent_link(use_.executor, use_.time, use_.log, std::move(connect), use_.link);
    auto opened = co_await one->link->open(began + 10s);
    if (opened.has_error())
        co_return error{opened.error().code, "the sandbox's agent does not answer: " + opened.error().detail};
    one->background.spawn("link of " + one->row.id.str(), run_link(one, one->link));
    one->background.spawn("watch of " + one->row.id.str(), watch_sandbox(one, one->sandbox));
    one->log->on_commit([weak = std::weak_ptr(one)] {
        if (auto alive = weak.lock())
            alive->acknowledge(1);
    });
    one->row.stages.agent_ms = ms_between(began, use_.time.steady_now());
    co_return result<void>();
}

/// Errors: why there is no sandbox to go on with.
task<result<void>> runner::recover_sandbox(live_ptr one)
{
    const auto found = use_.runtimes.find(one->row.runtime);
    if (found == use_.runtimes.end())
        co_return error{errc::gone, "the runtime \"" + one->row.runtime + "\" is not enabled any more"};
    std::function<task<result<sandbox_row>>()> ask = [this, one] { return use_.sandboxes.find(*one->row.sandbox); };
    auto asking = insist(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    const auto kept = co_await std::move(asking);
    if (kept.has_error())
        co_return error{errc::gone, "the sandbox's record is missing"};
    auto recovered = co_await found->second->recover(kept->id, kept->runtime_state);
    if (recovered.has_error())
        co_return error{errc::gone, "the sandbox did not survive: " + recovered.error().detail};
    one->sandbox = std::move(*recovered);
    co_return result<void>();
}

task<result<void>> runner::attach_again(live_ptr one)
{
    auto recovered = co_await recover_sandbox(one);
    if (recovered.has_error())
        co_return recovered;
    auto grouped = open_group(*one);
    if (grouped.has_error())
        co_return grouped;
    co_return co_await open_link(one);
}

task<> runner::take_up(live_ptr one)
{
    queue_.enter_running(*one);
    one->phase = run_phase::starting;
    auto attaching = without_exceptions(attach_again(one));
    const auto attached = co_await std::move(attaching);
    if (attached.has_error()) {
        one->lost = attached.error().detail;
        use_.log.warning("an execution is lost", {{"execution_id", one->row.id.str()}, {"what", one->lost}});
        ending_facts facts;
        facts.lost = one->lost;
        co_await conclude(one, std::move(facts));
        co_return;
    }
    protocol::resume_point point;
    point.stdout_committed = one->log->buffer().received(output_stream::stdout_stream);
    point.stderr_committed = one->log->buffer().received(output_stream::stderr_stream);
    one->link->attach(only_execution, *one, point);
    one->phase = run_phase::running;
    one->flush_stdin();
    co_await run_in_sandbox(one);
}

task<> runner::run_in_sandbox(live_ptr one)
{
    auto watched = std::make_shared<watch>();
    co_await supervise(one, watched);
    auto facts = std::move(watched->facts);
    if (one->exited) {
        facts.wait_status = one->exited->wait_status;
        facts.wall_limit = facts.wall_limit || one->exited->cause == protocol::exit_cause::wall_limit;
        const auto cpu_us = static_cast<std::int64_t>(one->exited->user_us + one->exited->system_us);
        facts.cpu_limit = facts.cpu_limit || cpu_us >= one->spec.limits.cpu_ms * 1000;
    } else if (!one->start_failure.empty()) {
        facts.fault = one->start_failure;
    } else {
        facts.lost = one->lost;
    }
    co_await conclude(one, std::move(facts));
}

}    // namespace caisson

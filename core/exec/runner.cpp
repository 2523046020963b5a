#include "core/exec/runner.hpp"

#include "core/exec/insist.hpp"

#include <algorithm>

namespace caisson {

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

task<> runner::run_in_sandbox(live_ptr one)
{
    auto watched = std::make_shared<watch>();
    co_await supervise(one, watched);
    auto facts = std::move(watched->facts);
    if (one->exited) {
        facts.wait_status = one->exited->wait_status;
        facts.wall_limit = facts.wall_limit || one->exited->cause == protocol::exit_cause::wall_limit;
        // One that an earlier server had to end in the agent's place.
        const auto longest = std::chrono::milliseconds(one->spec.limits.wall_ms) + wall_backstop;
        facts.wall_limit = facts.wall_limit || std::chrono::microseconds(one->exited->wall_us) >= longest;
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

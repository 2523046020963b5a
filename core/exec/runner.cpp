#include "core/exec/runner.hpp"

#include "core/exec/insist.hpp"

#include <algorithm>

namespace caisson {

task<> runner::run(live_ptr one)
{
    for (auto next = after::again; next == after::again;)
        next = co_await attempt(one);
}

/// make_sandbox(), and tells the runtime's breaker what came of it.
task<result<void>> runner::try_sandbox(live_ptr one, runtime_breakers::pass leave)
{
    one->at_host = false;
    auto making = without_exceptions(make_sandbox(one));
    auto made = co_await std::move(making);
    if (made.has_value())
        leave.succeeded();
    else if (one->at_host)
        leave.failed();
    co_return made;
}

/// What a broken disk says is for the server's log only.
error runner::without_words_of_the_store(error what, const execution_id& id) const
{
    if (what.code != errc::internal)
        return what;
    use_.log.error("the record of a sandbox cannot be stored", {{"execution_id", id.str()}, {"what", what.detail}});
    return {errc::internal, "its record could not be stored; the server's log says why"};
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
    const auto image = check_image(*one);
    if (image.has_error())
        co_return image.error();
    auto wanted = co_await describe_sandbox(one);
    if (wanted.has_error())
        co_return wanted.error();
    one->at_host = true;
    auto created = co_await chosen.create(std::move(*wanted));
    if (created.has_error()) {
        one->at_host = created.error().code != errc::image_unavailable && created.error().code != errc::image_not_allowed;
        co_return created.error();
    }
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
    one->at_host = false;
    auto recording = without_exceptions(record_sandbox(one));
    auto recorded = co_await std::move(recording);
    if (recorded.has_error())
        co_return without_words_of_the_store(recorded.error(), one->row.id);
    one->at_host = true;
    auto grouped = open_group(*one);
    if (grouped.has_error())
        co_return grouped.error();
    co_return co_await open_link(one);
}

/// Durable before the program may start, so that a next server finds the sandbox instead of starting another one.
task<result<void>> runner::record_sandbox(live_ptr one)
{
    one->row.sandbox = one->attempt().sandbox = one->sandbox->id();
    sandbox_row row;
    row.id = one->sandbox->id();
    row.tenant = one->row.tenant;
    row.runtime = one->row.runtime;
    row.state = sandbox_state::running;
    row.runtime_state = one->sandbox->runtime_state();
    one->row.image_digest = one->sandbox->image_digest();
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

task<runner::after> runner::run_in_sandbox(live_ptr one)
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
        facts.host_to_blame = agent_was_taken(*one);
    }
    co_return co_await conclude(one, std::move(facts));
}

}    // namespace caisson

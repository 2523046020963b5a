#include "core/exec/runner.hpp"

#include "core/async/both.hpp"
#include "core/exec/retry_until_answered.hpp"

#include <algorithm>

namespace caisson {

namespace {

group_limits group_limits_of(const execution& one)
{
    const auto& limits = one.spec.limits;
    return {limits.memory_bytes, limits.cpu_milli, limits.pids};
}

}    // namespace

task<> runner::run(live_ptr one)
{
    for (auto next = after::again; next == after::again;)
        next = co_await attempt(one);
}

/// find_sandbox(), and tells the runtime's breaker what came of it.
task<result<void>> runner::try_sandbox(live_ptr one, runtime_breakers::permit permit)
{
    one->now.at_host = false;
    auto finding = without_exceptions(find_sandbox(one));
    auto found = co_await std::move(finding);
    if (found.has_value())
        permit.succeeded();
    else if (one->now.at_host)
        permit.failed();
    co_return found;
}

/// What a broken disk says is for the server's log only.
error runner::without_words_of_the_store(error what, const execution_id& id) const
{
    if (what.code != errc::internal)
        return what;
    use_.log.error("the record of a sandbox cannot be stored", {{"execution_id", id.str()}, {"what", what.detail}});
    return {errc::internal, "its record could not be stored; the server's log says why"};
}

bool runner::is_enabled(const std::string& runtime) const
{
    return use_.enabled.empty() || std::find(use_.enabled.begin(), use_.enabled.end(), runtime) != use_.enabled.end();
}

/// One that is ready, or a new one; recorded, and its agent heard.
task<result<void>> runner::find_sandbox(live_ptr one)
{
    if (!use_.runtimes.contains(one->row.runtime) || !is_enabled(one->row.runtime))
        co_return error{errc::runtime_unavailable, "the runtime \"" + one->row.runtime + "\" is not enabled on this server"};
    const auto image = check_image(*one);
    if (image.has_error())
        co_return image.error();
    auto wanted = co_await describe_sandbox(one);
    if (wanted.has_error())
        co_return wanted.error();
    one->now.at_host = true;
    const bool is_ready = claim_sandbox(*one, shape_of(*one, *wanted));
    if (!is_ready) {
        auto made = co_await make_sandbox(one, std::move(*wanted));
        if (made.has_error())
            co_return made.error();
    }
    note_degraded(*one);
    auto recording = without_exceptions(record_sandbox(one));
    auto reaching = without_exceptions(is_ready ? hold_link(one) : reach_agent(one));
    const auto done = co_await both(std::move(recording), std::move(reaching));
    const auto& [recorded, reached] = done;
    one->now.at_host = recorded.has_value();
    if (recorded.has_error())
        co_return without_words_of_the_store(recorded.error(), one->row.id);
    co_return reached;
}

task<result<void>> runner::reach_agent(live_ptr one)
{
    if (!one->now.group) {
        auto grouped = open_group(*one);
        if (grouped.has_error())
            co_return grouped.error();
    }
    co_return co_await open_link(one);
}

/// Of a sandbox that was ready.
task<result<void>> runner::hold_link(live_ptr one)
{
    keep_link(one);
    keep_watch(one);
    co_return result<void>();
}

pool_shape runner::shape_of(const execution& one, const sandbox_spec& wanted) const
{
    const auto digest = one.now.image && one.now.image->has_value() ? (*one.now.image)->id : std::string();
    pool_shape shape{one.row.runtime, wanted, one.now.tree, digest};
    if (use_.pool && use_.pool->interpreters)
        shape.interpreter = interpreter_for(one.spec, argv_on(one.spec, *use_.runtimes.find(one.row.runtime)->second), use_.pool->preload);
    return shape;
}

bool runner::claim_sandbox(execution& one, const pool_shape& wanted)
{
    // A breaker closes when a sandbox could be made, not when one was there.
    if (breakers_.of(one.row.runtime).state != circuit_breaker::state::closed)
        return false;
    const auto began = use_.time.steady_now();
    auto warm = pool_.claim(wanted);
    if (!warm)
        return false;
    one.now.home = std::move(warm->home);
    one.now.group = std::move(warm->group);
    one.now.hold = std::move(warm->hold);
    one.row.stages.claim_ms = ms_between(began, use_.time.steady_now());
    return true;
}

/// Where control groups are this server's own, the execution's is made meanwhile.
task<result<void>> runner::start_sandbox(live_ptr one, runtime* where)
{
    if (where->makes_soon())
        one->sandbox()->make_group_at_start(group_limits_of(*one));
    auto starting = where->start(*one->sandbox());
    const auto started = co_await std::move(starting);
    co_return started.has_error() || !where->makes_soon() ? started : open_group(*one);
}

task<result<void>> runner::make_sandbox(live_ptr one, sandbox_spec wanted)
{
    const auto began = use_.time.steady_now();
    auto& chosen = *use_.runtimes.find(one->row.runtime)->second;
    stock_.note(chosen);
    auto created = co_await chosen.create(std::move(wanted));
    if (created.has_error()) {
        one->now.at_host = created.error().code != errc::image_unavailable && created.error().code != errc::image_not_allowed;
        co_return created.error();
    }
    one->now.home = use_.living(std::move(*created));
    const auto started = co_await start_sandbox(one, &chosen);
    if (started.has_error())
        co_return started;
    one->row.stages.start_ms = ms_between(began, use_.time.steady_now());
    co_return result<void>();
}

/// Before the first probe too what does not isolate says so in every record.
void runner::note_degraded(execution& one) const
{
    const auto& chosen = *use_.runtimes.find(one.row.runtime)->second;
    for (const auto& each : chosen.capabilities().degraded)
        one.row.degraded.push_back(each.control);
    const bool is_said = std::find(one.row.degraded.begin(), one.row.degraded.end(), "isolation") != one.row.degraded.end();
    if (!chosen.isolates() && !is_said)
        one.row.degraded.emplace_back("isolation");
}

void runner::note_sandbox(execution& one) const
{
    one.row.sandbox = one.attempt().sandbox = one.sandbox()->id();
    one.row.image_digest = one.sandbox()->image_digest();
}

runner::begin_record runner::record(const execution& one) const
{
    begin_record made{one.row, {}};
    made.execution.status = execution_status::running;
    made.execution.started_at_ms = use_.time.now_ms();
    made.sandbox.id = one.sandbox()->id();
    made.sandbox.tenant = one.row.tenant;
    made.sandbox.runtime = one.row.runtime;
    made.sandbox.state = sandbox_state::running;
    made.sandbox.runtime_state = one.sandbox()->runtime_state();
    made.sandbox.created_at_ms = use_.time.now_ms();
    return made;
}

/// Durable before the program may start, so that a next server finds the sandbox instead of starting another one.
task<result<void>> runner::record_sandbox(live_ptr one)
{
    note_sandbox(*one);
    auto rows = record(*one);
    // At once, hence in one transaction as a rule; the sandbox first, so that no execution names one without a record.
    auto inserting = without_exceptions(use_.sandboxes.insert(std::move(rows.sandbox)));
    auto updating = without_exceptions(use_.executions.update(std::move(rows.execution)));
    const auto done = co_await both(std::move(inserting), std::move(updating));
    co_return done.first.has_error() ? done.first : done.second;
}

result<void> runner::open_group(execution& one)
{
    auto group = one.sandbox()->open_group(group_limits_of(one));
    if (group.has_error())
        return group.error();
    one.now.group = std::move(*group);
    return {};
}

task<runner::after> runner::run_in_sandbox(live_ptr one)
{
    const auto watched = watch_of(*one);
    co_await supervise(one, watched);
    auto facts = std::move(watched->facts());
    if (one->heard.exited) {
        facts.wait_status = one->heard.exited->wait_status;
        facts.wall_limit = facts.wall_limit || one->heard.exited->cause == protocol::exit_cause::wall_limit;
        // One that an earlier server had to end in the agent's place.
        const auto longest = std::chrono::milliseconds(one->spec.limits.wall_ms) + limit_watch::wall_backstop;
        facts.wall_limit = facts.wall_limit || std::chrono::microseconds(one->heard.exited->wall_us) >= longest;
        const auto cpu_us = static_cast<std::int64_t>(one->heard.exited->user_us + one->heard.exited->system_us);
        facts.cpu_limit = facts.cpu_limit || cpu_us >= one->spec.limits.cpu_ms * 1000;
    } else if (!one->heard.start_failure.empty()) {
        facts.fault = one->heard.start_failure;
    } else {
        facts.lost = one->heard.lost;
        facts.host_to_blame = agent_was_taken(*one);
    }
    co_return co_await conclude(one, std::move(facts));
}

}    // namespace caisson

#include "core/exec/sandbox_provider.hpp"

#include "core/async/both.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/exec/elapsed.hpp"
#include "core/exec/parking.hpp"
#include "core/exec/skill/skill_program.hpp"

#include <algorithm>

namespace caisson {

namespace {

group_limits group_limits_of(const execution& one)
{
    const auto& limits = one.spec.limits;
    return {limits.memory_bytes, limits.cpu_milli, limits.pids};
}

/// Another attempt would fail too.
error package_gone(const skill_run& skill)
{
    return {errc::gone, "the package of skill " + skill.name + "@" + skill.version + " (sha256:" + skill.digest + ") was removed"};
}

}    // namespace

task<result<void>> sandbox_provider::try_sandbox(execution_ptr one, runtime_breakers::permit permit)
{
    one->current.at_host = false;
    auto finding = without_exceptions(find_sandbox(one));
    auto found = co_await std::move(finding);
    if (found.has_value())
        permit.succeeded();
    else if (one->current.at_host)
        permit.failed();
    co_return found;
}

/// Claims a ready sandbox or makes a new one, records it, and hears its agent.
task<result<void>> sandbox_provider::find_sandbox(execution_ptr one)
{
    if (!use_.sources.runtimes.contains(one->row.runtime) || !placement_.is_enabled(one->row.runtime))
        co_return error{errc::runtime_unavailable, "the runtime \"" + one->row.runtime + "\" is not enabled on this server"};
    const auto image = placement::check_image(*one);
    if (image.has_error())
        co_return image.error();
    auto wanted = co_await describe_sandbox(one);
    if (wanted.has_error())
        co_return wanted.error();
    one->current.at_host = true;
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
    one->current.at_host = recorded.has_value();
    if (recorded.has_error())
        co_return without_words_of_the_store(recorded.error(), one->row.id);
    co_return reached;
}

task<result<void>> sandbox_provider::make_unrecorded(execution_ptr one)
{
    auto wanted = sandbox_for(*one);
    const bool is_ready = claim_sandbox(*one, shape_of(*one, wanted));
    if (!is_ready) {
        auto made = co_await make_sandbox(one, std::move(wanted));
        if (made.has_error())
            co_return made;
    }
    note_degraded(*one);
    auto reaching = is_ready ? hold_link(one) : reach_agent(one);
    auto reached = co_await std::move(reaching);
    if (!reached.has_error())
        note_sandbox(*one);
    co_return reached;
}

pool_shape sandbox_provider::shape_of(const execution& one, const sandbox_spec& wanted) const
{
    const auto digest = one.current.image && one.current.image->has_value() ? (*one.current.image)->id : std::string();
    pool_shape shape{one.row.runtime, wanted, one.current.tree, digest};
    if (use_.sources.pool && use_.sources.pool->interpreters)
        shape.interpreter =
            interpreter_for(one.spec, argv_on(one.spec, *use_.sources.runtimes.find(one.row.runtime)->second), use_.sources.pool->preload);
    return shape;
}

bool sandbox_provider::claim_sandbox(execution& one, const pool_shape& wanted)
{
    // A breaker closes when a sandbox was made. One that was ready says nothing about the runtime.
    if (placement_.breaker_of(one.row.runtime).state != circuit_breaker::state::closed)
        return false;
    const auto began = use_.time.steady_now();
    auto warm = pool_.claim(wanted);
    if (!warm)
        return false;
    one.current.home = std::move(warm->home);
    one.current.group = std::move(warm->group);
    one.current.hold = std::move(warm->hold);
    one.row.stages.claim_ms = ms_between(began, use_.time.steady_now());
    return true;
}

bool sandbox_provider::hold_package_now(execution& one)
{
    if (!one.spec.skill)
        return true;
    if (use_.skills.trees != nullptr)
        one.current.tree = use_.skills.trees->open_now(one.row.tenant, one.spec.skill->digest);
    return one.current.tree != nullptr;
}

/// Holds a skill's package, so that it stays in the cache.
task<result<void>> sandbox_provider::hold_package(execution_ptr one)
{
    if (!one->spec.skill || one->current.tree)
        co_return result<void>();
    if (use_.skills.trees == nullptr)
        co_return error{errc::gone, "this server runs no skills"};
    auto opened = co_await use_.skills.trees->open(one->row.tenant, one->spec.skill->digest);
    if (opened.has_error())
        co_return opened.error().code == errc::not_found ? package_gone(*one->spec.skill) : opened.error();
    one->current.tree = std::move(*opened);
    co_return result<void>();
}

sandbox_spec sandbox_provider::sandbox_for(const execution& one)
{
    const auto& limits = one.spec.limits;
    sandbox_spec wanted;
    wanted.id = use_.ids.make<sandbox_id>();
    wanted.limits = {limits.memory_bytes, limits.cpu_milli, limits.pids, limits.disk_bytes, limits.inodes};
    wanted.lease = use_.sources.link.lease;
    wanted.is_awaited = true;
    wanted.image = placement_.runs_in_image(one) ? one.spec.image : std::string();
    if (one.current.tree) {
        wanted.work_directory = skill_directory;
        wanted.trees.push_back({one.current.tree->path().string(), std::string(skill_package)});
    }
    return wanted;
}

task<result<sandbox_spec>> sandbox_provider::describe_sandbox(execution_ptr one)
{
    auto held = co_await hold_package(one);
    if (held.has_error())
        co_return held.error();
    co_return sandbox_for(*one);
}

task<result<void>> sandbox_provider::make_sandbox(execution_ptr one, sandbox_spec wanted)
{
    const auto began = use_.time.steady_now();
    auto& chosen = *use_.sources.runtimes.find(one->row.runtime)->second;
    stock_.note(chosen);
    auto created = co_await chosen.create(std::move(wanted));
    if (created.has_error()) {
        one->current.at_host = created.error().code != errc::image_unavailable && created.error().code != errc::image_not_allowed;
        co_return created.error();
    }
    one->current.home = use_.living(std::move(*created));
    const auto started = co_await start_sandbox(one, &chosen);
    if (started.has_error())
        co_return started;
    one->row.stages.start_ms = ms_between(began, use_.time.steady_now());
    co_return result<void>();
}

/// A runtime that creates fast makes the execution's control group while the sandbox starts.
task<result<void>> sandbox_provider::start_sandbox(execution_ptr one, runtime* where)
{
    if (where->traits().fast_create)
        one->sandbox()->make_group_at_start(group_limits_of(*one));
    auto starting = where->start(*one->sandbox());
    const auto started = co_await std::move(starting);
    co_return started.has_error() || !where->traits().fast_create ? started : open_group(*one);
}

result<void> sandbox_provider::open_group(execution& one)
{
    auto group = one.sandbox()->open_group({}, group_limits_of(one));
    if (group.has_error())
        return group.error();
    one.current.group = std::move(*group);
    return {};
}

void sandbox_provider::note_degraded(execution& one) const
{
    const auto& chosen = *use_.sources.runtimes.find(one.row.runtime)->second;
    for (const auto& each : chosen.capabilities().degraded)
        one.row.degraded.push_back(each.control);
    const bool is_said = std::find(one.row.degraded.begin(), one.row.degraded.end(), "isolation") != one.row.degraded.end();
    if (!chosen.traits().isolates && !is_said)
        one.row.degraded.emplace_back("isolation");
}

void sandbox_provider::note_sandbox(execution& one) const
{
    one.row.sandbox = one.attempt().sandbox = one.sandbox()->id();
    one.row.image_digest = one.sandbox()->image_digest();
}

sandbox_provider::begin_record sandbox_provider::record(const execution& one) const
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

/// The record is durable before the program may start, so that the next server finds the sandbox and starts no other.
task<result<void>> sandbox_provider::record_sandbox(execution_ptr one)
{
    note_sandbox(*one);
    auto rows = record(*one);
    // Both are asked for at once, so one transaction writes them as a rule. The sandbox comes first: no execution names one without a
    // record.
    auto inserting = without_exceptions(use_.stores.sandboxes.insert(std::move(rows.sandbox)));
    auto updating = without_exceptions(use_.stores.executions.update(std::move(rows.execution)));
    const auto done = co_await both(std::move(inserting), std::move(updating));
    co_return done.first.has_error() ? done.first : done.second;
}

/// Keeps the words of a broken disk in the server's log.
error sandbox_provider::without_words_of_the_store(error what, const execution_id& id) const
{
    if (what.code != errc::internal)
        return what;
    use_.log.error("the record of a sandbox cannot be stored", {{"execution_id", id.str()}, {"what", what.detail}});
    return {errc::internal, "its record could not be stored; the server's log says why"};
}

}    // namespace caisson

#include "core/exec/sandbox_provider.hpp"

#include "core/async/both.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/elapsed.hpp"
#include "core/exec/interpreter_choice.hpp"
#include "core/exec/skill/skill_program.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// Another attempt would fail too.
error package_gone(const skill_run& skill)
{
    return {errc::gone, "the package of skill " + skill.name + "@" + skill.version + " (sha256:" + skill.digest + ") was removed"};
}

}    // namespace

/// Of its program, and of its compiler.
group_limits sandbox_provider::group_limits_of(const execution& exec)
{
    const auto& limits = exec.spec.limits;
    return {limits.memory_bytes, limits.cpu_milli, limits.pids};
}

task<result<void>> sandbox_provider::try_sandbox(execution_ptr exec, runtime_breakers::permit permit)
{
    exec->current.at_host = false;
    auto finding = without_exceptions(find_sandbox(exec));
    auto found = co_await std::move(finding);
    if (found.has_value())
        permit.succeeded();
    else if (exec->current.at_host)
        permit.failed();
    co_return found;
}

/// Claims a ready sandbox or makes a new one, records it, and hears its agent.
task<result<void>> sandbox_provider::find_sandbox(execution_ptr exec)
{
    if (use_.sources.find(exec->row.runtime) == nullptr || !placement_.is_enabled(exec->row.runtime))
        co_return error{errc::runtime_unavailable, "the runtime \"" + exec->row.runtime + "\" is not enabled on this server"};
    const auto image = placement::check_image(*exec);
    if (image.has_error())
        co_return image.error();
    auto wanted = co_await describe_sandbox(exec);
    if (wanted.has_error())
        co_return wanted.error();
    exec->current.at_host = true;
    auto shape = shape_of(*exec, std::move(*wanted));
    const bool is_ready = claim_sandbox(*exec, shape);
    if (!is_ready) {
        auto made = co_await make_sandbox(exec, std::move(shape));
        if (made.has_error())
            co_return made.error();
    }
    note_degraded(*exec);
    auto recording = without_exceptions(record_sandbox(exec));
    auto reaching = without_exceptions(is_ready ? hold_link(exec) : reach_agent(exec));
    const auto done = co_await both(std::move(recording), std::move(reaching));
    const auto& [recorded, reached] = done;
    exec->current.at_host = recorded.has_value();
    if (recorded.has_error())
        co_return without_words_of_the_store(recorded.error(), exec->row.id);
    co_return reached;
}

task<result<void>> sandbox_provider::make_unrecorded(execution_ptr exec)
{
    auto wanted = shape_of(*exec, sandbox_for(*exec));
    const bool is_ready = claim_sandbox(*exec, wanted);
    if (!is_ready) {
        auto made = co_await make_sandbox(exec, std::move(wanted));
        if (made.has_error())
            co_return made;
    }
    note_degraded(*exec);
    auto reaching = is_ready ? hold_link(exec) : reach_agent(exec);
    auto reached = co_await std::move(reaching);
    if (!reached.has_error())
        note_sandbox(*exec);
    co_return reached;
}

sandbox_shape sandbox_provider::shape_of(const execution& exec, sandbox_spec wanted) const
{
    const auto digest = exec.current.image && exec.current.image->has_value() ? (*exec.current.image)->id : std::string();
    sandbox_shape shape{exec.row.runtime, std::move(wanted), exec.current.tree, digest};
    if (use_.sources.pool && use_.sources.pool->interpreters)
        shape.interpreter =
            interpreter_for(exec.spec, argv_on(exec.spec, *use_.sources.find(exec.row.runtime)), use_.sources.pool->preload);
    return shape;
}

bool sandbox_provider::claim_sandbox(execution& exec, const sandbox_shape& wanted)
{
    // A breaker closes when a sandbox was made. One that was ready says nothing about the runtime.
    if (placement_.breaker_of(exec.row.runtime).state != circuit_breaker::state::closed)
        return false;
    const auto began = use_.time.steady_now();
    auto ready = sandboxes_.try_acquire(wanted);
    if (!ready)
        return false;
    exec.current.lease = std::move(*ready);
    exec.row.stages.claim_ms = ms_between(began, use_.time.steady_now());
    return true;
}

bool sandbox_provider::hold_package_now(execution& exec)
{
    if (!exec.spec.skill)
        return true;
    if (use_.skills.trees != nullptr)
        exec.current.tree = use_.skills.trees->open_now(exec.row.tenant, exec.spec.skill->digest);
    return exec.current.tree != nullptr;
}

/// Holds a skill's package, so that it stays in the cache.
task<result<void>> sandbox_provider::hold_package(execution_ptr exec)
{
    if (!exec->spec.skill || exec->current.tree)
        co_return result<void>();
    if (use_.skills.trees == nullptr)
        co_return error{errc::gone, "this server runs no skills"};
    auto opened = co_await use_.skills.trees->open(exec->row.tenant, exec->spec.skill->digest);
    if (opened.has_error())
        co_return opened.error().code == errc::not_found ? package_gone(*exec->spec.skill) : opened.error();
    exec->current.tree = std::move(*opened);
    co_return result<void>();
}

sandbox_spec sandbox_provider::sandbox_for(const execution& exec)
{
    const auto& limits = exec.spec.limits;
    sandbox_spec wanted;
    wanted.id = use_.ids.make<sandbox_id>();
    wanted.limits = {limits.memory_bytes, limits.cpu_milli, limits.pids, limits.disk_bytes, limits.inodes};
    wanted.lease = use_.sources.link.lease;
    wanted.is_awaited = true;
    wanted.image = placement_.runs_in_image(exec) ? exec.spec.image : std::string();
    if (exec.current.tree) {
        wanted.work_directory = skill_directory;
        wanted.trees.push_back({exec.current.tree->path().string(), std::string(skill_package)});
    }
    return wanted;
}

task<result<sandbox_spec>> sandbox_provider::describe_sandbox(execution_ptr exec)
{
    auto held = co_await hold_package(exec);
    if (held.has_error())
        co_return held.error();
    co_return sandbox_for(*exec);
}

task<result<void>> sandbox_provider::make_sandbox(execution_ptr exec, sandbox_shape wanted)
{
    const auto began = use_.time.steady_now();
    auto created = co_await sandboxes_.create(std::move(wanted));
    if (created.has_error()) {
        exec->current.at_host = created.error().code != errc::image_unavailable && created.error().code != errc::image_not_allowed;
        co_return created.error();
    }
    exec->current.lease = std::move(*created);
    const auto started = co_await sandboxes_.start(&exec->current.lease, group_limits_of(*exec));
    if (started.has_error())
        co_return started;
    exec->row.stages.start_ms = ms_between(began, use_.time.steady_now());
    co_return result<void>();
}

void sandbox_provider::note_degraded(execution& exec) const
{
    const auto& chosen = *use_.sources.find(exec.row.runtime);
    for (const auto& each : chosen.capabilities().degraded)
        exec.row.degraded.push_back(each.control);
    const bool is_said = std::find(exec.row.degraded.begin(), exec.row.degraded.end(), "isolation") != exec.row.degraded.end();
    if (!chosen.traits().isolates && !is_said)
        exec.row.degraded.emplace_back("isolation");
}

void sandbox_provider::note_sandbox(execution& exec) const
{
    exec.row.sandbox = exec.attempt().sandbox = exec.sandbox()->id();
    exec.row.image_digest = exec.sandbox()->image_digest();
}

sandbox_provider::begin_record sandbox_provider::record(const execution& exec) const
{
    begin_record made{exec.row, {}};
    made.execution.status = execution_status::running;
    made.execution.started_at_ms = use_.time.now_ms();
    made.sandbox =
        sandboxes_.record_of(*exec.current.lease.home, exec.row.tenant, exec.row.runtime, {holder_kind::execution, exec.row.id.str()});
    return made;
}

/// The record is durable before the program may start, so that the next server finds the sandbox and starts no other.
task<result<void>> sandbox_provider::record_sandbox(execution_ptr exec)
{
    note_sandbox(*exec);
    auto rows = record(*exec);
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

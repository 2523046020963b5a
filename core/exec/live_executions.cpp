#include "core/exec/live_executions.hpp"

#include "core/async/without_exceptions.hpp"

#include <memory>
#include <utility>

namespace caisson {

execution_ptr live_executions::make(execution_row row, execution_spec spec, log_extent stored) const
{
    auto options = use_.rules.logs;
    options.max_output_bytes = static_cast<std::uint64_t>(spec.limits.max_output_bytes);
    auto log = std::make_shared<live_log>(use_.executor, row.id, use_.stores.events, use_.time, use_.log, options, std::move(stored));
    auto exec = std::make_shared<execution>(use_.executor, use_.time, use_.log, std::move(row), std::move(spec), std::move(log));
    exec->give_request_stdin();
    return exec;
}

void live_executions::launch(const execution_ptr& exec, bool in_sandbox, std::chrono::milliseconds log_patience)
{
    all_.emplace(exec->row.id, exec);
    exec->background.spawn("log of " + exec->row.id.str(), exec->log->run(log_patience));
    runs_.spawn("run of " + exec->row.id.str(), to_its_end(exec, in_sandbox ? life_.take_up(exec) : life_.carry_out(exec)));
}

void live_executions::run(const execution_ptr& exec, const std::string& name, task<> work)
{
    all_.emplace(exec->row.id, exec);
    runs_.spawn(name, std::move(work));
}

task<> live_executions::to_its_end(execution_ptr exec, task<> work)
{
    auto guarded = without_exceptions(as_result(std::move(work)));
    const auto done = co_await std::move(guarded);
    if (done.has_error())
        co_await life_.break_off(exec, done.error().detail);
    leave(*exec);
}

void live_executions::leave(const execution& exec)
{
    if (exec.phase == run_phase::ended && exec.record.recorded && is_final(exec.row.status))
        kept_.add(exec.row.tenant, exec.left.kept_bytes);
    all_.erase(exec.row.id);
}

execution_ptr live_executions::find(const tenant_id& tenant, const execution_id& id) const
{
    const auto found = all_.find(id);
    return found != all_.end() && found->second->row.tenant == tenant ? found->second : nullptr;
}

result<void> live_executions::may_keep_more(const tenant_id& tenant) const
{
    auto kept = kept_.check(tenant);
    return kept.has_error() ? kept : ask(use_.rules.may_store, tenant);
}

void live_executions::close()
{
    closed_ = true;
    for (const auto& [id, exec] : all_)
        exec->wake();
}

}    // namespace caisson

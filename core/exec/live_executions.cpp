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
    auto one = std::make_shared<execution>(use_.executor, use_.time, use_.log, std::move(row), std::move(spec), std::move(log));
    one->give_request_stdin();
    return one;
}

void live_executions::launch(const execution_ptr& one, bool in_sandbox, std::chrono::milliseconds log_patience)
{
    all_.emplace(one->row.id, one);
    one->background.spawn("log of " + one->row.id.str(), one->log->run(log_patience));
    runs_.spawn("run of " + one->row.id.str(), to_its_end(one, in_sandbox ? life_.take_up(one) : life_.carry_out(one)));
}

void live_executions::run(const execution_ptr& one, const std::string& name, task<> work)
{
    all_.emplace(one->row.id, one);
    runs_.spawn(name, std::move(work));
}

task<> live_executions::to_its_end(execution_ptr one, task<> work)
{
    auto guarded = without_exceptions(as_result(std::move(work)));
    const auto done = co_await std::move(guarded);
    if (done.has_error())
        co_await life_.break_off(one, done.error().detail);
    leave(*one);
}

void live_executions::leave(const execution& one)
{
    if (one.phase == run_phase::ended && one.record.recorded && is_final(one.row.status))
        kept_.add(one.row.tenant, one.left.kept_bytes);
    all_.erase(one.row.id);
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
    for (const auto& [id, one] : all_)
        one->wake();
}

}    // namespace caisson

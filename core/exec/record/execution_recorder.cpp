#include "core/exec/record/execution_recorder.hpp"

#include "core/async/deadline.hpp"
#include "core/async/retry_until_answered.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/exec/end_state.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/record/record.hpp"

#include <functional>
#include <utility>

namespace caisson {

task<> execution_recorder::store_log(execution_ptr exec)
{
    auto flushing = exec->log->flushed();
    const auto stored = co_await with_deadline(use_.time, use_.time.steady_now() + place_grace, std::move(flushing));
    if (stored.has_value())
        co_return;
    give_place_up(*exec);
    co_await exec->log->flushed();
}

task<> execution_recorder::store_schedule(execution_ptr exec)
{
    std::function<task<result<void>>()> ask = [this, exec] {
        auto stored = exec->row;
        stored.sandbox.reset();
        return use_.stores.executions.update(std::move(stored));
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, log_field("execution_id", exec->row.id.str()), std::move(ask));
    static_cast<void>(co_await std::move(asking));
}

task<> execution_recorder::store_compile_report(execution_ptr exec)
{
    std::function<task<result<void>>()> ask = [this, exec] {
        auto stored = exec->row;
        stored.status = execution_status::running;
        stored.started_at_ms = use_.time.now_ms();
        return use_.stores.executions.update(std::move(stored));
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, log_field("execution_id", exec->row.id.str()), std::move(ask));
    static_cast<void>(co_await std::move(asking));
}

task<> execution_recorder::store_end(execution_ptr exec)
{
    exec->left.kept_bytes = kept_bytes_of(exec->row, exec->spec, exec->left.artifacts, exec->log->buffer().stored_bytes());
    auto storing = exec->record.recorded ? store_final(exec) : store_first_and_final(exec);
    co_await std::move(storing);
    exec->left.held.reset();
    exec->phase = run_phase::ended;
    exec->log->publish_exit();
    exec->wake();
}

/// Stores the end of a recorded execution, and tries until it is stored.
task<> execution_recorder::store_final(execution_ptr exec)
{
    auto checkpoint = std::make_shared<std::optional<checkpoint_end>>();
    if (exec->spec.checkpoint)
        *checkpoint = co_await checkpoint_of(exec);
    std::optional<change_clock::change> change;
    if (*checkpoint)
        change.emplace(use_.stores.checkpoints->changing(exec->row.tenant, exec->spec.checkpoint->thread));
    std::function<task<result<void>>()> ask = [this, exec, checkpoint, since = use_.time.steady_now()] {
        if (use_.time.steady_now() >= since + place_grace)
            give_place_up(*exec);
        return use_.stores.executions.finish(
            {exec->row, exec->left.artifacts, *checkpoint, exec->left.whole_log.value_or(event_list()), exec->left.kept_bytes});
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, log_field("execution_id", exec->row.id.str()), std::move(ask));
    static_cast<void>(co_await std::move(asking));    // conflict: it is final
    if (exec->left.whole_log)
        exec->log->stored_whole();
    exec->left.whole_log.reset();
    if (*checkpoint)
        co_await reload_checkpoint_note(exec);
    if (exec->spec.webhook && use_.webhook_due)
        use_.webhook_due();
}

/// Stores an execution that ended before it was recorded: all of it at once, or nothing.
task<> execution_recorder::store_first_and_final(execution_ptr exec)
{
    const auto asked_at = use_.time.steady_now();
    auto inserting = use_.stores.executions.insert_ended(
        {exec->row, exec->left.artifacts, std::nullopt, std::move(exec->left.whole_log).value(), exec->left.kept_bytes}, exec->spec);
    try {
        const auto inserted = co_await std::move(inserting);
        exec->record.took = use_.time.steady_now() - asked_at;
        exec->record.recorded = inserted.has_value();
        if (inserted.has_error())
            exec->record.refused = inserted.error();
    } catch (const std::exception&) {
        exec->record.failure = std::current_exception();
    }
    exec->left.whole_log.reset();
    exec->log->stored_whole();
    if (exec->record.recorded && exec->spec.webhook && use_.webhook_due)
        use_.webhook_due();
}

/// Makes the checkpoint that the request asks for. If that fails, the row says why.
task<std::optional<checkpoint_end>> execution_recorder::checkpoint_of(execution_ptr exec)
{
    const auto& order = *exec->spec.checkpoint;
    exec->row.checkpoint = checkpoint_note{order.thread, {}, "this server writes no checkpoints"};
    if (use_.stores.checkpoints == nullptr)
        co_return std::nullopt;
    auto state = order.state.empty() ? end_state(exec->row) : order.state;
    auto making = use_.stores.checkpoints->make(exec->row.tenant, order, std::move(state), references_of(exec->row, exec->left.artifacts));
    auto attempt = without_exceptions(std::move(making));
    auto made = co_await std::move(attempt);
    if (made.has_value())
        co_return std::move(*made);
    exec->row.checkpoint->error = made.error().detail;
    co_return std::nullopt;
}

/// Reads what the store wrote into the record about the checkpoint.
task<> execution_recorder::reload_checkpoint_note(execution_ptr exec)
{
    auto reading = without_exceptions(use_.stores.executions.find(exec->row.tenant, exec->row.id));
    const auto stored = co_await std::move(reading);
    if (stored.has_value())
        exec->row.checkpoint = stored->checkpoint;
}

void execution_recorder::append_exit_event(execution& exec)
{
    exec.left.is_said = true;
    exec.log->withhold_exit();
    exec.log->control(event_kind::usage, usage_body(exec.row.usage));
    exec.log->control(event_kind::exit, exit_body(exec.row, exec.left.artifacts));
}

void execution_recorder::give_place_up(execution& exec)
{
    if (queue_.step_out(exec, exec.log->buffer().unstored_bytes()))
        use_.log.warning("an execution has ended and cannot be stored: others have its place", {{"execution_id", exec.row.id.str()}});
}

}    // namespace caisson

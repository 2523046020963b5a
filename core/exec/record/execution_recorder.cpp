#include "core/exec/record/execution_recorder.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/exec/end_state.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/retry_until_answered.hpp"

#include <functional>
#include <utility>

namespace caisson {

task<> execution_recorder::store_log(execution_ptr one)
{
    auto flushing = one->log->flushed();
    const auto stored = co_await with_deadline(use_.time, use_.time.steady_now() + place_grace, std::move(flushing));
    if (stored.has_value())
        co_return;
    give_place_up(*one);
    co_await one->log->flushed();
}

task<> execution_recorder::store_schedule(execution_ptr one)
{
    std::function<task<result<void>>()> ask = [this, one] {
        auto stored = one->row;
        stored.sandbox.reset();
        return use_.stores.executions.update(std::move(stored));
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    static_cast<void>(co_await std::move(asking));
}

task<> execution_recorder::store_compile_report(execution_ptr one)
{
    std::function<task<result<void>>()> ask = [this, one] {
        auto stored = one->row;
        stored.status = execution_status::running;
        stored.started_at_ms = use_.time.now_ms();
        return use_.stores.executions.update(std::move(stored));
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    static_cast<void>(co_await std::move(asking));
}

task<> execution_recorder::store_end(execution_ptr one)
{
    one->left.kept_bytes = kept_bytes_of(one->row, one->spec, one->left.artifacts, one->log->buffer().stored_bytes());
    auto storing = one->record.recorded ? store_final(one) : store_first_and_final(one);
    co_await std::move(storing);
    one->left.held.reset();
    one->phase = run_phase::ended;
    one->log->publish_exit();
    one->wake();
}

/// Stores the end of a recorded execution, and tries until it is stored.
task<> execution_recorder::store_final(execution_ptr one)
{
    auto checkpoint = std::make_shared<std::optional<checkpoint_end>>();
    if (one->spec.checkpoint)
        *checkpoint = co_await checkpoint_of(one);
    std::optional<change_clock::change> change;
    if (*checkpoint)
        change.emplace(use_.stores.checkpoints->changing(one->row.tenant, one->spec.checkpoint->thread));
    std::function<task<result<void>>()> ask = [this, one, checkpoint, since = use_.time.steady_now()] {
        if (use_.time.steady_now() >= since + place_grace)
            give_place_up(*one);
        return use_.stores.executions.finish(
            {one->row, one->left.artifacts, *checkpoint, one->left.whole_log.value_or(event_list()), one->left.kept_bytes});
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    static_cast<void>(co_await std::move(asking));    // conflict: it is final
    if (one->left.whole_log)
        one->log->stored_whole();
    one->left.whole_log.reset();
    if (*checkpoint)
        co_await reload_checkpoint_note(one);
    if (one->spec.webhook && use_.webhook_due)
        use_.webhook_due();
}

/// Stores an execution that ended before it was recorded: all of it at once, or nothing.
task<> execution_recorder::store_first_and_final(execution_ptr one)
{
    const auto asked_at = use_.time.steady_now();
    auto inserting = use_.stores.executions.insert_ended(
        {one->row, one->left.artifacts, std::nullopt, std::move(one->left.whole_log).value(), one->left.kept_bytes}, one->spec);
    try {
        const auto inserted = co_await std::move(inserting);
        one->record.took = use_.time.steady_now() - asked_at;
        one->record.recorded = inserted.has_value();
        if (inserted.has_error())
            one->record.refused = inserted.error();
    } catch (const std::exception&) {
        one->record.failure = std::current_exception();
    }
    one->left.whole_log.reset();
    one->log->stored_whole();
    if (one->record.recorded && one->spec.webhook && use_.webhook_due)
        use_.webhook_due();
}

/// Makes the checkpoint that the request asks for. If that fails, the row says why.
task<std::optional<checkpoint_end>> execution_recorder::checkpoint_of(execution_ptr one)
{
    const auto& order = *one->spec.checkpoint;
    one->row.checkpoint = checkpoint_note{order.thread, {}, "this server writes no checkpoints"};
    if (use_.stores.checkpoints == nullptr)
        co_return std::nullopt;
    auto state = order.state.empty() ? end_state(one->row) : order.state;
    auto making = use_.stores.checkpoints->make(one->row.tenant, order, std::move(state), references_of(one->row, one->left.artifacts));
    auto attempt = without_exceptions(std::move(making));
    auto made = co_await std::move(attempt);
    if (made.has_value())
        co_return std::move(*made);
    one->row.checkpoint->error = made.error().detail;
    co_return std::nullopt;
}

/// Reads what the store wrote into the record about the checkpoint.
task<> execution_recorder::reload_checkpoint_note(execution_ptr one)
{
    auto reading = without_exceptions(use_.stores.executions.find(one->row.tenant, one->row.id));
    const auto stored = co_await std::move(reading);
    if (stored.has_value())
        one->row.checkpoint = stored->checkpoint;
}

void execution_recorder::append_exit_event(execution& one)
{
    one.left.is_said = true;
    one.log->withhold_exit();
    one.log->control(event_kind::usage, usage_body(one.row.usage));
    one.log->control(event_kind::exit, exit_body(one.row, one.left.artifacts));
}

void execution_recorder::give_place_up(execution& one)
{
    if (queue_.step_out(one, one.log->buffer().unstored_bytes()))
        use_.log.warning("an execution has ended and cannot be stored: others have its place", {{"execution_id", one.row.id.str()}});
}

}    // namespace caisson

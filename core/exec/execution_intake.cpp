#include "core/exec/execution_intake.hpp"
#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/skill/skill_program.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// The store answers sooner, or the server has worse trouble.
constexpr auto longest_key_wait = 30s;
constexpr std::size_t expired_batch = 500;
/// The log of a program that ends sooner, and that nobody follows, is stored with the record of the end.
constexpr std::chrono::milliseconds first_commit_patience = 200ms;
/// A program that ends sooner, and whose client waits for the end, is recorded once.
constexpr std::chrono::milliseconds first_record_patience = 5ms;
constexpr auto between_batches = 50ms;
constexpr auto between_erasures = 60s;

error is_stopping() { return {errc::runtime_unavailable, "the server is stopping; try again in a few seconds"}; }

error other_body(const idempotency_claim& claim)
{
    return {errc::unprocessable, "the Idempotency-Key \"" + claim.key + "\" was used with another body; use a new key for a new request",
        {{"Idempotency-Key", "was used with another body"}}};
}

error erased_execution(const idempotency_record& key)
{
    return {errc::gone, "the execution of the Idempotency-Key \"" + key.claim.key + "\" (" + key.execution.str() +
                            ") was deleted; use a new key to run it again"};
}

/// Adds the numbers to the store's error about too many keys.
error with_facts(error what, const idempotency_options& options)
{
    if (what.code == errc::quota_exceeded)
        what.facts = limit_facts{"idempotency.max_keys_per_tenant", "tenant", static_cast<std::int64_t>(options.most_keys_of_tenant), 0, 0,
            longest_retry.count()};
    return what;
}

execution_row row_of(const execution_spec& spec, execution_id id, tenant_id tenant, std::int64_t now_ms)
{
    execution_row row;
    row.id = std::move(id);
    row.tenant = std::move(tenant);
    row.kind = spec.kind;
    row.language = spec.language;
    row.runtime = spec.runtime;
    row.image = spec.image;
    row.labels = spec.labels;
    row.limits = spec.limits;
    row.pty = spec.pty.has_value();
    row.created_at_ms = now_ms;
    describe_skill(spec, row);
    return row;
}

}    // namespace

task<result<execution_row>> execution_intake::submit(tenant_id tenant, execution_spec spec)
{
    auto done = co_await record_new(std::move(tenant), std::move(spec), std::nullopt, answered::at_begin);
    if (done.has_error())
        co_return done.error();
    co_return std::move(done->row);
}

task<result<execution_intake::submission>> execution_intake::submit_awaited(tenant_id tenant, execution_spec spec)
{
    return record_new(std::move(tenant), std::move(spec), std::nullopt, answered::at_end);
}

task<result<execution_intake::submission>> execution_intake::record_new(
    tenant_id tenant, execution_spec spec, std::optional<idempotency_record> key, answered when)
{
    if (live_.is_closed())
        co_return is_stopping();
    if (auto more = live_.may_keep_more(tenant); more.has_error())
        co_return more.error();
    idle_gate_.note_activity();
    auto place = queue_.reserve(tenant, promised_memory(spec.limits), content_bytes(spec));
    if (place.has_error())
        co_return place.error();
    auto row = row_of(spec, use_.ids.make<execution_id>(), tenant, use_.time.now_ms());
    const auto first = policy_.choose(wishes_of(spec, key.has_value(), when == answered::at_end), chances_of(row), use_.time.steady_now());
    if (first != first_record::accepted) {
        auto exec = live_.make(row, spec, {});
        exec->record.recorded = exec->record.sandbox_recorded = false;
        exec->record.end_awaited = first == first_record::ended;
        exec->log->control(event_kind::state, state_body(row));
        if (pool_.ready() > 0 && life_.begin_now(exec, *place)) {
            auto recording = run_recorded(exec, std::move(spec), {});
            co_return co_await record_begun(exec, std::move(recording));
        }
        auto permit = life_.begin_making(exec, *place);
        if (permit) {
            auto making = run_made(exec, std::move(spec), std::move(*permit));
            co_return co_await record_begun(exec, std::move(making));
        }
    }
    if (key)
        key->execution = row.id;
    auto inserting = key ? use_.stores.executions.insert_with_key(row, spec, std::move(*key), use_.rules.idempotency.most_keys_of_tenant)
                         : use_.stores.executions.insert(row, spec);
    const auto inserted = co_await std::move(inserting);
    if (inserted.has_error())
        co_return with_facts(inserted.error(), use_.rules.idempotency);
    if (live_.is_closed())    // it is recorded: the next server runs it
        co_return submission{std::move(row)};
    auto exec = live_.make(row, std::move(spec), {});
    exec->take(std::move(*place));
    row.queue_position = queue_.position_of_next(tenant, promised_memory(row.limits));
    exec->log->control(event_kind::state, state_body(row));
    live_.launch(exec, false, first_commit_patience);
    row.queue_position = queue_.position(*exec);
    co_return submission{std::move(row)};
}

/// Answers when `run` has recorded the execution, whose program runs or whose sandbox is being made.
task<result<execution_intake::submission>> execution_intake::record_begun(execution_ptr exec, task<> run)
{
    live_.run(exec, "run of " + exec->row.id.str(), std::move(run));
    const auto is_decided = [](const execution& of) { return of.record.recorded || of.record.refused || of.record.failure; };
    auto deciding = wait_until(exec, is_decided);
    co_await std::move(deciding);
    if (exec->record.failure)
        std::rethrow_exception(exec->record.failure);
    if (exec->record.refused)
        co_return *exec->record.refused;
    submission done{access_.shown(*exec)};
    if (!exec->record.sandbox_recorded)
        done.log = std::make_unique<log_reader>(exec->row.id, use_.stores.events, exec->log, log_position());
    co_return done;
}

/// Makes the sandbox, starts the program and records the execution. It is recorded without a sandbox too: that was its first attempt.
task<> execution_intake::run_made(execution_ptr exec, execution_spec spec, runtime_breakers::permit permit)
{
    result<void> made;
    try {
        auto making = life_.make_now(exec, std::move(permit));
        made = co_await std::move(making);
    } catch (const std::exception&) {    // the server stops, or has an error
        exec->record.failure = std::current_exception();
    }
    if (exec->record.failure) {
        exec->wake();
        life_.disposal().discard(exec);
        live_.leave(*exec);
        co_return;
    }
    co_await run_recorded(exec, std::move(spec), std::move(made));
}

task<result<void>> execution_intake::insert_first(execution_ptr exec, execution_spec spec, bool is_begun)
{
    // Not a coroutine: it picks the statement.
    if (is_begun) {
        auto rows = life_.record(*exec);
        return use_.stores.executions.insert_begun(std::move(rows.execution), std::move(spec), std::move(rows.sandbox));
    }
    auto row = exec->row;
    row.attempts.clear();    // recorded with their ends
    return use_.stores.executions.insert(std::move(row), std::move(spec));
}

/// Whether the program, which runs, ends so soon that the end may be the first record.
task<bool> execution_intake::ends_unrecorded(execution_ptr exec)
{
    auto end = execution_life::wait_for_exit_and_streams(exec);
    const auto heard = co_await with_deadline(use_.time, use_.time.steady_now() + first_record_patience, std::move(end));
    co_return heard.has_value() && *heard;
}

/// Carries the execution to its end, which is its first record, or to the store's refusal.
task<> execution_intake::record_end_of(execution_ptr exec)
{
    auto guarded = without_exceptions(as_result(life_.run_begun(exec)));
    const auto done = co_await std::move(guarded);
    if (done.has_error()) {
        use_.log.error("an execution broke down in the server", {{"execution_id", exec->row.id.str()}, {"what", done.error().detail}});
        if (!exec->record.recorded && !exec->record.failure)
            exec->record.refused = error{errc::internal, "the server failed; its log says why"};
        exec->phase = run_phase::ended;
        life_.disposal().discard(exec);
    }
    policy_.note(exec->record.took, use_.time.steady_now());
    exec->wake();
    live_.leave(*exec);
}

record_chances execution_intake::chances_of(const execution_row& row) const
{
    const bool has_sandbox = pool_.ready() > 0 || life_.places().creates_fast(row.runtime);
    return {has_sandbox, queue_.has_place_for(row.tenant, promised_memory(row.limits)), life_.places().takes_at_once(row.runtime)};
}

/// Records the execution, then stores its log, or both at once: no log is without a record.
task<> execution_intake::run_recorded(execution_ptr exec, execution_spec spec, result<void> begun)
{
    bool has_ended = false;
    try {
        if (exec->record.end_awaited && begun.has_value())
            has_ended = co_await ends_unrecorded(exec);
        if (!has_ended) {
            const auto asked_at = use_.time.steady_now();
            auto inserting = insert_first(exec, std::move(spec), begun.has_value());
            const auto inserted = co_await std::move(inserting);
            policy_.note(use_.time.steady_now() - asked_at, use_.time.steady_now());
            exec->record.recorded = exec->record.sandbox_recorded = inserted.has_value();
            if (inserted.has_error())
                exec->record.refused = inserted.error();
        }
    } catch (const std::exception&) {
        exec->record.failure = std::current_exception();
    }
    if (has_ended)
        co_return co_await record_end_of(exec);
    exec->wake();
    if (!exec->record.recorded) {
        life_.disposal().discard(exec);
        live_.leave(*exec);
        co_return;
    }
    exec->background.spawn("log of " + exec->row.id.str(), exec->log->run(first_commit_patience));
    auto rest = begun.has_value() ? life_.run_begun(exec) : life_.run_failed(exec, begun.error());
    co_await live_.to_its_end(exec, std::move(rest));
}

task<result<execution_intake::submission>> execution_intake::submit_once(tenant_id tenant, execution_spec spec, idempotency_claim claim)
{
    if (live_.is_closed())
        co_return is_stopping();
    const auto held = co_await keys_.enter(tenant, claim, use_.time.steady_now() + longest_key_wait);
    if (held.has_error())
        co_return held.error();
    co_return co_await submit_under_key(std::move(tenant), std::move(spec), std::move(claim));
}

task<result<std::optional<execution_intake::submission>>> execution_intake::find_submission(tenant_id tenant, idempotency_claim claim)
{
    const auto found = co_await use_.stores.executions.find_key(tenant, claim.route, claim.key);
    if (found.has_error() && found.error().code != errc::not_found)
        co_return found.error();
    const auto stored = found.has_value() ? std::optional(*found) : std::nullopt;
    const auto judged = judge_key(stored, claim, use_.time.now_ms());
    if (judged == key_verdict::other_body)
        co_return other_body(claim);
    if (judged != key_verdict::repeat)
        co_return std::nullopt;
    auto earlier = co_await access_.find(tenant, stored->execution);
    if (earlier.has_error() && earlier.error().code == errc::not_found)
        co_return erased_execution(*stored);
    if (earlier.has_error())
        co_return earlier.error();
    co_return submission{std::move(*earlier), true};
}

task<result<execution_intake::submission>> execution_intake::submit_under_key(
    tenant_id tenant, execution_spec spec, idempotency_claim claim)
{
    auto earlier = co_await find_submission(tenant, claim);
    if (earlier.has_error())
        co_return earlier.error();
    if (*earlier)
        co_return std::move(**earlier);
    const auto now_ms = use_.time.now_ms();
    idempotency_record fresh{tenant, std::move(claim), {}, now_ms, now_ms + use_.rules.idempotency.lifetime_ms};
    co_return co_await record_new(std::move(tenant), std::move(spec), std::move(fresh), answered::at_begin);
}

task<> execution_intake::forget_expired_keys()
{
    for (;;) {
        auto erasing = without_exceptions(use_.stores.executions.erase_expired_keys(use_.time.now_ms(), expired_batch));
        const auto erased = co_await std::move(erasing);
        if (erased.has_error())
            use_.log.error("expired Idempotency-Keys cannot be removed; trying again", {{"what", erased.error().detail}});
        const bool more = erased.has_value() && *erased == expired_batch;
        const std::chrono::milliseconds pause = more ? std::chrono::milliseconds(between_batches) : between_erasures;
        co_await use_.time.wait_for(pause);
    }
}

}    // namespace caisson

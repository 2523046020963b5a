#include "core/webhooks/deliverer.hpp"

#include "core/async/deadline.hpp"

#include <boost/asio/this_coro.hpp>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Polling interval without wake-ups, so that a missed wake-up only delays a delivery.
constexpr auto longest_sleep = 30s;
constexpr auto pause = 5s;    // after a failure or a full batch
/// Limit on name resolution. It may exceed the attempt's timeout; until it ends it counts against the tenant's lookups.
constexpr auto longest_lookup = 60s;
constexpr auto forget_every = 10min;
constexpr std::size_t forget_at_once = 500;

std::size_t count_of(const std::map<std::string, std::size_t>& receivers)
{
    std::size_t sum = 0;
    for (const auto& [receiver, count] : receivers)
        sum += count;
    return sum;
}

std::string what(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

bool is_cancelled(const asio::cancellation_state& state) { return state.cancelled() != asio::cancellation_type::none; }

}    // namespace

webhook_deliverer::webhook_deliverer(webhook_services use, webhook_options options)
    : use_(std::move(use)), options_(std::move(options)), changed_(use_.executor), forget_at_(use_.time.steady_now())
{
}

task<> webhook_deliverer::run()
{
    while (true) {
        std::exception_ptr failure;
        try {
            co_await work();
        } catch (...) {
            failure = std::current_exception();
        }
        const auto state = co_await asio::this_coro::cancellation_state;
        if (is_cancelled(state))
            std::rethrow_exception(failure);
        use_.log.error("webhooks cannot be looked for", {{"what", what(failure)}});
        co_await use_.time.wait_for(pause);
    }
}

task<> webhook_deliverer::work()
{
    while (true) {
        const auto seen = changed_.version();
        const auto now_ms = use_.time.now_ms();
        co_await start_due(now_ms);
        if (use_.time.steady_now() >= forget_at_)
            co_await forget_old();
        co_await sleep_past(seen, now_ms);
    }
}

task<> webhook_deliverer::start_due(std::int64_t now_ms)
{
    if (flying_.size() >= options_.max_in_flight)
        co_return;
    // Deliveries in flight are still due in the store: query enough rows to see others too.
    const auto enough = options_.max_in_flight * (options_.max_per_tenant + 1);
    webhook_query wanted{now_ms, last_, options_.max_per_receiver, options_.max_per_tenant + options_.max_per_receiver, enough};
    auto jobs = co_await use_.store.due(std::move(wanted));
    if (jobs.has_error())
        throw std::runtime_error(jobs.error().detail);
    for (auto& job : *jobs) {
        if (may_start(job))
            start(std::move(job));
    }
}

bool webhook_deliverer::may_start(const webhook_job& job) const
{
    if (flying_.size() >= options_.max_in_flight || flying_.contains(job.execution))
        return false;
    const auto lookups = looking_.find(job.tenant);
    if (lookups != looking_.end() && lookups->second.size() >= options_.max_lookups_per_tenant)
        return false;
    const auto tenant = per_receiver_.find(job.tenant);
    if (tenant == per_receiver_.end())
        return true;
    const auto receiver = tenant->second.find(job.receiver);
    const bool receiver_has_room = receiver == tenant->second.end() || receiver->second < options_.max_per_receiver;
    return receiver_has_room && count_of(tenant->second) < options_.max_per_tenant;
}

void webhook_deliverer::start(webhook_job job)
{
    flying_.insert(job.execution);
    ++per_receiver_[job.tenant][job.receiver];
    looking_[job.tenant].insert(job.execution);
    last_ = job.tenant;
    auto name = "webhook of " + job.execution.str();
    use_.tasks.spawn(std::move(name), deliver(std::move(job)));
}

/// Another attempt of the tenant can start now.
void webhook_deliverer::looked_up(const webhook_job& job)
{
    const auto lookups = looking_.find(job.tenant);
    if (lookups == looking_.end() || lookups->second.erase(job.execution) == 0)
        return;
    if (lookups->second.empty())
        looking_.erase(lookups);
    wake();
}

void webhook_deliverer::landed(const webhook_job& job)
{
    looked_up(job);
    flying_.erase(job.execution);
    auto& receivers = per_receiver_[job.tenant];
    if (--receivers[job.receiver] == 0)
        receivers.erase(job.receiver);
    if (receivers.empty())
        per_receiver_.erase(job.tenant);
    wake();
}

/// Sleeps until a wake-up after `seen`, or until a delivery is due that was not at `now_ms`.
task<> webhook_deliverer::sleep_past(std::uint64_t seen, std::int64_t now_ms)
{
    auto next = co_await use_.store.next_due(now_ms);
    if (next.has_error())
        throw std::runtime_error(next.error().detail);
    constexpr std::chrono::milliseconds longest = longest_sleep;
    const auto until = next->has_value() ? std::clamp(std::chrono::milliseconds(**next - use_.time.now_ms()), 0ms, longest) : longest;
    auto sleeping = use_.time.wait_for(until);
    co_await race(changed_.wait_past(seen), std::move(sleeping));
}

task<> webhook_deliverer::forget_old()
{
    const auto before = use_.time.now_ms() - options_.kept_for.count();
    auto erased = co_await use_.store.erase_ended(before, forget_at_once);
    if (erased.has_error())
        throw std::runtime_error(erased.error().detail);
    const bool more = *erased == forget_at_once;
    forget_at_ = use_.time.steady_now() + (more ? std::chrono::milliseconds(pause) : std::chrono::milliseconds(forget_every));
}

task<> webhook_deliverer::deliver(webhook_job job)
{
    std::exception_ptr failure;
    try {
        co_await attempt(&job);
    } catch (...) {
        failure = std::current_exception();
    }
    const auto state = co_await asio::this_coro::cancellation_state;
    if (is_cancelled(state))
        co_return;
    if (failure) {
        use_.log.error("a webhook cannot be sent", {{"execution_id", job.execution.str()}, {"what", what(failure)}});
        co_await use_.time.wait_for(pause);
    }
    landed(job);
}

task<> webhook_deliverer::attempt(const webhook_job* job)
{
    auto body = co_await use_.body(job->tenant, job->execution);
    if (body.has_error() && body.error().code == errc::not_found) {
        auto ended = job->status;
        ended.state = webhook_state::failed;
        ended.last_error = "its execution was removed";
        ended.next_attempt_at_ms.reset();
        co_return co_await insist_on_note(job->execution, std::move(ended));
    }
    if (body.has_error())
        throw std::runtime_error(body.error().detail);
    const auto id = delivery_of(job->execution);
    webhook_message message;
    message.url = job->status.url;
    message.fields = signed_fields(id.str(), use_.time.now_ms() / 1000, *body, job->secret, use_.hmac);
    message.body = std::move(*body);
    const auto answer = co_await send(job, std::move(message));
    auto now = after_attempt(job->status, answer, options_.schedule, use_.time.now_ms(), use_.draw());
    tell(*job, now);
    co_await insist_on_note(job->execution, std::move(now));
}

task<webhook_answer> webhook_deliverer::send(const webhook_job* job, webhook_message message)
{
    const auto deadline = use_.time.steady_now() + options_.timeout;
    const auto within = " within " + std::to_string(options_.timeout.count()) + " ms";
    auto looking = use_.sender.look_up(job->status.url);
    auto found = co_await with_deadline(use_.time, use_.time.steady_now() + longest_lookup, std::move(looking));
    looked_up(*job);
    webhook_answer out;
    const auto left = std::chrono::floor<std::chrono::milliseconds>(deadline - use_.time.steady_now());
    if (left.count() <= 0) {
        out.failure = "the receiver's name was not found" + within;
    } else if (found.has_error()) {
        out.failure = found.error().detail;
        out.refused = found.error().code == errc::forbidden || found.error().code == errc::bad_request;
    } else {
        out = co_await use_.sender.post(std::move(message), std::move(*found), left);
        if (out.late)
            out.failure = "the receiver did not answer" + within;
    }
    co_return out;
}

/// Retries until the outcome is stored, so that the message is not sent again.
task<> webhook_deliverer::insist_on_note(execution_id execution, webhook_status status)
{
    while (true) {
        std::exception_ptr failure;
        try {
            static_cast<void>(co_await use_.store.note(execution, status));    // errc::not_found: the execution was removed
            co_return;
        } catch (...) {
            failure = std::current_exception();
        }
        const auto state = co_await asio::this_coro::cancellation_state;
        if (is_cancelled(state))
            std::rethrow_exception(failure);
        use_.log.error("a webhook's state cannot be stored", {{"execution_id", execution.str()}, {"what", what(failure)}});
        co_await use_.time.wait_for(pause);
    }
}

void webhook_deliverer::tell(const webhook_job& job, const webhook_status& now) const
{
    const auto id = job.execution.str();
    if (now.state == webhook_state::delivered)
        use_.log.info("a webhook was delivered", {{"execution_id", id}, {"tenant_id", job.tenant.str()}, {"attempts", now.attempts}});
    else
        use_.log.warning(now.state == webhook_state::failed ? "a webhook is given up" : "a webhook was not delivered; it is tried again",
            {{"execution_id", id}, {"tenant_id", job.tenant.str()}, {"attempts", now.attempts}, {"receiver", job.receiver},
                {"what", now.last_error}});
}

}    // namespace caisson

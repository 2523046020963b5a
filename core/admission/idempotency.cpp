#include "core/admission/idempotency.hpp"

#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t max_key_bytes = 255;

}    // namespace

key_verdict judge_key(const std::optional<idempotency_record>& stored, const idempotency_claim& claim, std::int64_t now_ms)
{
    if (!stored || stored->expires_at_ms <= now_ms)
        return key_verdict::fresh;
    return stored->claim.fingerprint == claim.fingerprint ? key_verdict::repeat : key_verdict::other_body;
}

bool is_idempotency_key(std::string_view key)
{
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    return !key.empty() && key.size() <= max_key_bytes && std::ranges::all_of(key, printable);
}

idempotency_gate::hold::~hold()
{
    if (!state_)
        return;
    state_->held.erase(name_);
    state_->changed.notify_all();
}

task<> idempotency_gate::wait_free(std::shared_ptr<state> shared, name which)
{
    while (shared->held.contains(which)) {
        const auto seen = shared->changed.version();
        co_await shared->changed.wait_past(seen);
    }
}

task<result<idempotency_gate::hold>> idempotency_gate::enter(tenant_id tenant, idempotency_claim claim, steady_time until)
{
    const name which(std::move(tenant), std::move(claim.route), std::move(claim.key));
    while (state_->held.contains(which)) {    // checked again after the wait: another waiter may have taken the key
        auto free = wait_free(state_, which);
        const auto waited = co_await with_deadline(time_, until, std::move(free));
        if (waited.has_error())
            co_return error{errc::runtime_unavailable, "another request with this Idempotency-Key is being recorded; try again"};
    }
    state_->held.insert(which);
    co_return hold(state_, which);
}

}    // namespace caisson

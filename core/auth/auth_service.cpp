#include "core/auth/auth_service.hpp"

#include "core/auth/key_text.hpp"

#include <algorithm>

namespace caisson {

namespace {

error bad_field(std::string field, std::string message)
{
    std::string detail = field + ": " + message;
    return error{errc::bad_request, std::move(detail), {{std::move(field), std::move(message)}}};
}

std::optional<error> mistake_in(
    const std::string& tenant_name, const std::vector<scope>& scopes, std::optional<std::int64_t> expires_at_ms, std::int64_t now_ms)
{
    if (!is_tenant_name(tenant_name))
        return bad_field("tenant", "must be 1 to 64 letters, digits, '.', '_' or '-'");
    if (scopes.empty())
        return bad_field("scopes", "must name at least one of run, read, admin");
    if (expires_at_ms && *expires_at_ms <= now_ms)
        return bad_field("expires_at", "must be in the future");
    return std::nullopt;
}

error unknown_key() { return error{errc::unauthorized, "invalid or revoked API key; `caisson key create --tenant NAME` makes one"}; }

std::optional<error> refusal(const api_key_row& row, std::int64_t now_ms)
{
    if (row.revoked_at_ms)
        return error{errc::unauthorized, "invalid or revoked API key: it was revoked"};
    if (row.expires_at_ms && *row.expires_at_ms <= now_ms)
        return error{errc::unauthorized, "invalid or revoked API key: it expired at " + to_rfc3339(*row.expires_at_ms)};
    return std::nullopt;
}

principal principal_of(const api_key_row& row) { return {row.tenant, row.tenant_name, row.id, row.scopes}; }

}    // namespace

auth_service::auth_service(key_store& keys, const clock& time, digest_function digest, auth_options options)
    : keys_(keys), time_(time), digest_(digest), options_(options), ids_(time)
{
}

task<result<principal>> auth_service::authenticate(std::string presented)
{
    if (!is_key_text(presented))
        co_return unknown_key();
    const std::string hash = digest_(presented);
    const auto now_ms = time_.now_ms();
    if (const auto* known = remembered(hash); known != nullptr && !refusal(known->row, now_ms) && !is_use_due(*known, now_ms))
        co_return principal_of(known->row);
    auto found = co_await find(hash);
    if (found.has_error())
        co_return found.error().code == errc::not_found ? unknown_key() : found.error();
    if (auto refused = refusal(*found, time_.now_ms()))
        co_return std::move(*refused);
    co_await note_use(hash, found->id);
    co_return principal_of(*found);
}

const auth_service::entry* auth_service::remembered(const std::string& hash) const
{
    const auto cached = cache_.find(hash);
    const bool is_young = cached != cache_.end() && time_.steady_now() - cached->second.read_at < options_.cache_lifetime;
    return is_young ? &cached->second : nullptr;
}

bool auth_service::is_use_due(const entry& of, std::int64_t now_ms) const
{
    return now_ms - of.touched_at_ms >= options_.touch_interval.count();
}

task<result<api_key_row>> auth_service::find(std::string hash)
{
    if (const auto* known = remembered(hash))
        co_return known->row;
    const auto revocations_before = revocations_;
    auto read = co_await keys_.find_key(hash);
    if (read.has_error()) {
        cache_.erase(hash);
        co_return read.error();
    }
    if (revocations_ != revocations_before)    // the read may be older than the revocation
        co_return std::move(*read);
    // A new lookup: the cache may have changed during the read.
    auto& kept = cache_[hash];
    const auto touched = std::max(kept.touched_at_ms, read->last_used_at_ms.value_or(0));
    kept = entry{*read, time_.steady_now(), touched};
    make_room();
    co_return std::move(*read);
}

task<> auth_service::note_use(std::string hash, key_id id)
{
    const auto now = time_.now_ms();
    if (const auto cached = cache_.find(hash); cached != cache_.end()) {
        if (!is_use_due(cached->second, now))
            co_return;
        cached->second.touched_at_ms = now;
    }
    // A failure to store the use does not refuse the request.
    static_cast<void>(co_await keys_.touch_key(id, now));
}

void auth_service::make_room()
{
    while (cache_.size() > options_.max_cached)
        cache_.erase(std::ranges::min_element(cache_, {}, [](const auto& each) { return each.second.read_at; }));
}

task<result<issued_key>> auth_service::create_key(
    std::string tenant_name, std::vector<scope> scopes, std::optional<std::int64_t> expires_at_ms)
{
    auto text = make_key_text();
    co_return co_await adopt_key(std::move(text), std::move(tenant_name), std::move(scopes), expires_at_ms);
}

task<result<issued_key>> auth_service::adopt_key(
    secret text, std::string tenant_name, std::vector<scope> scopes, std::optional<std::int64_t> expires_at_ms)
{
    const auto now = time_.now_ms();
    if (auto mistake = mistake_in(tenant_name, scopes, expires_at_ms, now))
        co_return std::move(*mistake);
    auto fresh = ids_.make<tenant_id>();
    auto tenant = co_await keys_.ensure_tenant(tenant_name, std::move(fresh), now);
    if (tenant.has_error())
        co_return tenant.error();
    api_key_row row;
    row.id = ids_.make<key_id>();
    row.tenant = *tenant;
    row.tenant_name = std::move(tenant_name);
    row.hash = digest_(text.reveal());
    row.hint = hint_of(text.reveal());
    row.scopes = std::move(scopes);
    row.created_at_ms = now;
    row.expires_at_ms = expires_at_ms;
    auto inserted = co_await keys_.insert_key(row);
    if (inserted.has_error())
        co_return inserted.error();
    co_return issued_key{std::move(row), std::move(text)};
}

task<result<bool>> auth_service::knows(secret text)
{
    auto hash = digest_(text.reveal());
    auto found = co_await keys_.find_key(std::move(hash));
    if (found.has_error() && found.error().code != errc::not_found)
        co_return found.error();
    co_return found.has_value();
}

task<result<std::vector<api_key_row>>> auth_service::list_keys(std::optional<std::string> tenant_name)
{
    return keys_.list_keys(std::move(tenant_name));
}

task<result<bool>> auth_service::is_in_force(key_id id)
{
    const auto found = co_await keys_.find_key_by_id(std::move(id));
    if (found.has_error() && found.error().code != errc::not_found)
        co_return found.error();
    co_return found.has_value() && !refusal(*found, time_.now_ms());
}

task<result<void>> auth_service::revoke_key(key_id id)
{
    auto revoked = co_await keys_.revoke_key(id, time_.now_ms());
    ++revocations_;
    std::erase_if(cache_, [&id](const auto& each) { return each.second.row.id == id; });
    co_return revoked;
}

}    // namespace caisson

#include "core/files/url_signer.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/base/random.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace caisson {

namespace {

constexpr std::size_t secret_bytes = 32;

std::string fresh_secret()
{
    std::array<std::uint8_t, secret_bytes> bytes{};
    random_fill(bytes);
    return {bytes.begin(), bytes.end()};
}

/// Sets a flag while it lives.
class turn {
public:
    explicit turn(bool& taken) : taken_(taken) { taken_ = true; }
    ~turn() { taken_ = false; }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    bool& taken_;
};

error refused(std::string why) { return {errc::forbidden, std::move(why)}; }

}    // namespace

url_signer::url_signer(signing_key_store& keys, const clock& time, logger& log, mac_function mac, url_signer_options options)
    : store_(keys), time_(time), log_(log), mac_(mac), options_(options)
{
}

task<result<signing_key>> url_signer::current()
{
    if (find(current_) == nullptr) {
        auto made = co_await store_.current(fresh_secret(), time_.now_ms());
        if (made.has_error())
            co_return made.error();
        auto loaded = co_await reload();
        if (loaded.has_error())
            co_return loaded.error();
        current_ = made->id;
    }
    co_await rotate_if_due();
    const auto* key = find(current_);
    if (key == nullptr)
        co_return error{errc::internal, "the key that signs addresses is gone"};
    co_return *key;
}

/// A failure is only logged: the old key stays in use, so that a full disk does not block downloads.
task<> url_signer::rotate_if_due()
{
    const auto* key = find(current_);
    if (key == nullptr || rotating_ || !is_due(*key))
        co_return;
    const turn mine(rotating_);
    auto attempt = without_exceptions(rotate());
    const auto rotated = co_await std::move(attempt);
    failed_at_ms_ = rotated.has_value() ? std::nullopt : std::optional(time_.now_ms());
    if (rotated.has_error())
        log_.error("the key that signs addresses cannot be changed; trying again", {{"what", rotated.error().detail}});
}

/// Adds the new key to known_ before it erases old keys.
task<result<void>> url_signer::rotate()
{
    const auto now = time_.now_ms();
    auto made = co_await store_.rotate(fresh_secret(), now);
    if (made.has_error())
        co_return made.error();
    known_.push_back(*made);
    current_ = made->id;
    auto forgotten = co_await store_.erase_retired(now - options_.lifetime.count() - options_.rotate_every.count());
    if (forgotten.has_error())
        co_return forgotten.error();
    co_return co_await reload();
}

task<result<void>> url_signer::reload()
{
    auto all = co_await store_.list();
    if (all.has_error())
        co_return all.error();
    known_ = std::move(*all);
    co_return result<void>();
}

/// A key from too far in the future is due too: setting the clock back must not prolong a key's life.
bool url_signer::is_due(const signing_key& key) const
{
    const auto now = time_.now_ms();
    const auto waits = options_.retry_after.count();
    if (failed_at_ms_ && now >= *failed_at_ms_ && now < *failed_at_ms_ + waits)
        return false;
    const auto age = now - key.created_at_ms;
    return age >= options_.rotate_every.count() || age < -options_.rotate_every.count();
}

const signing_key* url_signer::find(std::int64_t id) const
{
    const auto found = std::ranges::find(known_, id, &signing_key::id);
    return found == known_.end() ? nullptr : &*found;
}

signed_grant url_signer::grant(const signing_key& key, std::string_view resource, tenant_id tenant) const
{
    return sign(key, mac_, resource, std::move(tenant), time_.now_ms() + options_.lifetime.count());
}

task<result<tenant_id>> url_signer::check(std::string resource, query_pairs query)
{
    const auto grant = parse_grant(query);
    if (!grant)
        co_return refused("the address is signed in a way that this server does not; read the execution again for a new one");
    if (known_.empty()) {    // the grant is from before this server's start
        auto loaded = co_await reload();
        if (loaded.has_error())
            co_return loaded.error();
    }
    const auto* key = find(grant->key);
    if (key == nullptr || !is_signed_by(*key, mac_, resource, *grant))
        co_return refused("the address is not signed by this server for this file; read the execution again for a new one");
    if (grant->expires_at_ms <= time_.now_ms())
        co_return refused("the address expired at " + to_rfc3339(grant->expires_at_ms) + "; read the execution again for a new one");
    co_return grant->tenant;
}

}    // namespace caisson

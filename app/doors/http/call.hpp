#pragma once

#include "adapters/net/exchange.hpp"
#include "adapters/net/router.hpp"
#include "app/doors/http/services.hpp"
#include "core/auth/key_watch.hpp"
#include "core/auth/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::http {

inline constexpr const char* json_type = "application/json; charset=utf-8";

/// One request being answered: its principal, its path captures and the ways to answer it. Shared by the coroutines that answer it; all of
/// them end before the exchange does.
class call {
public:
    call(net::exchange& exchange, net::route_match match) : exchange_(exchange), match_(std::move(match)) { }

    const net::request& request() const { return exchange_.request(); }
    net::exchange& exchange() { return exchange_; }

    principal who;
    const tenant_id& tenant() const { return who.tenant; }

    /// The `{id}` of the path. Errors: errc::not_found if it is malformed, as if the execution did not exist.
    result<execution_id> id() const;

    /// The decoded value of the capture `{name}`; empty if the pattern has none of that name.
    std::string_view capture(std::string_view name) const { return match_.capture(name); }

    /// Ends streamed bodies and answers when the key of `who` ends. `keys` outlives the call.
    void end_with_key(key_watch& keys) { keys_ = &keys; }
    /// The next piece of a streamed body. Errors: errc::unauthorized once the key has ended; those of net::request_body.
    task<result<shared_bytes>> read_body();
    /// Like exchange::begin_stream(), but write() fails once the key has ended, which cuts the answer.
    task<std::unique_ptr<net::stream_writer>> begin_stream(net::response head);

    /// Fields of all answers from now on, except errors.
    net::headers extra;

    task<> answer(int status, std::string json);
    task<> answer(int status, shared_bytes json);
    task<> answer(int status, std::string json, net::header_field one_more);
    /// Answers 204.
    task<> no_content();
    /// Answers with the API's error body, and with Retry-After if a later try may help.
    task<> fail(error what);
    task<> fail(error what, net::header_field one_more);
    task<> text(int status, std::string type, std::string body);

private:
    net::response refusal(const error& what);
    void guard_key();

    net::exchange& exchange_;
    net::route_match match_;
    key_watch* keys_ = nullptr;
    std::optional<key_watch::guard> key_;    // set with the first piece
};

using call_ptr = std::shared_ptr<call>;

/// A pointer to the value, or null.
template <class T>
const T* pointer_to(const std::optional<T>& value)
{
    return value ? &*value : nullptr;
}

/// The first error in `checked`, if any.
template <class... Checked>
std::optional<error> first_error(const Checked&... checked)
{
    std::optional<error> first;
    const auto look = [&first](const auto& each) {
        if (!first && each.has_error())
            first = each.error();
    };
    (look(checked), ...);
    return first;
}

}    // namespace caisson::http

#pragma once

#include "adapters/net/exchange.hpp"
#include "adapters/net/router.hpp"
#include "app/http/services.hpp"
#include "core/auth/key_watch.hpp"
#include "core/auth/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::http {

inline constexpr const char* json_type = "application/json; charset=utf-8";

/// One request on its way through the api: who sent it, what its path captured, and how it is answered. Shared by the
/// coroutines that answer it; all of them end before the exchange does.
class call {
public:
    call(net::exchange& exchange, net::route_match match) : exchange_(exchange), match_(std::move(match)) { }

    const net::request& request() const { return exchange_.request(); }
    net::exchange& exchange() { return exchange_; }

    principal who;
    const tenant_id& tenant() const { return who.tenant; }

    /// The `{id}` of the path. Errors: errc::not_found if it is malformed, as for one that does not exist.
    result<execution_id> id() const;

    /// What `{name}` of the path's pattern stands for, decoded; empty if the pattern has no such capture.
    std::string_view capture(std::string_view name) const { return match_.capture(name); }

    /// From now on what is read or sent over a while ends with the key of `who`. `keys` outlives the call.
    void end_with_key(key_watch& keys) { keys_ = &keys; }
    /// The next piece of a streamed body. Errors: errc::unauthorized when the key is over; those of net::request_body.
    task<result<shared_bytes>> read_body();
    /// As of the exchange, but that a write() after the key's end is not taken, so that the answer is cut.
    task<std::unique_ptr<net::stream_writer>> begin_stream(net::response head);

    /// Fields that every answer but an error has from now on.
    net::headers extra;

    task<> answer(int status, std::string json);
    task<> answer(int status, shared_bytes json);
    task<> answer(int status, std::string json, net::header_field one_more);
    /// 204.
    task<> no_content();
    /// The one error body, with Retry-After where a later try may help.
    task<> fail(error what);
    task<> fail(error what, net::header_field one_more);
    task<> text(int status, std::string type, std::string body);

private:
    net::response refusal(const error& what);
    void guard_key();

    net::exchange& exchange_;
    net::route_match match_;
    key_watch* keys_ = nullptr;
    std::optional<key_watch::guard> key_;    // from the first piece on
};

using call_ptr = std::shared_ptr<call>;

/// The value, or null.
template <class T>
const T* pointer_to(const std::optional<T>& value)
{
    return value ? &*value : nullptr;
}

/// The first of the errors in `checked`, if there is one.
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

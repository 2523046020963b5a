#pragma once

#include "core/base/shared_bytes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson::net {

struct header_field {
    std::string name;
    std::string value;
};

/// Header fields in order of arrival. Names are case-insensitive.
class headers {
public:
    headers() = default;
    headers(std::initializer_list<header_field> fields) : fields_(fields) { }

    /// The first value of `name`. The view is valid until the fields change.
    std::optional<std::string_view> find(std::string_view name) const;
    bool contains(std::string_view name) const { return find(name).has_value(); }
    std::size_t count(std::string_view name) const;
    /// True if a comma-separated list under `name` has `token`; case-insensitive ("Connection: keep-alive, Upgrade").
    bool has_token(std::string_view name, std::string_view token) const;

    /// Replaces all values of `name`.
    void set(std::string_view name, std::string value);
    void add(std::string_view name, std::string value) { fields_.push_back({std::string(name), std::move(value)}); }
    void erase(std::string_view name);

    void reserve(std::size_t count) { fields_.reserve(count); }
    std::size_t size() const { return fields_.size(); }
    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }

private:
    std::vector<header_field> fields_;
};

/// A request that a server received or a client will send (a client uses only method, target, fields and body).
struct request {
    std::string method;                                             // as sent, normally upper case
    std::string target;                                             // as sent, in origin form: "/path?query"
    std::string path;                                               // the part before '?', not decoded: the router decodes captures
    std::vector<std::pair<std::string, std::string>> query = {};    // decoded, in order; '+' is a space
    headers fields = {};
    std::string body = {};
    std::string peer = {};          // "127.0.0.1:51234"
    std::string request_id = {};    // the client's X-Request-Id if valid, else generated

    /// The first value of a query parameter.
    std::optional<std::string_view> query_value(std::string_view name) const;
};

struct response {
    int status = 200;
    headers fields = {};
    std::string body = {};
    shared_bytes kept_body = {};    // if not empty, sent instead of `body`: bytes shared with other responses

    std::string_view content() const { return kept_body.empty() ? std::string_view(body) : kept_body.view(); }
};

/// `text` without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text);

/// Equality that ignores the case of ASCII letters.
bool equal_no_case(std::string_view a, std::string_view b);

/// "Not Found" for 404; "Unknown" for a number without a name.
std::string_view reason_phrase(int status);

}    // namespace caisson::net

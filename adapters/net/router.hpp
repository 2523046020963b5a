#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson::net {

enum class match_kind {
    found,
    not_found,             // 404; also a captured segment with a bad percent-encoding or an encoded NUL
    method_not_allowed,    // 405 with `allow`
};

struct route_match {
    match_kind kind = match_kind::not_found;
    std::size_t route = 0;                                             // the value passed to add()
    std::vector<std::pair<std::string, std::string>> captures = {};    // name, decoded value; in pattern order
    std::string allow = {};                                            // "GET, HEAD, POST" when method_not_allowed

    /// The value of capture `name`; empty if the pattern has none.
    std::string_view capture(std::string_view name) const;
};

/// Finds the route of a method and an undecoded path. A pattern consists of segments: literals, `{name}` (one non-empty segment)
/// and, last, `{name...}` (the non-empty rest; the caller must check its dots and slashes). A literal wins over a capture unless
/// only the capture has the method. HEAD falls back to GET's route.
class router {
public:
    router();
    ~router();
    router(router&&) noexcept;
    router& operator=(router&&) noexcept;

    /// Throws std::invalid_argument for a malformed or duplicate pattern.
    void add(std::string_view method, std::string_view pattern, std::size_t route);
    route_match match(std::string_view method, std::string_view path) const;

private:
    struct node;
    std::unique_ptr<node> root_;
};

}    // namespace caisson::net

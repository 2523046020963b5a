#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// What kind of expected failure it is. Each has one slug and one HTTP status (app/wire/status.hpp).
enum class errc {
    internal,
    bad_request,
    unauthorized,
    forbidden,
    not_found,
    method_not_allowed,
    conflict,
    gone,
    too_large,
    unsupported_media_type,
    unprocessable,
    invalid_skill,        // the package is malformed or refused
    image_not_allowed,    // by the server or for the tenant
    image_unavailable,    // not on the engine, and cannot be fetched now
    rate_limited,
    quota_exceeded,
    queue_full,
    not_implemented,
    runtime_unavailable,
    timed_out,
    cancelled,
};

/// The name that the wire uses, for example "bad_request".
std::string_view slug(errc code);

/// One mistake in a request or a config: where, and what would be right.
struct field_problem {
    std::string field;      // a path such as "limits.wall_ms"
    std::string message;    // a sentence without the field's name
};

/// The numbers behind a refusal for lack of capacity, for clients that adapt their load.
struct limit_facts {
    std::string limit;    // the setting that holds the bound: "executions.max_queued"
    std::string scope;    // "tenant" or "server"
    std::int64_t value = 0;
    std::int64_t running = 0;    // in the scope; likewise `waiting`
    std::int64_t waiting = 0;
    std::int64_t retry_after_s = 1;    // when there may be capacity
};

/// An expected failure. `detail` is a sentence for people and never holds secrets or host paths of other tenants.
struct error {
    errc code = errc::internal;
    std::string detail;
    std::vector<field_problem> fields = {};
    std::optional<limit_facts> facts = {};
};

/// A value or an expected failure; the header of each function lists the codes. Broken worlds (disk, bugs) are exceptions.
template <class T = void>
using result = boost::system::result<T, error>;

/// Thrown by value() of a failed result.
class error_exception : public std::runtime_error {
public:
    explicit error_exception(error what);
    const caisson::error& error() const { return error_; }

private:
    caisson::error error_;
};

/// Found by argument-dependent lookup from boost::system::result.
[[noreturn]] void throw_exception_from_error(const error& what, const boost::source_location& where);

}    // namespace caisson

#include "core/base/error.hpp"

namespace caisson {

std::string_view slug(errc code)
{
    switch (code) {
    case errc::internal: return "internal_error";
    case errc::bad_request: return "bad_request";
    case errc::unauthorized: return "unauthorized";
    case errc::forbidden: return "forbidden";
    case errc::not_found: return "not_found";
    case errc::method_not_allowed: return "method_not_allowed";
    case errc::conflict: return "conflict";
    case errc::gone: return "gone";
    case errc::too_large: return "too_large";
    case errc::unsupported_media_type: return "unsupported_media_type";
    case errc::unprocessable: return "unprocessable";
    case errc::invalid_skill: return "invalid_skill";
    case errc::image_not_allowed: return "image_not_allowed";
    case errc::image_unavailable: return "image_unavailable";
    case errc::rate_limited: return "rate_limited";
    case errc::quota_exceeded: return "quota_exceeded";
    case errc::queue_full: return "queue_full";
    case errc::not_implemented: return "not_implemented";
    case errc::runtime_unavailable: return "runtime_unavailable";
    case errc::timed_out: return "timed_out";
    case errc::cancelled: return "cancelled";
    }
    return "internal_error";
}

error_exception::error_exception(caisson::error what)
    : std::runtime_error(std::string(slug(what.code)) + ": " + what.detail), error_(std::move(what))
{
}

void throw_exception_from_error(const error& what, const boost::source_location&) { throw error_exception(what); }

}    // namespace caisson

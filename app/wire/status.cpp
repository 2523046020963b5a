#include "app/wire/status.hpp"

namespace caisson::wire {

unsigned http_status(errc code)
{
    switch (code) {
    case errc::internal: return 500;
    case errc::bad_request: return 400;
    case errc::unauthorized: return 401;
    case errc::forbidden: return 403;
    case errc::not_found: return 404;
    case errc::method_not_allowed: return 405;
    case errc::conflict: return 409;
    case errc::gone: return 410;
    case errc::too_large: return 413;
    case errc::unsupported_media_type: return 415;
    case errc::unprocessable: return 422;
    case errc::invalid_skill: return 400;
    case errc::image_not_allowed: return 400;
    case errc::image_unavailable: return 503;
    case errc::rate_limited: return 429;
    case errc::quota_exceeded: return 429;
    case errc::queue_full: return 429;
    case errc::not_implemented: return 501;
    case errc::runtime_unavailable: return 503;
    case errc::timed_out: return 504;
    case errc::cancelled: return 503;
    }
    return 500;
}

}    // namespace caisson::wire

#pragma once

#include "app/doors/http/call.hpp"
#include "core/skills/ports.hpp"

#include <cstdint>

namespace caisson::http {

/// Bytes that a multipart body may have beside the package.
inline constexpr std::uint64_t upload_overhead_bytes = 64 << 10;

/// Checks that the Content-Type is one for packages. Errors: errc::unsupported_media_type, with the accepted types.
result<void> check_package_type(const net::request& from);

/// Writes the request's body to `to` as it arrives: the whole body, or the first field `file` of a multipart form. Errors: those of
/// request_body::read and package_upload::write; errc::bad_request for a malformed form or one without that field.
task<result<void>> receive_package(call_ptr call, std::shared_ptr<package_upload> to);

}    // namespace caisson::http

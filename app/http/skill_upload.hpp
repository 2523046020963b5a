#pragma once

#include "app/http/call.hpp"
#include "core/skills/ports.hpp"

#include <cstdint>

namespace caisson::http {

/// What a multipart body may have around the package.
inline constexpr std::uint64_t upload_overhead_bytes = 64 << 10;

/// Whether a package may come under this Content-Type. Errors: errc::unsupported_media_type with what may be sent.
result<void> check_package_type(const net::request& from);

/// Moves the request's body into `to` as it comes: the whole body, or the first field `file` of a multipart one. Errors: those of
/// request_body::read and package_upload::write; errc::bad_request for a broken form or one without that field.
task<result<void>> receive_package(call_ptr one, std::shared_ptr<package_upload> to);

}    // namespace caisson::http

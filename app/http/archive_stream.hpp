#pragma once

#include "app/http/services.hpp"
#include "core/adapters/archive/archive_writer.hpp"
#include "core/adapters/net/exchange.hpp"

namespace caisson::http {

/// Sends the artifacts of an execution as one archive, packed by the worker pool while it is sent; memory stays flat however large they
/// are. `first` is the beginning of their list, not empty. Returns false if it had to be cut: then the client sees it. `use` and
/// `out` outlive the call.
task<bool> send_archive(const api_services* use, net::stream_writer* out, std::vector<artifact_row> first, archive_format format);

/// How many artifacts are listed at once.
inline constexpr std::size_t archive_page = 200;

}    // namespace caisson::http

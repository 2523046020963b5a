#pragma once

#include "adapters/archive/archive_writer.hpp"
#include "adapters/net/exchange.hpp"
#include "core/base/log.hpp"
#include "core/files/ports.hpp"

#include <functional>
#include <vector>

namespace caisson {

class worker_pool;

}    // namespace caisson

namespace caisson::http {

/// Where the artifacts come from, and what packs them.
struct archive_source {
    artifact_store& artifacts;
    content_store& contents;
    worker_pool& work;
    logger& log;
    std::function<std::size_t()> share_bytes;    // bytes that one answer should hold at once now
};

/// Sends the artifacts of an execution as one archive; the worker pool packs while the client receives. Memory is bounded by the share and
/// the packer's own needs (archive_writer), whatever the artifacts' size. `first`: the first page of artifacts, not empty. Returns false if
/// the archive was cut, which the client sees. `out` and the references in `from` outlive the call.
task<bool> send_archive(archive_source from, net::stream_writer* out, std::vector<artifact_row> first, archive_format format);

/// Artifacts in one page of the listing.
inline constexpr std::size_t archive_page = 200;

}    // namespace caisson::http

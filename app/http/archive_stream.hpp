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

/// What an archive is made from and by.
struct archive_source {
    artifact_store& artifacts;
    content_store& contents;
    worker_pool& work;
    logger& log;
    std::function<std::size_t()> share_bytes;    // what one answer should hold at once, at present
};

/// Sends the artifacts of an execution as one archive, packed by the worker pool while it is sent. However large they are no more is
/// held than the share, and what the packing itself needs (archive_writer). `first` is the beginning of their list, not empty.
/// Returns false if it had to be cut: then the client sees it. What `from` refers to and `out` outlive the call.
task<bool> send_archive(archive_source from, net::stream_writer* out, std::vector<artifact_row> first, archive_format format);

/// How many artifacts are listed at once.
inline constexpr std::size_t archive_page = 200;

}    // namespace caisson::http

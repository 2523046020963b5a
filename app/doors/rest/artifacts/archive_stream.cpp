#include "app/doors/rest/artifacts/archive_stream.hpp"

#include "core/async/offload.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

constexpr std::size_t most_packed_bytes = 1 << 20;

/// One archive on its way to a client.
struct packing {
    archive_source from;
    net::stream_writer* out;
    archive_writer archive;

    /// Half of the share: a piece is held both as read and as packed.
    std::size_t read_bytes() const { return std::min(most_packed_bytes, from.share_bytes() / 2); }
};
using packing_ptr = std::shared_ptr<packing>;

/// Output of one step on the worker pool. `bytes` is empty on failure.
struct packed {
    std::string bytes;
    std::string failure;
};

packed taken(archive_writer& from, const result<void>& done)
{
    if (done.has_error())
        return {{}, done.error().detail};
    return {from.take(), {}};
}

task<bool> send(packing_ptr packing, task<packed> making)
{
    auto made = co_await std::move(making);
    if (!made.failure.empty()) {
        packing->from.log.error("an archive of artifacts could not be made", {{"what", made.failure}});
        co_return false;
    }
    if (made.bytes.empty())
        co_return true;
    co_return co_await packing->out->write(made.bytes);
}

/// Begins a file and packs its first bytes: a small file takes one step.
packed begin(packing_ptr packing, const artifact_row& row, const shared_bytes& bytes)
{
    auto done = packing->archive.begin_file(row.path, row.size_bytes, row.mode | 0400, row.created_at_ms);
    if (done.has_value())
        done = packing->archive.write(bytes.view());
    return taken(packing->archive, done);
}

task<bool> send_file(packing_ptr packing, artifact_row row)
{
    std::int64_t offset = 0;
    do {
        auto bytes = co_await packing->from.contents.read(row.tenant, row.content, offset, packing->read_bytes());
        if (bytes.has_error() || (bytes->empty() && offset < row.size_bytes))
            co_return false;    // deleted meanwhile
        const bool first = offset == 0;
        offset += static_cast<std::int64_t>(bytes->size());
        auto step = [packing, row, first, bytes = std::move(*bytes)] {
            return first ? begin(packing, row, bytes) : taken(packing->archive, packing->archive.write(bytes.view()));
        };
        auto making = offload(packing->from.work, std::move(step));
        const bool sent = co_await send(packing, std::move(making));
        if (!sent)
            co_return false;
    } while (offset < row.size_bytes);
    co_return true;
}

}    // namespace

task<bool> send_archive(archive_source from, net::stream_writer* out, std::vector<artifact_row> first, archive_format format)
{
    const auto work = std::make_shared<packing>(packing{std::move(from), out, archive_writer(format)});
    for (auto page = std::move(first); !page.empty();) {
        const auto last = page.back();
        for (auto& each : page) {
            const bool sent = co_await send_file(work, std::move(each));
            if (!sent)
                co_return false;
        }
        auto next = co_await work->from.artifacts.list(last.tenant, last.execution, last.path, archive_page);
        if (next.has_error())
            co_return false;
        page = std::move(*next);
    }
    auto finish = [work] { return taken(work->archive, work->archive.finish()); };
    auto making = offload(work->from.work, std::move(finish));
    co_return co_await send(work, std::move(making));
}

}    // namespace caisson::http

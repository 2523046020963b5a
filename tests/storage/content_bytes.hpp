#pragma once

#include "core/files/ports.hpp"
#include "storage/content/chunk_cutter.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::testing {

/// Bytes that do not repeat, others for each seed.
inline std::string noise(std::size_t size, std::uint32_t seed)
{
    std::string bytes(size, '\0');
    for (auto& each : bytes)
        each = static_cast<char>((seed = seed * 1'664'525 + 1'013'904'223) >> 24);
    return bytes;
}

/// Whole chunks of noise, one after the other.
inline std::string chunks_of(std::initializer_list<std::uint32_t> seeds)
{
    std::string bytes;
    for (const auto seed : seeds)
        bytes += noise(sqlite::chunk_bytes, seed);
    return bytes;
}

/// Gives `bytes` to a writer in pieces and finishes it.
inline task<result<content_info>> write_all(std::unique_ptr<content_writer> into, std::string bytes, std::size_t piece = 100'000)
{
    const shared_bytes all(std::move(bytes));
    for (std::size_t at = 0; at < all.size(); at += piece) {
        auto writing = into->write(all.slice(at, piece));
        auto written = co_await std::move(writing);
        if (written.has_error())
            co_return written.error();
    }
    co_return co_await into->finish();
}

/// Reads a content to its end in pieces.
inline task<result<std::string>> read_all(content_store* from, tenant_id tenant, content_id id, std::size_t piece = 1 << 20)
{
    std::string bytes;
    for (;;) {
        auto reading = from->read(tenant, id, static_cast<std::int64_t>(bytes.size()), piece);
        auto next = co_await std::move(reading);
        if (next.has_error())
            co_return next.error();
        if (next->empty())
            co_return bytes;
        bytes += next->view();
    }
}

}    // namespace caisson::testing

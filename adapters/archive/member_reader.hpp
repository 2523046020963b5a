#pragma once

#include "adapters/archive/archive_walk.hpp"
#include "adapters/archive/libarchive.hpp"

namespace caisson {

/// Reads the content of entries from libarchive and enforces the limits per file, in total, and by ratio.
class member_reader {
public:
    /// `archive_bytes`: packed size of the archive, for its ratio; negative: the ratio is checked elsewhere.
    member_reader(archive* handle, const package_limits& limits, std::int64_t archive_bytes, std::stop_token stop, member_sink& sink)
        : handle_(handle), limits_(limits), archive_bytes_(archive_bytes), stop_(std::move(stop)), sink_(sink)
    {
    }

    /// `packed_bytes`: packed size of the entry, for its ratio; negative: the ratio is checked elsewhere.
    result<void> read(const archive_member& member, std::int64_t packed_bytes);

private:
    result<void> skip(const archive_member& member);
    error damaged(const archive_member& member) const;
    result<void> copy(const archive_member& member, std::int64_t packed_bytes);
    result<void> check(const archive_member& member, std::int64_t read, std::int64_t packed_bytes) const;
    bool is_too_dense(std::int64_t inflated, std::int64_t packed) const;

    archive* handle_;
    const package_limits& limits_;
    std::int64_t archive_bytes_;
    std::stop_token stop_;
    member_sink& sink_;
    std::int64_t entries_ = 0;
    std::int64_t total_ = 0;
};

/// The entry as described by libarchive.
archive_member member_of(archive_entry* entry);

}    // namespace caisson

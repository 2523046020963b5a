#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace caisson::sqlite {

/// Of each page in a log, before its bytes.
inline constexpr std::size_t frame_header_bytes = 24;

/// What a write-ahead log holds, read without SQLite (sqlite.org/fileformat2.html, section 4).
struct wal_content {
    std::uint64_t bytes = 0;
    bool header_valid = false;
    std::uint32_t page_bytes = 0;
    std::uint64_t valid_frames = 0;            // an unbroken row from the beginning
    std::uint64_t commits_after_damage = 0;    // of the same log, behind the first frame that does not fit
    std::uint32_t database_pages = 0;          // after the last valid commit; 0 if there is none
    std::set<std::uint32_t> pages;             // that it holds up to the last valid commit

    bool holds_frames() const;
    /// What is wrong with it that no power cut can explain; empty if nothing is.
    std::string damage() const;
};

/// An absent file is an empty log. Throws storage_error if it cannot be read.
wal_content read_wal(const std::filesystem::path& file);

}    // namespace caisson::sqlite

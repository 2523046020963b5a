#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Bytes that are stored in chunks: a file of a run, or a skill's package. A content belongs to one record and ends with it. Equal
/// chunks of one tenant are stored once.
struct content_info {
    content_id id;
    std::string sha256;    // of all bytes, lower-case hex
    std::int64_t size_bytes = 0;
};

/// Selects the files of a run that become artifacts, and bounds them. `patterns` are relative to the working directory: `*` and `?`
/// match within one name, `**` matches any number of directories.
struct collect_spec {
    std::vector<std::string> patterns;    // empty: nothing
    std::string strip;                    // a leading directory ("out/files/") that is cut off artifacts' paths
    std::string output;                   // a file that becomes the execution's output instead of an artifact; empty: none
    std::int64_t max_files = 1'000;
    std::int64_t max_bytes = 256 << 20;         // of all files together
    std::int64_t max_file_bytes = 256 << 20;    // larger files are skipped
    std::int64_t max_depth = 32;                // directories above a file
    std::int64_t max_output_bytes = 1 << 20;    // of `output`
    bool operator==(const collect_spec&) const = default;
};

/// A file that a run produced.
struct artifact_row {
    execution_id execution;
    tenant_id tenant;
    std::string path;    // relative, with slashes, without "." and ".."
    std::int64_t size_bytes = 0;
    std::string sha256;           // lower-case hex
    std::string media_type;       // by the file name
    std::uint32_t mode = 0644;    // permission bits only
    content_id content;
    bool partial = false;    // the run failed or timed out: the file may be incomplete
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;
};

/// A file that matched but was not kept: not a regular file, too large, unreadable, beyond a limit.
struct skipped_file {
    std::string path;
    std::string reason;    // a few words for people
    bool operator==(const skipped_file&) const = default;
};

/// How the collecting of an execution went.
struct collect_summary {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
    std::vector<skipped_file> skipped;    // the first 100 of them
    std::int64_t skipped_files = 0;       // the number of all
    bool partial = false;                 // the run did not succeed
    std::string error;                    // why collecting stopped early; empty if it did not
    bool operator==(const collect_summary&) const = default;
};

/// The storage that a tenant's kept files use.
struct content_usage {
    std::int64_t artifacts = 0;
    std::int64_t artifact_bytes = 0;
    std::int64_t stored_bytes = 0;    // of chunks, each counted once; with skill packages
};

}    // namespace caisson

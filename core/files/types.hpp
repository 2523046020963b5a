#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Bytes that are kept in chunks: a file of a run, or a skill's package. Each belongs to one record, by whose removal it ends;
/// equal chunks of one tenant are stored once.
struct content_info {
    content_id id;
    std::string sha256;    // of all bytes, lower-case hex
    std::int64_t size_bytes = 0;
};

/// What is to be kept of what a run leaves behind, and how much of it. `patterns` are relative to the working directory: `*` and
/// `?` within one name, `**` over any number of directories.
struct collect_spec {
    std::vector<std::string> patterns;    // empty: nothing
    std::string strip;                    // a leading directory ("out/files/") that names of artifacts are without
    std::string output;                   // a file that is read as the execution's output, and is no artifact; empty: none
    std::int64_t max_files = 1'000;
    std::int64_t max_bytes = 256 << 20;         // of all files together
    std::int64_t max_file_bytes = 256 << 20;    // larger ones are left out
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
    std::string media_type;       // by the name
    std::uint32_t mode = 0644;    // permission bits only
    content_id content;
    bool partial = false;    // the run failed or timed out: it may not have finished this file
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
    std::vector<skipped_file> skipped;    // the first 100
    std::int64_t skipped_files = 0;       // all of them
    bool partial = false;                 // the run did not succeed
    std::string error;                    // nothing more could be collected: why; empty if it went well
    bool operator==(const collect_summary&) const = default;
};

/// What a tenant's kept files take.
struct content_usage {
    std::int64_t artifacts = 0;
    std::int64_t artifact_bytes = 0;
    std::int64_t stored_bytes = 0;    // of chunks, each counted once; with skill packages
};

}    // namespace caisson

#pragma once

#include "core/protocol/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::agent {

/// What to collect: caisson-agent --collect ROOT [--output PATH] [--max-output-bytes N] [--max-files N] [--max-bytes N]
/// [--max-file-bytes N] [--max-depth N] [--max-entries N] -- PATTERN…
struct collect_order {
    std::string root;                     // absolute
    std::vector<std::string> patterns;    // core/files/patterns.hpp
    std::string output;                   // a file below the root, sent first, not an artifact; empty: none
    std::uint64_t max_output_bytes = 0;
    std::uint64_t max_files = 0;
    std::uint64_t max_bytes = 0;         // of all files together, without the output
    std::uint64_t max_file_bytes = 0;    // larger files are skipped
    std::uint64_t max_depth = 0;         // directories above a file
    std::uint64_t max_entries = 0;       // directory entries visited
    std::int64_t deadline_us = 0;        // by monotonic_us(); 0: none
    /// A trial changes no file modes, and its result counts only if it is complete and in time.
    bool is_trial() const { return deadline_us != 0; }
};

/// Whether `request` starts this program itself with `option` as its first argument.
bool names_own_program(const protocol::spawn_request& request, std::string_view option);

/// Parses the `arguments` after --collect. False if they are invalid.
bool parse(int argc, char** arguments, collect_order& out);

}    // namespace caisson::agent

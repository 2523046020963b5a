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
    std::string output;                   // a file below the root, sent first and no artifact; empty: none
    std::uint64_t max_output_bytes = 0;
    std::uint64_t max_files = 0;
    std::uint64_t max_bytes = 0;         // of all files together, without the output
    std::uint64_t max_file_bytes = 0;    // larger ones are left out
    std::uint64_t max_depth = 0;         // directories above a file
    std::uint64_t max_entries = 0;       // of directories, that are looked at
    std::int64_t deadline_us = 0;        // of monotonic_us(); 0: none
    /// Nothing is changed then, and what does not come whole and in time is of no use.
    bool is_trial() const { return deadline_us != 0; }
};

/// Whether `request` is to start this program itself, with `option` first.
bool names_own_program(const protocol::spawn_request& request, std::string_view option);

/// `arguments` are those behind --collect. False if they are not understood.
bool parse(int argc, char** arguments, collect_order& out);

}    // namespace caisson::agent

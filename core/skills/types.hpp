#pragma once

#include "core/base/ids.hpp"
#include "core/retry/types.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// MAJOR.MINOR.PATCH with an optional pre-release, ordered as semver.org 2.0.0 says.
struct skill_version {
    std::int64_t major = 0;
    std::int64_t minor = 0;
    std::int64_t patch = 0;
    std::string pre_release;    // without the hyphen
};

/// What SKILL.md says, checked. Absent members were not said.
struct skill_manifest {
    std::string name;
    std::string version;
    std::string description;
    std::string lang;            // python, node, bash
    std::string image;           // as said
    std::string instructions;    // the text behind the front matter
    std::string mode = "executable";
    std::optional<std::int64_t> timeout_ms;
    std::string timeout_text;    // as said
    std::optional<std::int64_t> memory_bytes;
    std::string memory_text;    // as said
    std::optional<std::int64_t> cpu_milli;
    std::string cpu_text;                // as said
    std::string entrypoint;              // a file of the package, found or said: "scripts/main.py"
    std::vector<std::string> command;    // instead of the language's: argv, relative to the package
    std::map<std::string, std::string> env;
    std::optional<retry_policy> retry;
    bool idempotent = false;
    std::string input_schema;    // JSON Schema as text; empty: none
    std::string output_schema;
    std::vector<std::string> artifacts;    // patterns below out/files; empty: all
    std::string runtime;
};

/// What an archive of a skill may be at most. Counted while it is inflated, whatever its headers say.
struct package_limits {
    std::int64_t max_package_bytes = 50LL << 20;    // as uploaded
    std::int64_t max_entries = 500;                 // files, directories and system litter
    std::int64_t max_total_bytes = 50LL << 20;      // inflated
    std::int64_t max_file_bytes = 50LL << 20;
    std::int64_t max_skill_md_bytes = 1LL << 20;
    std::int64_t max_path_bytes = 512;
    std::int64_t max_depth = 16;                // names of a path
    std::int64_t max_ratio = 100;               // inflated to packed bytes, of each entry and of the whole
    std::int64_t ratio_from_bytes = 1 << 20;    // what inflates to less may have any ratio
};

/// A file of a package.
struct package_entry {
    std::string path;    // relative to the root of the skill, with slashes
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0644;    // or 0755 if it was executable
    bool operator==(const package_entry&) const = default;
};

/// What lies in an archive, without a directory that wraps everything and without system litter.
struct package_index {
    std::string format;                    // "zip" or "tar.gz"
    std::vector<package_entry> entries;    // regular files, by their paths
    std::int64_t total_bytes = 0;          // of them
    std::string wrapper;                   // the directory that was left away: "word-counter/"; empty: none
    std::optional<std::string> skill_md;
    std::vector<std::string> mistakes;    // sentences; check_package() tells them and extract_package() refuses them
};

/// One upload of a version, as it is kept. The newest of a version is what the version means; older ones stay addressable by
/// their digest.
struct skill_revision {
    tenant_id tenant;
    skill_manifest manifest;
    std::string digest;    // SHA-256 of the package as uploaded, lower-case hex
    content_id content;
    std::int64_t size_bytes = 0;
    std::int64_t files = 0;
    std::string format;    // "zip" or "tar.gz"
    std::int64_t uploaded_at_ms = 0;
    std::optional<std::int64_t> replaced_at_ms;    // by a newer upload of the same version
    bool disabled = false;                         // of the version: it is not run, and "latest" passes over it
};

/// A version in a list: what it means now.
struct skill_version_row {
    std::string name;
    std::string version;
    std::string description;
    std::string lang;
    std::string digest;
    std::int64_t uploaded_at_ms = 0;
    bool disabled = false;
};

/// Which versions a list has: those behind `after` in the order of names, then of versions as texts.
struct skill_filter {
    std::string name;    // exactly this one; empty: any
    std::string text;    // within the name or the description, ASCII letters without case; empty: any
    std::optional<std::pair<std::string, std::string>> after;
    std::size_t limit = 1'000;
};

/// The place of a revision among those of its skill: by version, then oldest first.
struct skill_revision_place {
    std::string version;
    std::int64_t uploaded_at_ms = 0;
    std::string digest;
};

/// How much a tenant may keep.
struct skill_bounds {
    std::int64_t max_skills = 10'000;
    std::int64_t max_versions = 1'000;      // of one skill
    std::int64_t max_revisions = 20;        // of one version; beyond it the oldest goes
    std::int64_t max_packages = 100'000;    // all revisions
    std::int64_t max_bytes = 10LL << 30;    // of all packages
};

/// How much a tenant keeps.
struct skill_usage {
    std::int64_t skills = 0;
    std::int64_t packages = 0;
    std::int64_t bytes = 0;
};

/// A manifest as it is kept; the counterpart throws std::exception for what the first never made.
std::string manifest_to_json(const skill_manifest& manifest);
skill_manifest manifest_from_json(std::string_view text);

}    // namespace caisson

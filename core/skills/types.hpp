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

/// MAJOR.MINOR.PATCH with an optional pre-release, ordered by semver.org 2.0.0.
struct skill_version {
    std::int64_t major = 0;
    std::int64_t minor = 0;
    std::int64_t patch = 0;
    std::string pre_release;    // without the hyphen
};

/// The checked contents of SKILL.md: one member for each field. Omitted members are empty or defaults.
struct skill_manifest {
    std::string name;
    std::string version;
    std::string description;
    std::string lang;            // python, node, bash
    std::string image;           // as given
    std::string instructions;    // the text after the front matter
    std::string mode = "executable";
    std::optional<std::int64_t> timeout_ms;
    std::string timeout_text;    // as given
    std::optional<std::int64_t> memory_bytes;
    std::string memory_text;    // as given
    std::optional<std::int64_t> cpu_milli;
    std::string cpu_text;                // as given
    std::string entrypoint;              // a file of the package, found or given: "scripts/main.py"
    std::vector<std::string> command;    // argv, relative to the package; replaces the language's own
    std::map<std::string, std::string> env;
    std::optional<retry_policy> retry;
    bool idempotent = false;
    std::string input_schema;    // JSON Schema as text; empty: none
    std::string output_schema;
    std::vector<std::string> artifacts;    // patterns below out/files; empty: all
    std::string runtime;
};

/// Limits on a skill archive. They are enforced on the inflated data, not on the sizes in its headers.
struct package_limits {
    std::int64_t max_package_bytes = 50LL << 20;    // as uploaded
    std::int64_t max_entries = 500;                 // files, directories and system litter
    std::int64_t max_total_bytes = 50LL << 20;      // inflated
    std::int64_t max_file_bytes = 50LL << 20;
    std::int64_t max_skill_md_bytes = 1LL << 20;
    std::int64_t max_path_bytes = 512;
    std::int64_t max_depth = 16;                // path components
    std::int64_t max_ratio = 100;               // inflated to packed bytes; per entry and in total
    std::int64_t ratio_from_bytes = 1 << 20;    // below this inflated size any ratio is allowed
};

/// A file of a package.
struct package_entry {
    std::string path;    // relative to the root of the skill, with slashes
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0644;    // or 0755 if executable
    bool operator==(const package_entry&) const = default;
};

/// The contents of an archive, without system litter and without a top directory that wraps everything.
struct package_index {
    std::string format;                    // "zip" or "tar.gz"
    std::vector<package_entry> entries;    // regular files, sorted by path
    std::int64_t total_bytes = 0;          // of `entries`, inflated
    std::string wrapper;                   // the top directory that was stripped: "word-counter/"; empty: none
    std::optional<std::string> skill_md;
    std::vector<std::string> mistakes;    // sentences; check_package() reports them, extract_package() fails on them
};

/// One stored upload of a version. The newest revision of a version is its current one; older revisions stay addressable by digest.
struct skill_revision {
    tenant_id tenant;
    skill_manifest manifest;
    std::string digest;    // SHA-256 of the package as uploaded, lower-case hex
    content_id content;
    std::int64_t size_bytes = 0;
    std::int64_t files = 0;
    std::string format;    // "zip" or "tar.gz"
    std::int64_t uploaded_at_ms = 0;
    std::optional<std::int64_t> replaced_at_ms;    // when a newer upload of the version replaced it
    bool disabled = false;                         // the version is not executed, and "latest" skips it
};

/// A version in a list, described by its current revision.
struct skill_version_row {
    std::string name;
    std::string version;
    std::string description;
    std::string lang;
    std::string digest;
    std::int64_t uploaded_at_ms = 0;
    bool disabled = false;
};

/// Selects versions after `after`, ordered by name, then by version as a string.
struct skill_filter {
    std::string name;    // exact match; empty: any
    std::string text;    // substring of name or description, ASCII case-insensitive; empty: any
    std::optional<std::pair<std::string, std::string>> after;
    std::size_t limit = 1'000;
};

/// The position of a revision within its skill; ordered by version, then oldest first.
struct skill_revision_place {
    std::string version;
    std::int64_t uploaded_at_ms = 0;
    std::string digest;
};

/// Storage limits of one tenant.
struct skill_bounds {
    std::int64_t max_skills = 10'000;
    std::int64_t max_versions = 1'000;      // per skill
    std::int64_t max_revisions = 20;        // per version; beyond it the oldest is removed
    std::int64_t max_packages = 100'000;    // all revisions
    std::int64_t max_bytes = 10LL << 30;    // of all packages
};

/// Storage that a tenant uses.
struct skill_usage {
    std::int64_t skills = 0;
    std::int64_t packages = 0;
    std::int64_t bytes = 0;
};

/// A manifest for storage. manifest_from_json() throws std::exception for other text.
std::string manifest_to_json(const skill_manifest& manifest);
skill_manifest manifest_from_json(std::string_view text);

}    // namespace caisson

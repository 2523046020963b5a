#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson {

/// Facts about a regular file of the host that decide whether sandboxes see a copy of it.
struct host_file {
    std::string path;           // absolute, without links
    bool is_roots;              // user 0 owns the file and all its parent directories
    bool is_for_all;            // everybody may read it and enter its parent directories
    std::uint64_t links = 1;    // number of hard links
    std::uint64_t bytes = 0;
    bool is_as_shipped = false;    // its content equals the package's
};

/// True if sandboxes may see the file. All of these must hold:
/// - root owns it, everybody may read it, and it has no second name;
/// - it has at most largest_public_file bytes;
/// - its path does not belong to the host's description or services (is_never_public);
/// - its content is as shipped by a package, so cannot contain a secret, or is generated from such files (is_generated).
bool is_public(const host_file& file);

/// Paths hidden from all sandboxes, whatever they contain: accounts, keys, the host's name, network, mounts and services.
bool is_never_public(std::string_view path);

/// Paths of files that maintainer scripts generate from packaged files: the loader's cache, public certificate authorities, TeX's and PHP's
/// settings, the time zone, dictionaries.
bool is_generated(std::string_view path);

/// Directories outside of /etc that hold only such files.
inline constexpr std::string_view public_data[] = {
    "/var/lib/texmf", "/var/lib/aspell", "/var/lib/dictionaries-common", "/var/lib/ghostscript"};

/// True if a link to `target`, a path without links, may be shown: /usr and the directories next to it are shown completely. For a link to
/// a copied file, the file's rules decide.
bool is_shown_whole(std::string_view target);

inline constexpr std::uint64_t largest_public_file = std::uint64_t{32} << 20;
inline constexpr std::uint64_t most_public_bytes = std::uint64_t{512} << 20;
inline constexpr std::size_t most_public_entries = 50'000;

}    // namespace caisson

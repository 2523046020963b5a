#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson {

/// A regular file of the host, by what decides whether sandboxes see a copy of it.
struct host_file {
    std::string path;           // absolute, with no link in it
    bool is_roots;              // user 0 owns it, and all directories on its way
    bool is_for_all;            // everybody may read it, and pass all directories on its way
    std::uint64_t links = 1;    // names that it has
    std::uint64_t bytes = 0;
    bool is_as_shipped = false;    // its bytes are those that a package shipped
};

/// Whether sandboxes may see it. All of these must hold:
/// - it is root's, readable by all, and has no second name;
/// - it is at most largest_public_file;
/// - its path is not one of what describes or runs the host (is_never_public);
/// - its bytes are as a package shipped them, so that no secret can be in them, or it is generated of such files (is_generated).
bool is_public(const host_file& file);

/// Paths that no sandbox sees, whatever they hold: accounts, keys, the host's name, network, mounts and services.
bool is_never_public(std::string_view path);

/// Files that maintainer scripts make of what packages ship, by their place: the loader's cache, public certificate authorities, TeX's and
/// PHP's settings, the time zone, dictionaries.
bool is_generated(std::string_view path);

/// Directories outside of /etc that hold such files alone.
inline constexpr std::string_view public_data[] = {
    "/var/lib/texmf", "/var/lib/aspell", "/var/lib/dictionaries-common", "/var/lib/ghostscript"};

/// Whether a link may be shown that leads to `target`, a path with no link in it: what lies in /usr, or in the directories beside it, is
/// shown whole. Links to files that are copied are judged by those.
bool is_shown_whole(std::string_view target);

inline constexpr std::uint64_t largest_public_file = std::uint64_t{32} << 20;
inline constexpr std::uint64_t most_public_bytes = std::uint64_t{512} << 20;
inline constexpr std::size_t most_public_entries = 50'000;

}    // namespace caisson

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::docker {

/// The names of package volumes and of their marks. They encode the server's instance, the tree and, in a mark, the size, so that
/// nothing else must be stored.
class package_names {
public:
    /// `instance` is the server's; `trees` is the absolute directory on this host that contains all trees.
    package_names(const std::string& instance, std::string trees);

    /// The common prefix of all names.
    const std::string& prefix() const { return prefix_; }
    /// The name of the volume for `tree`; nothing if it is not a tree of the server.
    std::optional<std::string> volume_of(const std::string& tree) const;
    /// The tree of `volume`.
    std::string tree_of(const std::string& volume) const;

private:
    std::string prefix_;
    std::string trees_;
};

/// The name of the mark, a volume that says that `volume` is whole and has `bytes` bytes as a tar.
std::string mark_of(const std::string& volume, std::int64_t bytes);

/// A parsed mark's name.
struct package_mark {
    std::string volume;        // the whole volume
    std::int64_t bytes = 0;    // its size as a tar; 0 if unreadable
};
/// Nothing if `name` is not a mark's.
std::optional<package_mark> mark_from(std::string_view name);

}    // namespace caisson::docker

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::docker {

/// Names of volumes with packages. They say whose a package is, which tree it is of, and of the volume that marks one as whole how large
/// that is, so that nothing about them needs to be stored.
class package_names {
public:
    /// `instance` is the server's; `trees` the directory of this host that all trees lie below, absolute.
    package_names(const std::string& instance, std::string trees);

    /// What the names of all of them begin with.
    const std::string& prefix() const { return prefix_; }
    /// Of the volume with what is in `tree`; nothing if that is no tree of the server's.
    std::optional<std::string> volume_of(const std::string& tree) const;
    /// The tree that `volume` is of.
    std::string tree_of(const std::string& volume) const;

private:
    std::string prefix_;
    std::string trees_;
};

/// Of the volume that says that `volume` is whole, with so many bytes as a tar.
std::string mark_of(const std::string& volume, std::int64_t bytes);

/// The name of a mark, taken apart.
struct package_mark {
    std::string volume;        // that it says is whole
    std::int64_t bytes = 0;    // of it, as a tar; 0 if that cannot be read
};
/// Nothing if `name` is no mark's.
std::optional<package_mark> mark_from(std::string_view name);

}    // namespace caisson::docker

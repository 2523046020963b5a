#pragma once

#include "tests/storage/fault_vfs.hpp"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace caisson::testing {

/// What became of what was not synced when the power went.
enum class cut_kind {
    dropped,    // nothing of it is on the disk
    kept,       // all of it is, as when only the process dies
    torn,       // any part of it is, sector by sector
};

/// Files by their names.
using disk_files = std::map<std::string, std::string>;

/// A disk as a file system without any promise keeps it: what was synced is there; what was only written may be.
class disk_image {
public:
    void apply(const disk_operation& next);
    /// Whether a cut now would lose anything.
    bool has_pending() const;
    disk_files after_cut(cut_kind how, std::mt19937_64& random) const;

private:
    static constexpr std::size_t sector_bytes = 512;
    struct file {
        std::optional<std::string> synced;    // absent: its name is not on the disk
        std::vector<disk_operation> pending;
    };
    static void apply_to(std::optional<std::string>& content, const disk_operation& what, const std::vector<bool>* sectors);
    static std::optional<std::string> after_cut(const file& from, cut_kind how, std::mt19937_64& random);

    std::map<std::string, file> files_;
};

}    // namespace caisson::testing

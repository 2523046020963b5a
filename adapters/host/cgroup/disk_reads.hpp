#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

/// Upper bounds per second for reads from each disk of the host; 0: none.
struct disk_read_limits {
    std::int64_t bytes_per_s = 0;
    std::int64_t reads_per_s = 0;

    bool any() const { return bytes_per_s > 0 || reads_per_s > 0; }
};

/// A whole disk, not a partition: the kernel bounds reads of whole disks only.
struct block_device {
    std::string name;       // "vda"; a slash in its path below /dev is written as "!"
    std::string numbers;    // "254:0": major and minor
};

/// The disks of the host, by name: entries of /sys/block with a size, except memory disks (brd, zram).
std::vector<block_device> block_devices(const std::filesystem::path& directory = "/sys/block");

/// Existing device files of `devices`.
std::vector<std::string> paths_of(const std::vector<block_device>& devices, const std::filesystem::path& directory = "/dev");

}    // namespace caisson

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

/// What may be read of each disk of the host in a second; 0: no bound.
struct disk_read_limits {
    std::int64_t bytes_per_s = 0;
    std::int64_t reads_per_s = 0;

    bool any() const { return bytes_per_s > 0 || reads_per_s > 0; }
};

/// A whole disk, not a part of one: the kernel bounds these alone.
struct block_device {
    std::string name;       // "vda"; a slash of its file below /dev is an exclamation mark here
    std::string numbers;    // "254:0": major and minor
};

/// The disks of the host, by name: those of /sys/block that hold something, without what lies in memory (brd, zram).
std::vector<block_device> block_devices(const std::filesystem::path& directory = "/sys/block");

/// Files in /dev of those that are there.
std::vector<std::string> paths_of(const std::vector<block_device>& devices, const std::filesystem::path& directory = "/dev");

}    // namespace caisson

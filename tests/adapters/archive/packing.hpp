#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Archives made by hand, right and wrong ones: every number of a header can be set.
namespace caisson::testing {

std::string little_endian(std::uint64_t value, int bytes);
std::uint32_t crc_of(std::string_view bytes);
/// Raw deflate data.
std::string deflated(std::string_view bytes);
std::string gzipped(std::string_view bytes);

/// A header of a zip; `local` and `central` are filled alike by zip_of() and may be changed on the way.
struct zip_header {
    std::string name;
    std::uint16_t made_by = 3 << 8 | 20;    // a Unix
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t crc = 0;
    std::uint32_t packed_bytes = 0;
    std::uint32_t size_bytes = 0;
    std::string extra;
    std::uint32_t mode = 0100644;
};

struct zip_entry {
    std::string name;
    std::string content;
    std::uint32_t mode = 0100644;
    bool deflate = false;
    std::string gap = {};           // bytes behind the data that belong to nobody
    std::string descriptor = {};    // behind the data
    std::function<void(zip_header& local, zip_header& central)> change = nullptr;
};

/// What lies around the entries.
struct zip_frame {
    std::string before = {};
    std::string after = {};
    std::string comment = {};
    int more_entries = 0;    // than there are, by the end record
    std::int64_t directory_shift = 0;
    bool zip64 = false;
};

std::string zip_of(const std::vector<zip_entry>& entries, const zip_frame& frame = {});

struct tar_entry {
    std::string name;
    std::string content = {};
    char type = '0';
    std::string link = {};
    std::string mode = "0000644";
    std::string size = {};    // octal; empty: that of the content
};

/// A record of a pax header.
std::string pax(std::string_view key, std::string_view value);

/// The tar alone; `end`: with its end marker.
std::string tar_of(const std::vector<tar_entry>& entries, bool end = true);

}    // namespace caisson::testing

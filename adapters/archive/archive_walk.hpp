#pragma once

#include "adapters/archive/package_file.hpp"
#include "core/skills/types.hpp"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace caisson {

/// The kind of an entry. All but files and directories are refused.
enum class member_kind { file, directory, symbolic_link, hard_link, device, fifo, socket, sparse, contradiction, unknown };

/// One entry, as described by the archive.
struct archive_member {
    std::string name;
    member_kind kind = member_kind::unknown;
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0;    // permission bits; 0 if the archive has none
};

/// Receives the entries of an archive in order.
class member_sink {
public:
    virtual ~member_sink() = default;
    /// An error ends the walk, also from the functions below.
    virtual result<void> begin(const archive_member& member) = 0;
    /// Content in order; never more than size_bytes in total.
    virtual result<void> data(std::string_view bytes) = 0;
    /// The entry is complete and valid.
    virtual result<void> end() = 0;
};

/// Walks a zip or tar.gz, inflates all of it and enforces every limit meanwhile. Errors: errc::invalid_skill, errc::too_large,
/// errc::cancelled, and those of `sink`. Throws std::system_error.
result<void> walk_zip(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink);
result<void> walk_tar_gz(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink);

}    // namespace caisson

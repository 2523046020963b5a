#pragma once

#include "adapters/archive/package_file.hpp"
#include "core/skills/types.hpp"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace caisson {

/// What an entry is. All but files and directories are for refusing.
enum class member_kind { file, directory, symbolic_link, hard_link, device, fifo, socket, sparse, contradiction, unknown };

/// One entry, as the archive has it.
struct archive_member {
    std::string name;
    member_kind kind = member_kind::unknown;
    std::int64_t size_bytes = 0;
    std::uint32_t mode = 0;    // permission bits; 0 if the archive does not say
};

/// Is told of the entries of an archive, one after the other.
class member_sink {
public:
    virtual ~member_sink() = default;
    /// Errors end the walk, as those of the next.
    virtual result<void> begin(const archive_member& member) = 0;
    /// Its bytes in order; never more than size_bytes.
    virtual result<void> data(std::string_view bytes) = 0;
    /// It is complete and right.
    virtual result<void> end() = 0;
};

/// Goes through a zip or a tar.gz, inflates all of it and holds every limit while it does. Errors: errc::invalid_skill, errc::too_large,
/// errc::cancelled, and what `sink` says. Throws std::system_error.
result<void> walk_zip(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink);
result<void> walk_tar_gz(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink);

}    // namespace caisson

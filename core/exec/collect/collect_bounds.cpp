#include "core/exec/collect/collect_bounds.hpp"

namespace caisson {

std::string collect_bounds::breach(const protocol::collected_file& file, std::size_t kept) const
{
    const auto size = static_cast<std::int64_t>(file.size);
    if (file.is_output)
        return file.path != wanted_.output ? "another output" : size > wanted_.max_output_bytes ? "a large output" : "";
    if (file.path == wanted_.output || !patterns_.takes(file.path))
        return "a file that no pattern means";
    if (static_cast<std::int64_t>(kept) >= wanted_.max_files)
        return "more files";
    if (size > wanted_.max_file_bytes || size > wanted_.max_bytes - bytes_)
        return "more bytes";
    return {};
}

std::string collect_bounds::artifact_name(const std::string& path) const
{
    const auto& strip = wanted_.strip;
    const bool stripped = !strip.empty() && path.starts_with(strip) && path.size() > strip.size();
    return stripped ? path.substr(strip.size()) : path;
}

}    // namespace caisson

#pragma once

#include "adapters/archive/archive_writer.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace caisson::testing {

using package_files = std::map<std::string, std::string>;

/// A zip of these files; those that begin with "#!" are executable.
inline std::string zip_of(const package_files& files)
{
    archive_writer archive(archive_format::zip);
    std::string bytes;
    for (const auto& [path, text] : files) {
        archive.begin_file(path, static_cast<std::int64_t>(text.size()), text.starts_with("#!") ? 0755 : 0644, 1'700'000'000'000).value();
        archive.write(text).value();
    }
    archive.finish().value();
    return archive.take();
}

inline std::string skill_md(const std::string& name, const std::string& version, const std::string& more = "")
{
    return "---\nname: " + name + "\nversion: \"" + version + "\"\ndescription: For tests\nlang: bash\n" + more + "---\nUse it.\n";
}

/// Paths below `top`, relative, in order.
inline std::string paths_below(const std::filesystem::path& top)
{
    std::map<std::string, bool> found;
    for (const auto& each : std::filesystem::recursive_directory_iterator(top))
        found[std::filesystem::relative(each.path(), top).string()] = true;
    std::string text;
    for (const auto& [path, there] : found)
        text += path + " ";
    return text;
}

}    // namespace caisson::testing

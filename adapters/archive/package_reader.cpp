#include "adapters/archive/package_reader.hpp"

#include "adapters/archive/archive_walk.hpp"
#include "adapters/archive/package_inspector.hpp"
#include "adapters/archive/tree_writer.hpp"
#include "core/skills/name_rules.hpp"

namespace caisson {

namespace {

/// Returns "zip" or "tar.gz" by the first bytes, so that no decoder of another format ever starts.
result<std::string> format_of(const package_file& file)
{
    if (file.size() == 0)
        return refused_archive("the archive is empty");
    const auto kind = archive_kind(file.read(0, archive_head_bytes));
    if (kind == "zip" || kind == "gzip")
        return std::string(kind == "zip" ? "zip" : "tar.gz");
    return refused_archive("the package is neither a zip nor a tar.gz archive" + (kind.empty() ? "" : " but " + std::string(kind)));
}

result<void> check_size(const package_file& file, const package_limits& limits)
{
    if (file.size() <= limits.max_package_bytes)
        return {};
    return error{errc::too_large, "the package has more than " + std::to_string(limits.max_package_bytes) + " bytes"};
}

result<void> walk(
    const std::string& format, const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink)
{
    return format == "zip" ? walk_zip(file, limits, std::move(stop), sink) : walk_tar_gz(file, limits, std::move(stop), sink);
}

}    // namespace

result<package_index> inspect_package(const std::filesystem::path& path, const package_limits& limits, std::stop_token stop)
{
    const package_file file(path);
    if (auto size = check_size(file, limits); size.has_error())
        return size.error();
    auto format = format_of(file);
    if (format.has_error())
        return format.error();
    package_inspector inspector(*format, limits);
    if (auto walked = walk(*format, file, limits, std::move(stop), inspector); walked.has_error())
        return walked.error();
    return inspector.take();
}

result<void> extract_package(const std::filesystem::path& path, const package_index& index, const package_limits& limits,
    const std::filesystem::path& into, std::stop_token stop)
{
    if (!index.mistakes.empty())
        return refused_archive(index.mistakes.front());
    const package_file file(path);
    if (auto size = check_size(file, limits); size.has_error())
        return size;
    const auto format = format_of(file);
    if (format.has_error())
        return format.error();
    if (*format != index.format)
        return refused_archive("the archive is not the one that was inspected");
    tree_writer writer(index, limits, into);
    auto walked = walk(*format, file, limits, std::move(stop), writer);
    return walked.has_error() ? walked : writer.finish();
}

}    // namespace caisson

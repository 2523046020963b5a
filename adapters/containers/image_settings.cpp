#include "adapters/containers/image_settings.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace caisson::docker {

namespace {

constexpr std::size_t most_volumes = 64;
constexpr std::size_t most_path_bytes = 1'024;
/// Limits of a covering directory: it holds only mount points.
constexpr std::int64_t empty_place_bytes = 64 << 10;
constexpr std::int64_t empty_place_inodes = 64;
constexpr unsigned empty_place_mode = 0555;

/// File systems of the kernel in every container.
constexpr std::string_view of_the_kernel[] = {"/proc", "/sys", "/dev"};

bool is_below(std::string_view path, std::string_view directory)
{
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

bool is_readable(std::string_view path)
{
    const auto is_odd = [](char each) { return static_cast<unsigned char>(each) < ' ' || each == '\x7f'; };
    return path.starts_with('/') && path.size() <= most_path_bytes && std::ranges::none_of(path, is_odd);
}

/// Normalizes a path as the engine does.
std::string clean(std::string_view path)
{
    auto text = std::filesystem::path(path).lexically_normal().string();
    while (text.size() > 1 && text.ends_with('/'))
        text.pop_back();
    return text;
}

error refused(const std::string& path, std::string_view why)
{
    return {errc::image_not_allowed, "the image wants a volume at \"" + path.substr(0, most_path_bytes) + "\", " + std::string(why)};
}

bool has(const container_spec& planned, const std::string& path)
{
    return std::ranges::any_of(planned.tmpfs, [&](const auto& each) { return each.path == path; }) ||
           std::ranges::any_of(planned.binds, [&](const auto& each) { return each.target == path; });
}

result<void> cover(container_spec& planned, const std::string& declared)
{
    if (!is_readable(declared))
        return refused(declared, "which is no path from the root on");
    const auto path = clean(declared);
    if (path == "/")
        return refused(declared, "which is its whole file system");
    for (const auto each : of_the_kernel)
        if (path == each || is_below(path, each))
            return refused(declared, "where only the kernel's files belong");
    if (has(planned, path))
        return {};
    for (const auto& each : planned.binds)
        if (is_below(path, each.target))
            return refused(declared, "where only the server's files belong");
    // Read-only in addition to its mode, which the mode of the image's directory may replace.
    planned.tmpfs.push_back({path, empty_place_bytes, empty_place_inodes, empty_place_mode, std::nullopt, false, true});
    return {};
}

std::string_view last_part(std::string_view repository) { return repository.substr(repository.rfind('/') + 1); }

bool is_same(const image_reference& name, const image_reference& wanted)
{
    if (!wanted.digest.empty())
        return name.digest == wanted.digest;
    return name.tag == wanted.tag && last_part(name.repository) == last_part(wanted.repository);
}

void leave_out_variables(container_spec& planned, const std::vector<std::string>& of_image)
{
    for (const auto& each : of_image) {
        auto name = each.substr(0, each.find('='));
        if (!name.empty() && name != "PATH")
            planned.environment.push_back(std::move(name));    // without a value: it is removed
    }
}

}    // namespace

result<void> leave_out_settings(container_spec& planned, const image_info& image)
{
    if (image.volumes.size() > most_volumes)
        return error{errc::image_not_allowed, "the image wants " + std::to_string(image.volumes.size()) + " volumes; at most " +
                                                  std::to_string(most_volumes) + " are kept from it"};
    for (const auto& each : image.volumes) {
        auto covered = cover(planned, each);
        if (covered.has_error())
            return covered;
    }
    leave_out_variables(planned, image.environment);
    planned.image = image.id;
    return {};
}

error is_of_another_image(const std::string& reference, const std::string& asked_for, const std::string& found)
{
    return {errc::runtime_unavailable, "the engine made a container of another image than " + reference + ": it was asked for " +
                                           asked_for + ", and the container is of \"" + found + "\""};
}

bool can_be_called(const image_info& image, std::string_view reference)
{
    const auto wanted = image_reference::parse(reference);
    if (wanted.has_error() || (image.tags.empty() && image.digests.empty()))
        return true;
    const auto is_it = [&](const std::string& text) {
        const auto name = image_reference::parse(text);
        return name.has_value() && is_same(*name, *wanted);
    };
    return std::ranges::any_of(image.tags, is_it) || std::ranges::any_of(image.digests, is_it);
}

task<result<image_info>> find_image(images* in, std::string reference, steady_time deadline)
{
    auto found = co_await in->inspect(reference, deadline);
    if (found.has_error() && found.error().code == errc::not_found)
        co_return error{errc::image_unavailable, "the engine does not have the image " + reference + ": " + found.error().detail};
    if (found.has_value() && !can_be_called(*found, reference))
        co_return error{errc::runtime_unavailable,
            "asked for the image " + reference + " the engine tells of " + found->id + ", which is not called so"};
    co_return found;
}

}    // namespace caisson::docker

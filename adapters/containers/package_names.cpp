#include "adapters/containers/package_names.hpp"

#include <algorithm>
#include <charconv>

namespace caisson::docker {

namespace {

constexpr std::string_view whole_mark = ".whole-";

bool is_plain(char each)
{
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') || each == '_' || each == '-';
}

std::optional<std::int64_t> bytes_in(std::string_view digits)
{
    std::int64_t bytes = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    if (failure != std::errc() || end != digits.data() + digits.size() || bytes < 0)
        return std::nullopt;
    return bytes;
}

}    // namespace

package_names::package_names(const std::string& instance, std::string trees)
    : prefix_("caisson-package-" + instance + "-"), trees_(std::move(trees) + "/")
{
}

/// Encodes the path below the trees, so that the name shows whether the tree still exists.
std::optional<std::string> package_names::volume_of(const std::string& tree) const
{
    if (!tree.starts_with(trees_) || tree.size() == trees_.size())
        return std::nullopt;
    auto name = tree.substr(trees_.size());
    if (!std::ranges::all_of(name, [](char each) { return is_plain(each) || each == '/'; }))
        return std::nullopt;
    std::ranges::replace(name, '/', '.');
    return prefix_ + name;
}

std::string package_names::tree_of(const std::string& volume) const
{
    auto path = volume.substr(prefix_.size());
    std::ranges::replace(path, '.', '/');
    return trees_ + path;
}

std::string mark_of(const std::string& volume, std::int64_t bytes) { return volume + std::string(whole_mark) + std::to_string(bytes); }

std::optional<package_mark> mark_from(std::string_view name)
{
    const auto at = name.rfind(whole_mark);
    if (at == std::string_view::npos)
        return std::nullopt;
    return package_mark{std::string(name.substr(0, at)), bytes_in(name.substr(at + whole_mark.size())).value_or(0)};
}

}    // namespace caisson::docker

#include "adapters/host/cgroup/cgroup_mounts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace caisson {

namespace {

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

/// mountinfo escapes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text)
{
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto is_octal = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '7'; };
        if (text[at] == '\\' && is_octal(at + 1) && is_octal(at + 2) && is_octal(at + 3)) {
            plain += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
            at += 3;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

bool is_v1_controller(const std::string& name)
{
    constexpr std::string_view known[] = {"memory", "pids", "cpu", "cpuacct", "freezer", "blkio"};
    return std::ranges::find(known, name) != std::end(known);
}

struct mount_line {
    std::string root;    // the mounted part of the hierarchy
    cgroup_mount mount;
};

std::optional<mount_line> parse_mount_line(const std::string& line)
{
    const auto dash = line.find(" - ");
    if (dash == std::string::npos)
        return std::nullopt;
    const auto place = split(std::string_view(line).substr(0, dash), ' ');
    const auto type = split(std::string_view(line).substr(dash + 3), ' ');
    if (place.size() < 6 || type.size() < 3 || (type[0] != "cgroup" && type[0] != "cgroup2"))
        return std::nullopt;
    mount_line parsed{unescape(place[3]), {.path = unescape(place[4])}};
    if (type[0] == "cgroup2")
        return parsed;
    parsed.mount.version = cgroup_version::v1;
    for (const auto& option : split(type[2], ',')) {
        if (is_v1_controller(option))
            parsed.mount.controllers.push_back(option);
    }
    if (parsed.mount.controllers.empty())
        return std::nullopt;
    return parsed;
}

/// Group by controller; v2 has the empty key.
std::map<std::string, std::string> parse_own_groups(std::string_view self_cgroup)
{
    std::map<std::string, std::string> groups;
    for (const auto& line : split(self_cgroup, '\n')) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const auto names = line.substr(first + 1, second - first - 1);
        if (names.empty())
            groups[""] = line.substr(second + 1);
        for (const auto& name : split(names, ','))
            groups[name] = line.substr(second + 1);
    }
    return groups;
}

std::string own_directory(const mount_line& line, const std::map<std::string, std::string>& groups)
{
    const auto found = groups.find(line.mount.version == cgroup_version::v2 ? "" : line.mount.controllers.front());
    if (found == groups.end() || found->second.find("/..") != std::string::npos)
        return {};
    const std::string root = line.root == "/" ? "" : line.root;
    const std::string& group = found->second;
    if (group.rfind(root, 0) != 0 || (group.size() > root.size() && group[root.size()] != '/'))
        return {};
    const auto below = group.substr(root.size());
    return below == "/" ? line.mount.path : line.mount.path + below;
}

}    // namespace

std::string mount_point_of(const std::string& line)
{
    const auto fields = split(line, ' ');
    return fields.size() < 5 ? std::string() : unescape(fields[4]);
}

std::vector<cgroup_mount> parse_cgroup_mounts(std::string_view mountinfo, std::string_view self_cgroup)
{
    const auto groups = parse_own_groups(self_cgroup);
    std::vector<cgroup_mount> mounts;
    for (const auto& line : split(mountinfo, '\n')) {
        auto parsed = parse_mount_line(line);
        if (!parsed)
            continue;
        const auto same = [&](const cgroup_mount& other) {
            return other.version == parsed->mount.version && other.controllers == parsed->mount.controllers;
        };
        if (std::ranges::any_of(mounts, same))
            continue;
        parsed->mount.own_group = own_directory(*parsed, groups);
        const auto where = parsed->mount.version == cgroup_version::v2 ? mounts.begin() : mounts.end();
        mounts.insert(where, std::move(parsed->mount));
    }
    return mounts;
}

}    // namespace caisson

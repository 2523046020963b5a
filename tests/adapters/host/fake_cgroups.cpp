#include "tests/adapters/host/fake_cgroups.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sstream>
#include <tuple>

namespace caisson::testing {

namespace {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool has_word(const std::string& words, std::string_view word)
{
    return (" " + words + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

}    // namespace

fake_cgroups::fake_cgroups(std::string mount, const std::string& controllers) : mount_(std::move(mount))
{
    groups_.insert(mount_);
    make_files(mount_, controllers);
}

void fake_cgroups::make_files(const std::string& path, const std::string& controllers)
{
    for (const char* name : {"cgroup.procs", "cgroup.subtree_control", "cgroup.kill"})
        files_[path + "/" + name] = "";
    files_[path + "/cgroup.freeze"] = "0\n";
    files_[path + "/cgroup.events"] = "frozen 0\n";
    files_[path + "/cpu.stat"] = "usage_usec 0\nuser_usec 0\n";
    if (path != mount_)
        files_[path + "/cgroup.type"] = "domain\n";
    add_controllers(path, controllers);
}

/// Files of controllers appear when the parent hands them down, also in groups that exist.
void fake_cgroups::add_controllers(const std::string& path, const std::string& controllers)
{
    files_[path + "/cgroup.controllers"] = controllers;
    const std::tuple<const char*, const char*, const char*> known[] = {{"memory", "memory.max", "max\n"},
        {"memory", "memory.swap.max", "max\n"}, {"memory", "memory.oom.group", "0\n"}, {"memory", "memory.peak", "0\n"},
        {"memory", "memory.events", "low 0\noom 0\noom_kill 0\n"}, {"pids", "pids.max", "max\n"}, {"pids", "pids.events", "max 0\n"},
        {"cpu", "cpu.max", "max 100000\n"}, {"io", "io.max", ""}};
    for (const auto& [controller, file, text] : known) {
        if (has_word(controllers, controller))
            files_.try_emplace(path + "/" + file, text);
    }
}

int fake_cgroups::make_directory(const std::string& path)
{
    if (refusals.contains(path))
        return refusals[path];
    if (!groups_.contains(parent_of(path)))
        return ENOENT;
    if (groups_.insert(path).second)
        make_files(path, files_[parent_of(path) + "/cgroup.subtree_control"]);
    return 0;
}

int fake_cgroups::remove_directory(const std::string& path)
{
    if (!groups_.contains(path))
        return 0;
    if (busy.contains(path) || !directories(path).empty() || !files_[path + "/cgroup.procs"].empty())
        return EBUSY;
    groups_.erase(path);
    std::erase_if(files_, [&](const auto& file) { return parent_of(file.first) == path; });
    return 0;
}

int fake_cgroups::enable(const std::string& group, std::string_view text)
{
    const std::string name(text.substr(1));
    if (text.starts_with('-')) {
        auto& enabled = files_[group + "/cgroup.subtree_control"];
        std::string rest;
        std::istringstream words(enabled);
        for (std::string word; words >> word;)
            rest += word == name ? "" : (rest.empty() ? "" : " ") + word;
        enabled = rest;
        return 0;
    }
    if (!has_word(files_[group + "/cgroup.controllers"], name))
        return ENOENT;
    auto type = files_.find(group + "/cgroup.type");
    const bool handed_to_threads = name == "cpu" || name == "pids";
    if (type != files_.end() && type->second != "domain\n" && !handed_to_threads)
        return EOPNOTSUPP;
    if (type != files_.end() && !files_[group + "/cgroup.procs"].empty()) {
        if (!handed_to_threads)
            return EBUSY;
        type->second = "domain threaded\n";
    }
    auto& enabled = files_[group + "/cgroup.subtree_control"];
    if (!has_word(enabled, name))
        enabled += (enabled.empty() ? "" : " ") + name;
    for (const auto& child : directories(group))
        add_controllers(group + "/" + child, enabled);
    return 0;
}

int fake_cgroups::write(const std::string& path, std::string_view text)
{
    if (refusals.contains(path))
        return refusals[path];
    if (!files_.contains(path))
        return ENOENT;
    const auto group = parent_of(path);
    if (name_of(path) == "cgroup.subtree_control")
        return enable(group, text);
    if (name_of(path) == "cgroup.procs") {
        if (files_.contains(group + "/cgroup.type") && !files_[group + "/cgroup.subtree_control"].empty())
            return EBUSY;
        const auto line = std::string(text) + "\n";
        for (auto& [file, content] : files_) {
            if (name_of(file) == "cgroup.procs" && content.find(line) != std::string::npos)
                content.erase(content.find(line), line.size());
        }
        files_[path] += line;
        return 0;
    }
    if (name_of(path) == "cgroup.kill") {
        for (auto& [file, content] : files_) {
            if (name_of(file) == "cgroup.procs" && (parent_of(file) + "/").starts_with(group + "/"))
                content.clear();
        }
    }
    if (name_of(path) == "cgroup.freeze")
        files_[group + "/cgroup.events"] = "frozen " + std::string(text) + "\n";
    files_[path] = text;
    return 0;
}

/// By what is in it or below.
int fake_cgroups::is_populated(const std::string& group) const
{
    return std::ranges::any_of(files_, [&](const auto& file) {
        return name_of(file.first) == "cgroup.procs" && !file.second.empty() && file.first.starts_with(group + "/");
    });
}

std::optional<std::string> fake_cgroups::read(const std::string& path) const
{
    const auto found = files_.find(path);
    if (found == files_.end())
        return std::nullopt;
    return name_of(path) == "cgroup.events" ? "populated " + std::to_string(is_populated(parent_of(path))) + "\n" + found->second
                                            : found->second;
}

bool fake_cgroups::exists(const std::string& path) const { return files_.contains(path) || groups_.contains(path); }

unique_fd fake_cgroups::open(const std::string& path)
{
    errno = ENOENT;
    return unique_fd(files_.contains(path) ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
}

std::vector<std::string> fake_cgroups::directories(const std::string& path) const
{
    std::vector<std::string> names;
    for (const auto& group : groups_) {
        if (parent_of(group) == path)
            names.push_back(name_of(group));
    }
    return names;
}

void fake_cgroups::add_process(const std::string& group, pid_t pid) { files_[group + "/cgroup.procs"] += std::to_string(pid) + "\n"; }

}    // namespace caisson::testing

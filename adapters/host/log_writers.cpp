#include "adapters/host/log_writers.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <optional>

namespace caisson {

namespace {

std::optional<pid_t> pid_from(const std::string& name)
{
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    return parsed.ec == std::errc() && parsed.ptr == name.data() + name.size() ? std::optional(pid) : std::nullopt;
}

std::string target_of(const std::filesystem::path& process, const char* descriptor)
{
    std::error_code failed;
    return std::filesystem::read_symlink(process / "fd" / descriptor, failed).string();
}

/// The run directories as the kernel reports them, with a trailing slash.
std::vector<std::string> tops_of(const std::vector<std::string>& run_dirs)
{
    std::vector<std::string> tops;
    std::error_code failed;
    for (const auto& each : run_dirs)
        tops.push_back(std::filesystem::weakly_canonical(each, failed).string() + "/");
    return tops;
}

/// Parses `<top><sandbox>/log`, possibly with the kernel's " (deleted)".
std::optional<sandbox_id> sandbox_of_log(const std::string& target, const std::vector<std::string>& tops)
{
    const auto top = std::ranges::find_if(tops, [&](const std::string& each) { return target.starts_with(each); });
    if (top == tops.end())
        return std::nullopt;
    const auto below = target.substr(top->size());
    const auto slash = below.find('/');
    const auto file = slash == std::string::npos ? "" : below.substr(slash);
    return file == "/log" || file == "/log (deleted)" ? sandbox_id::parse(below.substr(0, slash)) : std::nullopt;
}

}    // namespace

std::vector<log_writer> log_writers(const std::vector<std::string>& run_dirs)
{
    std::vector<log_writer> found;
    std::error_code failed;
    const auto tops = tops_of(run_dirs);
    for (std::filesystem::directory_iterator entry("/proc", failed), end; !failed && entry != end; entry.increment(failed)) {
        const auto pid = pid_from(entry->path().filename().string());
        auto sandbox = pid ? sandbox_of_log(target_of(entry->path(), "1"), tops) : std::nullopt;
        const auto held = sandbox ? process_handle::open_running(*pid) : std::nullopt;
        // Checks again while holding a pidfd: the pid may have been reused meanwhile.
        if (held && sandbox_of_log(target_of(entry->path(), "2"), tops) == sandbox && held->alive())
            found.push_back({std::move(*sandbox), held->identity()});
    }
    return found;
}

std::size_t kill_log_writers(const std::vector<std::string>& run_dirs, const sandbox_id& sandbox)
{
    std::size_t met = 0;
    for (const auto& each : log_writers(run_dirs)) {
        const auto held = each.sandbox == sandbox ? process_handle::open(each.process) : std::nullopt;
        if (!held)
            continue;
        ++met;
        held->send(SIGSTOP);    // starts no processes while its descendants are killed
        for (const pid_t below : descendants_of(each.process.pid)) {
            if (const auto child = process_handle::open_running(below))
                child->send(SIGKILL);
        }
        held->send(SIGKILL);
    }
    return met;
}

}    // namespace caisson

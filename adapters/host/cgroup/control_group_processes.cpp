#include "adapters/host/cgroup/control_group.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>

/// A group's processes and memory as the kernel shows them, killing, and removing.
namespace caisson {

std::optional<std::int64_t> control_group::memory_bytes_used() const
{
    const auto memory = with(cgroup_control::memory);
    const auto text = memory ? io_->read(memory->file("memory.usage_in_bytes", "memory.current")) : std::nullopt;
    return number_of(text.value_or(""));
}

std::set<pid_t> control_group::processes() const
{
    std::set<pid_t> found;
    for (const auto& member : members_)
        found.merge(in(member).processes());
    return found;
}

std::size_t control_group::population() const { return processes().size(); }

/// A process joins the hierarchies in order, so a process absent from the first is in none.
std::unique_ptr<cgroup_file> control_group::population_file() const
{
    if (members_.empty() || members_.front().version != cgroup_version::v2)
        return nullptr;
    return io_->open_to_read(members_.front().directory + "/cgroup.events");
}

bool control_group::is_surely_empty(const cgroup_file* population) noexcept
try {
    const auto text = population == nullptr ? std::nullopt : population->read();
    return text && number_of(*text, "populated") == 0;
} catch (const std::exception&) {
    return false;
}

bool control_group::is_surely_empty() const noexcept
try {
    return is_surely_empty(population_file().get());
} catch (const std::exception&) {
    return false;
}

bool control_group::is_known_to_be_empty() const noexcept
try {
    return !members_.empty() && std::ranges::all_of(members_, [this](const auto& each) { return in(each).is_known_to_be_empty(); });
} catch (const std::exception&) {
    return false;
}

bool control_group::kill() noexcept
try {
    if (const auto killer = with(cgroup_control::kill)) {
        // A process stopped while joining may be missing there.
        const auto all = processes();
        const bool reaches_all = std::ranges::includes(killer->processes(), all);
        if (!killer->kill().has_error() && reaches_all)
            return true;
    }
    if (processes().empty())
        return true;
    // No atomic kill: forbid forks first, so that a few passes reach all processes. Frozen ones die only once thawed.
    for (const auto& member : members_)
        if ((member.controls & cgroup_control::pids) != 0)
            in(member).forbid_forks();
    constexpr int most_passes = 50;
    bool refused = false;
    for (int pass = 0; pass < most_passes && !refused; ++pass) {
        const auto left = processes();
        for (const pid_t pid : left)
            refused = io_->kill(pid) != 0 || refused;
        thaw_all();
        if (left.empty())
            break;
    }
    return !refused;
} catch (const std::exception&) {
    return false;
}

bool control_group::try_remove(std::span<const control_group> known) noexcept
try {
    bool gone = true;
    for (const auto& each : known)
        for (const auto& member : each.members_)
            gone = io_->remove_directory(member.directory) == 0 && gone;
    for (const auto& member : members_) {
        gone = in(member).try_remove() && gone;
        if (known.empty())
            gone = in(member).try_remove_siblings() && gone;
    }
    return gone;
} catch (const std::exception&) {
    return false;
}

}    // namespace caisson

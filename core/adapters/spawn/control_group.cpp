#include "core/adapters/spawn/control_group.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <charconv>
#include <cstring>
#include <set>

namespace caisson {

namespace {

    using namespace std::chrono_literals;

    /// The number after `key` in lines of "key value"; without a key the first number.
    std::optional<std::int64_t> number_of(std::string_view text, std::string_view key = {})
    {
        while (!text.empty()) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            std::string_view value = line;
            if (!key.empty()) {
                if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ')
                    continue;
                value.remove_prefix(key.size() + 1);
            }
            std::int64_t number = 0;
            if (std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
                return number;
        }
        return std::nullopt;
    }

    /// Microseconds of quota in a period, at least the 1,000 that the kernel wants.
    struct cpu_quota {
        explicit cpu_quota(std::int64_t cpu_milli)
            : period_us(cpu_milli < 10 ? 1'000'000 : 100'000), quota_us(std::max<std::int64_t>(1'000, cpu_milli * period_us / 1'000))
        {
        }
        std::int64_t period_us;
        std::int64_t quota_us;
    };

}    // namespace

control_group control_group::child(const std::string& name) const
{
    auto members = members_;
    for (auto& member : members)
        member.directory += "/" + name;
    return {io_, std::move(members)};
}

const cgroup_member* control_group::with(unsigned what) const
{
    for (const auto& member : members_) {
        if ((member.controls & what) != 0)
            return &member;
    }
    return nullptr;
}

bool control_group::controls(unsigned what) const
{
    return with(what) != nullptr;
}

std::optional<std::string> control_group::read(unsigned what, std::string_view v1_file, std::string_view v2_file) const
{
    const auto* member = with(what);
    if (member == nullptr)
        return std::nullopt;
    return io_->read(member->directory + "/" + std::string(member->version == cgroup_version::v1 ? v1_file : v2_file));
}

result<void> control_group::write(const cgroup_member& member, const std::string& file, const std::string& text)
{
    const int failed = io_->write(member.directory + "/" + file, text);
    if (failed != 0)
        return error{errc::runtime_unavailable, "cgroup: " + file + " = " + text + ": " + std::strerror(failed)};
    return {};
}

result<void> control_group::make()
{
    for (const auto& member : members_) {
        const int failed = io_->make_directory(member.directory);
        if (failed != 0)
            return error{errc::runtime_unavailable, "cgroup: " + member.directory + ": " + std::strerror(failed)};
    }
    return {};
}

result<void> control_group::enable_children()
{
    for (const auto& member : members_) {
        if (member.version == cgroup_version::v1)
            continue;
        constexpr std::pair<unsigned, const char*> controllers[]
            = {{cgroup_control::memory, "+memory"}, {cgroup_control::pids, "+pids"}, {cgroup_control::cpu, "+cpu"}};
        for (const auto& [control, text] : controllers) {
            if ((member.controls & control) == 0)
                continue;
            auto enabled = write(member, "cgroup.subtree_control", text);
            if (enabled.has_error())
                return enabled;
        }
    }
    return {};
}

result<void> control_group::limit(const cgroup_limits& limits)
{
    if (limits.memory_bytes && controls(cgroup_control::memory)) {
        auto done = limit_memory(limits);
        if (done.has_error())
            return done;
    }
    if (limits.pids && controls(cgroup_control::pids)) {
        auto done = write(*with(cgroup_control::pids), "pids.max", std::to_string(*limits.pids));
        if (done.has_error())
            return done;
    }
    if (limits.cpu_milli && controls(cgroup_control::cpu))
        return limit_cpu(*limits.cpu_milli);
    return {};
}

result<void> control_group::limit_memory(const cgroup_limits& limits)
{
    const auto& member = *with(cgroup_control::memory);
    const auto bytes = std::to_string(*limits.memory_bytes);
    const bool v1 = member.version == cgroup_version::v1;
    auto done = write(member, v1 ? "memory.limit_in_bytes" : "memory.max", bytes);
    if (done.has_error())
        return done;
    if (!v1 && limits.group_oom) {
        done = write(member, "memory.oom.group", "1");
        if (done.has_error())
            return done;
    }
    // No swap. Kernels without swap accounting lack the file; v1 then can only be asked not to swap.
    const std::string swap_file = v1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
    if (io_->exists(member.directory + "/" + swap_file))
        return write(member, swap_file, v1 ? bytes : "0");
    if (v1)
        return write(member, "memory.swappiness", "0");
    return {};
}

result<void> control_group::limit_cpu(std::int64_t cpu_milli)
{
    const auto& member = *with(cgroup_control::cpu);
    const cpu_quota quota(cpu_milli);
    const auto period = std::to_string(quota.period_us);
    if (member.version == cgroup_version::v2)
        return write(member, "cpu.max", std::to_string(quota.quota_us) + " " + period);
    auto done = write(member, "cpu.cfs_period_us", period);
    if (done.has_error())
        return done;
    return write(member, "cpu.cfs_quota_us", std::to_string(quota.quota_us));
}

result<std::vector<unique_fd>> control_group::open_for_join() const
{
    std::vector<unique_fd> opened;
    for (const auto& member : members_) {
        opened.push_back(io_->open(member.directory + "/cgroup.procs"));
        if (!opened.back())
            return error{errc::runtime_unavailable, "cgroup: cgroup.procs: " + std::string(std::strerror(errno))};
    }
    return opened;
}

group_usage control_group::usage() const
{
    group_usage seen;
    const auto* time = with(cgroup_control::cpu_usage);
    if (const auto text = read(cgroup_control::cpu_usage, "cpuacct.usage", "cpu.stat")) {
        if (time->version == cgroup_version::v2)
            seen.cpu_us = number_of(*text, "usage_usec");
        else if (const auto nanoseconds = number_of(*text))
            seen.cpu_us = *nanoseconds / 1'000;
    }
    if (const auto text = read(cgroup_control::memory, "memory.max_usage_in_bytes", "memory.peak"))
        seen.memory_peak_bytes = number_of(*text);
    if (const auto text = read(cgroup_control::memory, "memory.oom_control", "memory.events"))
        seen.oom_kills = number_of(*text, "oom_kill").value_or(0);
    if (const auto text = read(cgroup_control::pids, "pids.peak", "pids.peak"))
        seen.pids_peak = number_of(*text);
    if (const auto text = read(cgroup_control::pids, "pids.events", "pids.events"))
        seen.pids_refused = number_of(*text, "max").value_or(0);
    return seen;
}

std::vector<pid_t> control_group::processes() const
{
    std::set<pid_t> found;
    for (const auto& member : members_) {
        std::vector<std::string> pending{member.directory};
        while (!pending.empty()) {
            const auto directory = std::move(pending.back());
            pending.pop_back();
            std::string text = io_->read(directory + "/cgroup.procs").value_or("");
            for (std::string_view rest = text; !rest.empty();) {
                const auto line = rest.substr(0, rest.find('\n'));
                rest.remove_prefix(std::min(rest.size(), line.size() + 1));
                if (const auto pid = number_of(line); pid && *pid > 0)
                    found.insert(static_cast<pid_t>(*pid));
            }
            for (const auto& name : io_->directories(directory))
                pending.push_back(directory + "/" + name);
        }
    }
    return {found.begin(), found.end()};
}

std::size_t control_group::population() const
{
    return processes().size();
}

result<void> control_group::set_frozen(bool frozen)
{
    const auto* member = with(cgroup_control::freeze);
    if (member == nullptr)
        return error{errc::not_implemented, "this host has no freezer that the server may use"};
    if (member->version == cgroup_version::v2)
        return write(*member, "cgroup.freeze", frozen ? "1" : "0");
    return write(*member, "freezer.state", frozen ? "FROZEN" : "THAWED");
}

result<void> control_group::freeze()
{
    return set_frozen(true);
}

result<void> control_group::thaw()
{
    return set_frozen(false);
}

bool control_group::frozen() const
{
    const auto* member = with(cgroup_control::freeze);
    const auto text = read(cgroup_control::freeze, "freezer.state", "cgroup.events");
    if (!text)
        return false;
    return member->version == cgroup_version::v1 ? text->starts_with("FROZEN") : number_of(*text, "frozen") == 1;
}

void control_group::kill() noexcept
try {
    if (const auto* member = with(cgroup_control::kill); member != nullptr && !write(*member, "cgroup.kill", "1").has_error())
        return;
    // No atomic kill: forbid forks first, so that few passes find all. What is frozen dies only once thawed.
    if (controls(cgroup_control::pids))
        (void)write(*with(cgroup_control::pids), "pids.max", "0");
    constexpr int most_passes = 50;
    for (int pass = 0; pass < most_passes; ++pass) {
        const auto left = processes();
        for (const pid_t pid : left)
            io_->kill(pid);
        if (controls(cgroup_control::freeze))
            (void)thaw();
        if (left.empty())
            return;
    }
} catch (const std::exception&) {
    // Out of memory: the caller looks at what is left and tries again.
}

bool control_group::try_remove() noexcept
try {
    bool gone = true;
    for (const auto& member : members_)
        gone = try_remove_directory(member.directory) && gone;
    return gone;
} catch (const std::exception&) {
    return false;
}

bool control_group::try_remove_directory(const std::string& directory)
{
    for (const auto& name : io_->directories(directory))
        try_remove_directory(directory + "/" + name);
    return io_->remove_directory(directory) == 0;
}

boost::json::array control_group::to_json() const
{
    boost::json::array array;
    for (const auto& member : members_)
        array.push_back(boost::json::object{
            {"directory", member.directory}, {"version", member.version == cgroup_version::v1 ? 1 : 2}, {"controls", member.controls}});
    return array;
}

std::optional<control_group> control_group::from_json(std::shared_ptr<cgroup_io> io, const boost::json::value& text)
try {
    std::vector<cgroup_member> members;
    for (const auto& each : text.as_array()) {
        const auto version = each.at("version").as_int64() == 1 ? cgroup_version::v1 : cgroup_version::v2;
        members.push_back({std::string(each.at("directory").as_string()), version, each.at("controls").to_number<unsigned>()});
    }
    return control_group(std::move(io), std::move(members));
} catch (const std::exception&) {
    return std::nullopt;
}

task<result<void>> remove_group(timers& time, control_group group, steady_time deadline)
{
    auto pause = 1ms;
    for (;;) {
        if (group.try_remove())
            co_return result<void>();
        if (time.steady_now() >= deadline)
            co_return error{errc::timed_out, "the kernel has not let a cgroup go"};
        group.kill();
        co_await time.wait_for(pause);
        pause = std::min(pause * 2, 50ms);
    }
}

}    // namespace caisson

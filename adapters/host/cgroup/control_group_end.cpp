#include "adapters/host/cgroup/control_group.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <functional>

/// Ending groups: freezing, killing, removing; and their JSON.
namespace caisson {

using namespace std::chrono_literals;

std::vector<std::string> control_group::directories_of(const cgroup_member& member) const
{
    std::vector<std::string> found{member.directory};
    for (const auto suffix : sibling_suffixes)
        if (auto beside = member.directory + std::string(suffix); member.is_flat && io_->exists(beside))
            found.push_back(std::move(beside));
    for (std::size_t at = 0; at < found.size(); ++at) {
        for (const auto& name : io_->directories(found[at]))
            found.push_back(found[at] + "/" + name);
    }
    return found;
}

std::set<pid_t> control_group::processes_of(const cgroup_member& member) const
{
    std::set<pid_t> found;
    for (const auto& directory : directories_of(member)) {
        const auto text = io_->read(directory + "/cgroup.procs").value_or("");
        for (std::string_view rest = text; !rest.empty();) {
            if (const auto pid = number_of(take_line(rest)); pid && *pid > 0)
                found.insert(static_cast<pid_t>(*pid));
        }
    }
    return found;
}

std::set<pid_t> control_group::processes() const
{
    std::set<pid_t> found;
    for (const auto& member : members_)
        found.merge(processes_of(member));
    return found;
}

std::size_t control_group::population() const { return processes().size(); }

result<void> control_group::set_frozen(bool frozen)
{
    const auto* member = with(cgroup_control::freeze);
    if (member == nullptr)
        return error{errc::not_implemented, "this host has no freezer that the server may use"};
    if (member->version == cgroup_version::v2)
        return write(*member, "cgroup.freeze", frozen ? "1" : "0");
    return write(*member, "freezer.state", frozen ? "FROZEN" : "THAWED");
}

result<void> control_group::freeze() { return set_frozen(true); }

result<void> control_group::thaw() { return set_frozen(false); }

bool control_group::frozen() const
{
    const auto* member = with(cgroup_control::freeze);
    const auto text = read(cgroup_control::freeze, "freezer.state", "cgroup.events");
    if (!text)
        return false;
    return member->version == cgroup_version::v1 ? text->starts_with("FROZEN") : number_of(*text, "frozen") == 1;
}

/// True if hierarchy `member` has all processes of the group: a process stopped while joining may be missing there.
bool control_group::has_all(const cgroup_member& member) const
{
    const auto all = processes();
    const auto there = processes_of(member);
    return std::ranges::includes(there, all);
}

/// A group frozen itself stays frozen when its parent is thawed.
void control_group::thaw_all()
{
    for (const auto& member : members_) {
        if ((member.controls & cgroup_control::freeze) == 0)
            continue;
        const bool v1 = member.version == cgroup_version::v1;
        for (const auto& directory : directories_of(member))
            io_->write(directory + (v1 ? "/freezer.state" : "/cgroup.freeze"), v1 ? "THAWED" : "0");
    }
}

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

bool control_group::is_known_to_be_empty(const cgroup_member& member) const
{
    if (member.version == cgroup_version::v2 && io_->exists(member.directory)) {
        const auto text = io_->read(member.directory + "/cgroup.events");
        return text && number_of(*text, "populated") == 0;
    }
    const auto directories = directories_of(member);
    return std::ranges::all_of(
        directories, [this](const std::string& each) { return io_->read(each + "/cgroup.procs") == "" || !io_->exists(each); });
}

bool control_group::is_known_to_be_empty() const noexcept
try {
    return !members_.empty() && std::ranges::all_of(members_, [this](const auto& each) { return is_known_to_be_empty(each); });
} catch (const std::exception&) {
    return false;
}

bool control_group::kill() noexcept
try {
    if (const auto* member = with(cgroup_control::kill)) {
        const bool reaches_all = has_all(*member);
        if (!write(*member, "cgroup.kill", "1").has_error() && reaches_all)
            return true;
    }
    if (processes().empty())
        return true;
    // No atomic kill: forbid forks first, so that a few passes reach all processes. Frozen ones die only once thawed.
    for (const auto& member : members_)
        if ((member.controls & cgroup_control::pids) != 0)
            for (const auto& directory : directories_of(member))
                io_->write(directory + "/pids.max", "0");
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
        gone = try_remove_directory(member.directory) && gone;
        if (member.is_flat && known.empty())
            for (const auto suffix : sibling_suffixes)
                gone = try_remove_directory(member.directory + std::string(suffix)) && gone;
    }
    return gone;
} catch (const std::exception&) {
    return false;
}

bool control_group::try_remove_directory(const std::string& directory)
{
    if (io_->remove_directory(directory) == 0)
        return true;
    for (const auto& name : io_->directories(directory))
        try_remove_directory(directory + "/" + name);
    return io_->remove_directory(directory) == 0;
}

boost::json::array control_group::to_json() const
{
    boost::json::array array;
    for (const auto& member : members_)
        array.push_back(boost::json::object{{"directory", member.directory}, {"version", member.version == cgroup_version::v1 ? 1 : 2},
            {"controls", member.controls}, {"flat", member.is_flat}});
    return array;
}

std::optional<control_group> control_group::from_json(std::shared_ptr<cgroup_io> io, const boost::json::value& text)
try {
    std::vector<cgroup_member> members;
    for (const auto& each : text.as_array()) {
        const auto version = each.at("version").as_int64() == 1 ? cgroup_version::v1 : cgroup_version::v2;
        const auto* flat = each.as_object().if_contains("flat");    // absent in records of an earlier release
        members.push_back({std::string(each.at("directory").as_string()), version, each.at("controls").to_number<unsigned>(),
            flat != nullptr && flat->as_bool()});
    }
    return control_group(std::move(io), std::move(members));
} catch (const std::exception&) {
    return std::nullopt;
}

namespace {

bool remove_or_kill(control_group& group, std::span<const control_group> known)
{
    const bool gone = group.try_remove(known);
    if (!gone)
        group.kill();
    return gone;
}

task<bool> remove_here(control_group group) { co_return remove_or_kill(group, {}); }

task<bool> remove_on(worker_pool* workers, control_group group, std::vector<control_group> known)
{
    auto work = [group = std::move(group), known = std::move(known)]() mutable { return remove_or_kill(group, known); };
    co_return co_await offload(*workers, std::move(work));
}

task<result<void>> insist_on(timers* time, std::function<task<bool>()> removal, steady_time deadline)
{
    constexpr int fewest_tries = 3;    // the first may have waited for a worker, and it only starts the kill
    auto pause = 1ms;
    for (int tries = 1;; ++tries, pause = std::min(pause * 2, 50ms)) {
        const bool gone = co_await removal();
        if (gone)
            co_return result<void>();
        if (time->steady_now() >= deadline && tries >= fewest_tries)
            co_return error{errc::timed_out, "the kernel has not let a cgroup go"};
        co_await time->wait_for(pause);
    }
}

}    // namespace

task<result<void>> remove_group(timers& time, control_group group, steady_time deadline)
{
    return insist_on(&time, [group = std::move(group)] { return remove_here(group); }, deadline);
}

task<result<void>> remove_group(
    worker_pool& workers, timers& time, control_group group, std::vector<control_group> known, steady_time deadline)
{
    auto removal = [&workers, group = std::move(group), known = std::move(known)] { return remove_on(&workers, group, known); };
    return insist_on(&time, std::move(removal), deadline);
}

}    // namespace caisson

#include "adapters/host/cgroup/control_group.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

/// The names of a group's parts, making, limiting and freezing; and its JSON.
namespace caisson {

control_group control_group::child(const std::string& name) const
{
    auto members = members_;
    for (auto& member : members)
        member.directory += "/" + name;
    return {io_, std::move(members)};
}

control_group control_group::whole() const
{
    auto members = members_;
    std::erase_if(members, [](const cgroup_member& member) { return member.is_flat; });
    return {io_, std::move(members)};
}

control_group control_group::part(std::string_view name) const
{
    auto members = members_;
    for (auto& member : members) {
        member.directory = directory_of_part(member, name);
        member.is_flat = false;
    }
    return {io_, std::move(members)};
}

control_group control_group::own_part(std::string_view name) const
{
    auto members = members_;
    std::erase_if(members, [name](const cgroup_member& member) { return !has_own_part(member, name); });
    return control_group(io_, std::move(members)).part(name);
}

result<void> control_group::make_later_programs_group(const cgroup_limits& limits) const
{
    auto members = members_;
    std::erase_if(members, [](const cgroup_member& member) { return !member.is_flat; });
    for (auto& member : members) {
        member.directory += programs_suffix;
        member.is_flat = false;
    }
    control_group all(io_, std::move(members));
    auto done = all.make();
    return done.has_error() ? done : all.limit(limits);
}

std::vector<control_group> control_group::later_program_parts() const
{
    std::set<std::string> names;
    for (const auto& member : members_)
        for (auto& name : io_->directories(member.is_flat ? member.directory + std::string(programs_suffix) : member.directory))
            if (is_later_program_part(name))
                names.insert(std::move(name));
    std::vector<control_group> found;
    for (const auto& name : names)
        found.push_back(existing_part(name));
    return found;
}

control_group control_group::existing_part(std::string_view name) const
{
    auto found = part(name);
    std::erase_if(found.members_, [this](const cgroup_member& member) { return !io_->exists(member.directory); });
    return found;
}

control_group control_group::without_siblings() const
{
    auto members = members_;
    for (auto& member : members)
        member.is_flat = false;
    return {io_, std::move(members)};
}

/// The first hierarchy with that control; nothing if none has it.
std::optional<cgroup_directory> control_group::with(unsigned what) const
{
    const auto* member = member_with(members_, what);
    return member == nullptr ? std::nullopt : std::optional(in(*member));
}

result<void> control_group::make()
{
    for (const auto& member : members_)
        if (auto done = in(member).make(); done.has_error())
            return done;
    return {};
}

result<void> control_group::enable_children()
{
    for (const auto& member : members_)
        if (auto done = in(member).enable_children(); done.has_error())
            return done;
    return {};
}

result<void> control_group::limit(const cgroup_limits& limits)
{
    if (const auto memory = with(cgroup_control::memory); memory && limits.memory_bytes) {
        auto done = memory->limit_memory(limits);
        if (done.has_error())
            return done;
    }
    if (const auto pids = with(cgroup_control::pids); pids && limits.pids) {
        auto done = pids->limit_pids(*limits.pids);
        if (done.has_error())
            return done;
    }
    const auto cpu = with(cgroup_control::cpu);
    return cpu && limits.cpu_milli ? cpu->limit_cpu(*limits.cpu_milli) : result<void>();
}

result<void> control_group::limit_disk_reads(const disk_read_limits& limits, const std::string& device)
{
    const auto disks = with(cgroup_control::disk_reads);
    if (!disks)
        return error{errc::runtime_unavailable, "cgroup: no hierarchy bounds what is read of disks"};
    return disks->limit_disk_reads(limits, device);
}

result<std::vector<unique_fd>> control_group::open_for_join() const
{
    std::vector<unique_fd> opened;
    for (const auto& member : members_) {
        auto each = in(member).open_for_join();
        if (each.has_error())
            return each.error();
        opened.push_back(std::move(*each));
    }
    return opened;
}

result<void> control_group::set_frozen(bool frozen)
{
    const auto freezer = with(cgroup_control::freeze);
    if (!freezer)
        return error{errc::not_implemented, "this host has no freezer that the server may use"};
    return freezer->set_frozen(frozen);
}

result<void> control_group::freeze() { return set_frozen(true); }

result<void> control_group::thaw() { return set_frozen(false); }

bool control_group::frozen() const
{
    const auto freezer = with(cgroup_control::freeze);
    return freezer && freezer->is_frozen();
}

/// A group frozen itself stays frozen when its parent is thawed.
void control_group::thaw_all()
{
    for (const auto& member : members_)
        if ((member.controls & cgroup_control::freeze) != 0)
            in(member).thaw_all();
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

}    // namespace caisson

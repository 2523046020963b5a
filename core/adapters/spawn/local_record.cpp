#include "core/adapters/spawn/local_record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson {

namespace json = boost::json;

namespace {

json::value process_to_json(const std::optional<process_identity>& process)
{
    if (!process)
        return nullptr;
    return json::object{{"pid", process->pid}, {"start_ticks", process->start_ticks}};
}

std::optional<process_identity> process_from_json(const json::value& text)
{
    if (text.is_null())
        return std::nullopt;
    return process_identity{text.at("pid").to_number<pid_t>(), text.at("start_ticks").to_number<std::uint64_t>()};
}

json::object limits_to_json(const sandbox_limits& limits)
{
    return {{"memory_bytes", limits.memory_bytes}, {"cpu_milli", limits.cpu_milli}, {"pids", limits.pids},
        {"disk_bytes", limits.disk_bytes}, {"inodes", limits.inodes}};
}

sandbox_limits limits_from_json(const json::value& text)
{
    const auto member = [&](const char* name) { return text.at(name).to_number<std::int64_t>(); };
    return {member("memory_bytes"), member("cpu_milli"), member("pids"), member("disk_bytes"), member("inodes")};
}

}    // namespace

std::string local_record::to_json() const
{
    json::object object{{"runtime", runtime}, {"limits", limits_to_json(limits)}, {"agent", process_to_json(agent)},
        {"monitor", process_to_json(monitor)}, {"uid", nullptr}, {"group", group.to_json()}};
    if (uid)
        object["uid"] = *uid;
    return json::serialize(object);
}

std::optional<local_record> local_record::from_json(std::shared_ptr<cgroup_io> io, std::string_view text)
try {
    const auto object = json::parse(json::string_view(text.data(), text.size()));
    auto group = control_group::from_json(std::move(io), object.at("group"));
    if (!group)
        return std::nullopt;
    local_record record;
    record.runtime = object.at("runtime").as_string();
    record.limits = limits_from_json(object.at("limits"));
    record.agent = process_from_json(object.at("agent"));
    record.monitor = process_from_json(object.at("monitor"));
    if (!object.at("uid").is_null())
        record.uid = object.at("uid").to_number<uid_t>();
    record.group = std::move(*group);
    return record;
} catch (const std::exception&) {
    return std::nullopt;
}

}    // namespace caisson

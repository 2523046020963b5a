#include "adapters/host/local_record.hpp"

#include "adapters/host/small_file.hpp"

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

json::value container_to_json(const std::optional<local_record::container>& made)
{
    if (!made)
        return nullptr;
    return json::object{{"id", made->id}, {"name", made->name}, {"image", made->image}, {"image_digest", made->image_digest},
        {"engine_pid", made->engine_pid}};
}

std::optional<local_record::container> container_from_json(const json::object& record)
{
    const auto* made = record.if_contains("container");
    if (made == nullptr || made->is_null())
        return std::nullopt;
    const auto member = [made](const char* name) { return std::string(made->at(name).as_string()); };
    return local_record::container{.id = member("id"),
        .name = member("name"),
        .image = member("image"),
        .engine_pid = made->at("engine_pid").to_number<pid_t>(),
        .image_digest = member("image_digest")};
}

sandbox_limits limits_from_json(const json::value& text)
{
    const auto member = [&](const char* name) { return text.at(name).to_number<std::int64_t>(); };
    return {member("memory_bytes"), member("cpu_milli"), member("pids"), member("disk_bytes"), member("inodes")};
}

/// Empty if the kernel does not provide it.
const std::string& this_boot()
{
    static const std::string boot = [] {
        const auto text = read_small_file("/proc/sys/kernel/random/boot_id").value_or("");
        return text.substr(0, text.find('\n'));
    }();
    return boot;
}

}    // namespace

void local_record::stamp(std::int64_t monotonic_ns)
{
    boot_id = this_boot();
    made_at_ns = monotonic_ns;
}

void local_record::stamp(steady_time now) { stamp(std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count()); }

std::optional<steady_time> local_record::made_at() const
{
    if (made_at_ns <= 0 || !is_of_this_boot())
        return std::nullopt;
    return steady_time(std::chrono::duration_cast<steady_time::duration>(std::chrono::nanoseconds(made_at_ns)));
}

bool local_record::is_of_this_boot() const { return boot_id.empty() || this_boot().empty() || boot_id == this_boot(); }

std::string local_record::to_json() const
{
    json::object object{{"runtime", runtime}, {"limits", limits_to_json(limits)}, {"agent", process_to_json(agent)},
        {"monitor", process_to_json(monitor)}, {"uid", nullptr}, {"group", group.to_json()}, {"boot", boot_id}};
    if (uid)
        object["uid"] = *uid;
    object["made_at_ns"] = made_at_ns;
    object["work_directory"] = work_directory;
    if (made_of)
        object["container"] = container_to_json(made_of);
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
    const auto& whole = object.as_object();
    if (const auto* boot = whole.if_contains("boot"))
        record.boot_id = boot->as_string();
    if (const auto* made = whole.if_contains("made_at_ns"))
        record.made_at_ns = made->to_number<std::int64_t>();
    if (const auto* work = whole.if_contains("work_directory"))
        record.work_directory = work->as_string();
    record.made_of = container_from_json(whole);
    if (!record.is_of_this_boot())
        record.agent = record.monitor = std::nullopt;    // their pids may be reused by now
    return record;
} catch (const std::exception&) {
    return std::nullopt;
}

}    // namespace caisson

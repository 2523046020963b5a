#include "app/server/left_overs.hpp"

#include "adapters/host/small_file.hpp"
#include "adapters/host/uid_allocator.hpp"
#include "app/server/host.hpp"
#include "app/server/instance_mark.hpp"
#include "app/server/probe_directory.hpp"
#include "app/server/run_place.hpp"
#include "app/server/server.hpp"

#include <boost/json/parse.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace caisson {

namespace {

using counted = result<std::size_t>;

/// True if the sandbox that owns the uid has a run directory or a group left.
bool is_left(const cgroup_tree& groups, const uid_owner& owner)
{
    std::error_code failed;
    auto places = run_place::candidates(owner.instance);
    places.push_back(owner.data_dir + "/run");
    for (const std::filesystem::path place : places)
        if (std::filesystem::exists(place / owner.sandbox.str(), failed) || failed)
            return true;
    return !groups.left_over_group(owner.instance, owner.sandbox.str()).members().empty();
}

counted sweep_uids(const cgroup_tree& groups)
{
    return sweep_uid_locks(uid_lock_directory(), [&groups](const uid_owner& owner) { return is_left(groups, owner); });
}

counted sweep_marks(const cgroup_tree& groups)
{
    std::size_t removed = 0;
    for (const auto& instance : instance_mark::unlocked()) {
        if (!groups.left_over_group(instance, "").members().empty())
            continue;
        run_place::clear(instance);
        removed += instance_mark::clear(instance) ? 1 : 0;
    }
    return removed;
}

/// True for a regular file of this user that was not modified for ten minutes.
bool is_stale(const std::filesystem::path& path)
{
    constexpr std::chrono::minutes old(10);
    struct stat seen{};
    if (::lstat(path.c_str(), &seen) != 0 || !S_ISREG(seen.st_mode) || seen.st_uid != ::geteuid())
        return false;
    return std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(seen.st_mtime) > old;
}

counted sweep_files(const std::vector<std::filesystem::path>& candidates)
{
    std::size_t removed = 0;
    for (const auto& path : candidates) {
        if (!is_stale(path))
            continue;
        if (::unlink(path.c_str()) != 0 && errno != ENOENT)
            return error{errc::internal, path.string() + ": " + std::strerror(errno)};
        ++removed;
    }
    return removed;
}

/// A chore that blocks, and so runs on a worker.
template <class Look>
sweep_chore on_worker(std::string name, worker_pool* work, Look look)
{
    return {std::move(name), [work, look] { return offload(*work, look); }};
}

task<result<void>> sweep_all_of(const host* there)
{
    result<void> outcome;
    for (auto* each : there->all()) {
        const auto ids = co_await each->left_overs();
        if (ids.has_error())
            co_return ids.error();
        for (const auto& id : *ids) {
            auto removed = co_await each->remove_left_over(id, "");
            if (removed.has_error())
                outcome = std::move(removed);
        }
    }
    co_return outcome;
}

task<counted> sweep_probes(server_config config, io_executor executor, timers* time, worker_pool* work)
{
    null_logger quiet;
    auto look = [] { return std::make_shared<std::vector<probe_directory>>(probe_directory::abandoned()); };
    const auto directories = co_await offload(*work, std::move(look));
    for (const auto& each : *directories) {
        config.data_dir = each.path();
        config.cgroup_root.clear();
        const host there(config, each.instance(), executor, *time, quiet, *work);
        auto swept = co_await sweep_all_of(&there);
        if (swept.has_error())
            co_return error{swept.error().code, each.path() + ": " + swept.error().detail};
    }
    co_return directories->size();
}

}    // namespace

std::string instance_in(const std::string& data_dir)
try {
    return std::string(boost::json::parse(read_small_file(data_dir + "/instance.json").value_or("")).at("id").as_string());
} catch (const std::exception&) {
    return {};
}

std::vector<sweep_chore> sweep_chores(
    const server_config& config, const cgroup_tree& groups, io_executor executor, timers& time, worker_pool& work)
{
    std::vector<sweep_chore> chores;
    if (::geteuid() == 0) {
        chores.push_back(on_worker("uid locks", &work, [&groups] { return sweep_uids(groups); }));
        chores.push_back(on_worker("instance marks", &work, [&groups] { return sweep_marks(groups); }));
    }
    std::vector<std::filesystem::path> files{config.data_dir / "instance.json.new", config.data_dir / "admin.key.new"};
    if (!config.ready_file.empty())
        files.push_back(std::filesystem::path(config.ready_file).concat(".new"));
    chores.push_back(on_worker("temporary files", &work, [files] { return sweep_files(files); }));
    chores.push_back({"killed probes", [config, executor, &time, &work] { return sweep_probes(config, executor, &time, &work); }});
    return chores;
}

std::vector<dead_instance> find_dead_instances(const server_config& config)
{
    std::vector<dead_instance> dead;
    if (::geteuid() != 0)
        return dead;    // it sees its own group only, which its service manager empties
    const cgroup_tree groups(std::make_shared<system_cgroup_io>(), cgroup_options_of(config, "doctor"));
    for (const auto& instance : groups.instances()) {
        const auto known = instance_mark::of(instance);
        const auto data_dir =
            known.data_dir.empty() && instance_in(config.data_dir.string()) == instance ? config.data_dir.string() : known.data_dir;
        // A stopped server that still has its data sweeps at its next start.
        if (known.alive || (!data_dir.empty() && instance_in(data_dir) == instance))
            continue;
        dead.push_back({instance, data_dir, groups.group_names(instance).size()});
    }
    return dead;
}

}    // namespace caisson

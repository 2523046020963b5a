#include "adapters/host/sandbox_traces.hpp"

#include "adapters/host/cgroup/group_removal.hpp"
#include "adapters/host/local_sandbox.hpp"
#include "adapters/host/log_writers.hpp"

#include <algorithm>
#include <iterator>

namespace caisson {

namespace {

using namespace std::chrono_literals;

std::vector<sandbox_id> ids_on_host(const std::vector<std::string>& run_dirs, const cgroup_tree& groups)
{
    std::vector<sandbox_id> ids;
    for (const auto& each : run_dirs)
        std::ranges::move(run_directory::list(each), std::back_inserter(ids));
    for (const auto& name : groups.sandbox_names()) {
        if (auto id = sandbox_id::parse(name))
            ids.push_back(std::move(*id));
    }
    for (auto& writer : log_writers(run_dirs))
        ids.push_back(std::move(writer.sandbox));
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    return ids;
}

}    // namespace

std::optional<run_directory> sandbox_traces::open_directory(const sandbox_id& id) const
{
    for (const auto& each : run_dirs_)
        if (auto found = run_directory::open(each, id))
            return found;
    return std::nullopt;
}

std::optional<local_record> sandbox_traces::parse(const std::string& text) const
{
    return local_record::from_json(services_.groups.io(), text);
}

std::optional<local_record> sandbox_traces::record_of(
    const sandbox_id& id, const std::optional<run_directory>& directory, const std::string& runtime_state) const
{
    const auto text = directory ? directory->read_state() : std::nullopt;
    auto record = text ? parse(*text) : std::nullopt;
    if (!record)
        record = parse(runtime_state);
    if (record && record->runtime != runtime_)
        return std::nullopt;
    if (!record) {
        record.emplace();
        record->runtime = runtime_;
        record->group = services_.groups.sandbox_group(id.str());
    }
    return record;
}

bool sandbox_traces::is_of_another_runtime(const sandbox_id& id) const
{
    const auto directory = open_directory(id);
    const auto text = directory ? directory->read_state() : std::nullopt;
    const auto record = text ? parse(*text) : std::nullopt;
    return record && record->runtime != runtime_;
}

task<std::vector<sandbox_id>> sandbox_traces::ids() const
{
    auto look = [run_dirs = run_dirs_, groups = &services_.groups] { return ids_on_host(run_dirs, *groups); };
    auto ids = co_await offload(services_.workers, std::move(look));
    std::erase_if(ids, [this](const auto& id) { return services_.live->contains(id) || is_of_another_runtime(id); });
    co_return ids;
}

task<result<void>> sandbox_traces::remove(local_sandbox* left) const
{
    // Includes groups that an earlier server made in hierarchies unused by this one. Frozen processes cannot die.
    auto everywhere = services_.groups.left_over_group(services_.groups.instance(), left->id().str());
    everywhere.thaw_all();
    if (!left->record().agent)
        co_await kill_unrecorded(left->id());
    auto done = co_await left->destroy();
    if (done.has_error())
        co_return done;
    const auto until = services_.time.steady_now() + 5s;
    auto removing = remove_group(services_.workers, services_.time, std::move(everywhere), {}, until);
    co_return co_await std::move(removing);
}

/// Kills processes that the server started but did not get to record.
task<> sandbox_traces::kill_unrecorded(sandbox_id id) const
{
    constexpr int most_passes = 50;
    for (int pass = 0; pass < most_passes; ++pass) {
        auto kill = [run_dirs = run_dirs_, id] { return kill_log_writers(run_dirs, id); };
        const auto met = co_await offload(services_.workers, std::move(kill));
        if (met == 0)
            co_return;
        co_await services_.time.wait_for(10ms);
    }
}

}    // namespace caisson

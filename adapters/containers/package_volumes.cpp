#include "adapters/containers/package_volumes.hpp"

#include "adapters/containers/container_plan.hpp"
#include "adapters/engine/tree_source.hpp"
#include "core/async/uncancellable.hpp"

#include <filesystem>
#include <vector>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto unpack_within = 120s;    // the time limit of unpacking a package
constexpr auto volume_call_within = 10s;
const std::string place(agent_volume_directory);    // neither an image nor the server has anything else there

bool is_there(const std::string& tree)
{
    std::error_code unknown;
    return std::filesystem::exists(tree, unknown) || unknown;
}

std::vector<std::string> names_in(const stored_packages::listing& all)
{
    std::vector<std::string> out;
    for (const auto& [name, what] : all)
        out.push_back(name);
    return out;
}

}    // namespace

package_volumes::package_volumes(io_executor executor, engine& on, logger& log, worker_pool& workers, package_volumes_options options)
    : engine_(on)
    , log_(log)
    , workers_(workers)
    , options_(std::move(options))
    , names_(options_.instance, options_.trees)
    , entries_(executor)
    , stored_(on)
{
}

task<result<std::shared_ptr<const package_use>>> package_volumes::bring(std::string tree, container_spec helper)
{
    const auto name = names_.volume_of(tree);
    if (!name)
        co_return error{errc::not_implemented, "the engine does not see this host's directories, and this is none of a package"};
    const auto found = entries_.find(*name);
    auto holding = std::make_shared<const use>(found);    // now protected from removal
    auto free = co_await entries_.wait_for_turn(engine_.time(), found);
    if (free.has_error())
        co_return free.error();
    const turn mine(found, entries_);
    entries_.note_use(*found);
    auto brought = co_await bring_now(found, std::move(tree), std::move(helper));
    if (brought.has_error())
        co_return brought.error();
    co_return holding;
}

task<result<void>> package_volumes::bring_now(entry_ptr entry, std::string tree, container_spec helper)
{
    const auto there = co_await stored_.list(entry->name);
    if (there.has_error())
        co_return there.error();
    if (const auto found = there->find(entry->name); found != there->end()) {
        if (found->second.is_whole()) {
            entry->made_at = found->second.made_at;
            entry->mark = found->second.marks.front();
            co_return result<void>();
        }
        const auto cleared = co_await clear(entry, found->second, helper);
        if (cleared.has_error())
            co_return cleared.error();
        if (*cleared == remains::whole)
            co_return result<void>();
    }
    // Not cancellable: other callers wait for it too, and its helper must be removed.
    co_return co_await uncancellable(fill(entry, std::move(tree), std::move(helper)));
}

/// A prune of unused volumes spares a mounted volume but removes its mark, which is never mounted. A volume that this server knows to be
/// whole is then marked again.
task<result<package_volumes::remains>> package_volumes::clear(entry_ptr entry, stored_package what, container_spec helper)
{
    const bool was_whole = what.marks.empty() && !entry->mark.empty() && !entry->made_at.empty() && entry->made_at == what.made_at;
    if (!was_whole) {
        const auto removed = co_await stored_.insist_on_removal(entry->name, std::move(what));
        co_return removed.has_error() ? result<remains>(removed.error()) : remains::nothing;
    }
    const auto removed = co_await stored_.remove(entry->name, std::move(what));
    if (removed.has_value())
        co_return remains::nothing;
    if (removed.error().code != errc::conflict)
        co_return removed.error();
    const auto marked = co_await uncancellable(stored_.make_empty(entry->mark, std::move(helper)));
    co_return marked.has_error() ? result<remains>(marked.error()) : remains::whole;
}

task<result<void>> package_volumes::confirm(const use* what)
{
    const auto there = co_await stored_.list(what->volume());
    if (there.has_error())
        co_return there.error();
    const auto found = there->find(what->volume());
    if (found == there->end() || !found->second.is_whole() || !what->is_of(found->second.made_at))
        co_return error{errc::runtime_unavailable, "the package's volume was removed from the engine meanwhile"};
    co_return result<void>();
}

task<result<void>> package_volumes::fill(entry_ptr entry, std::string tree, container_spec helper)
{
    entry->made_at.clear();
    entry->mark.clear();
    containers in(engine_);
    auto filling = helper;
    filling.binds = {{entry->name, place, true, true}};
    const auto made = co_await in.create(std::move(filling), engine_.time().steady_now() + unpack_within);
    if (made.has_error())
        co_return made.error();
    std::int64_t bytes = 0;
    auto done = co_await fill_through(made->id, std::move(tree), &bytes);
    const auto removed = co_await in.remove(made->id, engine_.time().steady_now() + volume_call_within);
    if (!done.has_error() && removed.has_error())
        done = removed;
    const auto mark = mark_of(entry->name, bytes);
    if (!done.has_error())
        done = co_await stored_.make_empty(mark, std::move(helper));
    if (done.has_error())
        co_await drop_half(entry);
    else
        co_await learn(entry, mark);
    co_return done;
}

task<result<void>> package_volumes::fill_through(std::string container, std::string tree, std::int64_t* bytes)
{
    auto source = co_await tree_source::open(&workers_, std::move(tree));
    if (source.has_error())
        co_return source.error();
    *bytes = static_cast<std::int64_t>((*source)->size_bytes());
    auto room = co_await make_room(*bytes);
    if (room.has_error())
        co_return room;
    containers in(engine_);
    co_return co_await in.put_archive(std::move(container), place, source->get(), engine_.time().steady_now() + unpack_within);
}

/// Records the volume's creation time and mark. If the engine does not answer, the next bring() asks again.
task<> package_volumes::learn(entry_ptr entry, std::string mark)
{
    const auto there = co_await stored_.list(entry->name);
    if (there.has_error() || !there->contains(entry->name))
        co_return;
    entry->made_at = there->at(entry->name).made_at;
    entry->mark = std::move(mark);
}

task<> package_volumes::drop_half(entry_ptr entry)
{
    stored_package half{.filled = true};
    const auto dropped = co_await stored_.remove(entry->name, std::move(half));
    if (dropped.has_error())
        log_.warning("a package's volume is half filled", {{"volume", entry->name}, {"what", dropped.error().detail}});
}

/// Removes volumes that this server has not used yet, then the least recently used.
task<result<void>> package_volumes::make_room(std::int64_t bytes)
{
    auto there = co_await stored_.list(names_.prefix());
    if (there.has_error())
        co_return there.error();
    for (const auto& [name, what] : *there)
        bytes += what.bytes;
    auto count = there->size();
    for (const auto& each : entries_.idle(names_in(*there))) {
        if (bytes <= options_.max_bytes && count <= options_.max_volumes)
            break;
        if (!each->is_idle())
            continue;    // in use since the list was made
        const turn mine(each, entries_);
        const auto removed = co_await stored_.remove(each->name, there->at(each->name));
        if (removed.has_error())
            continue;    // a container uses it
        bytes -= there->at(each->name).bytes;
        --count;
        entries_.forget(each);
    }
    co_return result<void>();
}

task<result<std::size_t>> package_volumes::sweep()
{
    const auto there = co_await stored_.list(names_.prefix());
    if (there.has_error())
        co_return there.error();
    std::size_t count = 0;
    for (const auto& [name, what] : *there) {
        auto look = [tree = names_.tree_of(name)] { return is_there(tree); };
        const bool wanted = co_await offload(workers_, std::move(look));
        const auto found = entries_.find(name);
        if (!found->is_idle() || (wanted && what.is_whole()))
            continue;
        const turn mine(found, entries_);
        const auto removed = co_await stored_.remove(name, what);
        if (removed.has_error() && removed.error().code != errc::conflict)
            co_return removed.error();
        if (removed.has_value()) {
            ++count;
            entries_.forget(found);
        }
    }
    co_return count;
}

}    // namespace caisson::docker

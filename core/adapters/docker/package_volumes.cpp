#include "core/adapters/docker/package_volumes.hpp"

#include "core/adapters/docker/container_plan.hpp"
#include "core/adapters/docker/tree_source.hpp"
#include "core/adapters/docker/volumes.hpp"
#include "core/async/deadline.hpp"
#include "core/async/undisturbed.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto call_within = 10s;
constexpr auto fill_within = 120s;      // as long as a package may take to be unpacked
constexpr auto turn_within = 150s;      // of somebody who waits while it is filled
constexpr auto release_within = 15s;    // for a killed server's helper to be swept
constexpr auto release_pause = 200ms;
constexpr std::string_view whole_mark = ".whole-";
const std::string place(agent_volume_directory);    // nothing else of an image or the server's is there

bool is_plain(char each)
{
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') || each == '_' || each == '-';
}

task<> next_change(notifier* of, std::uint64_t seen) { co_await of->wait_past(seen); }

std::optional<std::int64_t> bytes_in(std::string_view digits)
{
    std::int64_t bytes = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    if (failure != std::errc() || end != digits.data() + digits.size() || bytes < 0)
        return std::nullopt;
    return bytes;
}

}    // namespace

/// What this server knows of a volume.
struct package_volumes::entry {
    std::string name;
    std::uint64_t last_use = 0;
    std::string made_at;    // as the engine told it when it was brought the last time
    std::string mark;       // that says that this one is whole; empty: not known
    std::size_t users = 0;
    bool busy = false;    // it is looked at, filled or removed
};

/// What the engine has of it.
struct package_volumes::stored {
    bool filled = false;    // to whatever end
    std::string made_at;
    std::vector<std::string> marks;    // names of volumes
    std::int64_t bytes = 0;
    bool is_whole() const { return filled && marks.size() == 1; }
};

/// Holds an entry for one who does something with it.
class package_volumes::turn {
public:
    turn(entry_ptr of, notifier& changed) : of_(std::move(of)), changed_(changed) { of_->busy = true; }
    ~turn()
    {
        of_->busy = false;
        changed_.notify_all();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    entry_ptr of_;
    notifier& changed_;
};

package_volumes::use::use(entry_ptr of) : of_(std::move(of)) { ++of_->users; }
package_volumes::use::~use() { --of_->users; }
const std::string& package_volumes::use::volume() const { return of_->name; }
bool package_volumes::use::is_of(const std::string& made_at) const { return of_->made_at.empty() || of_->made_at == made_at; }

package_volumes::package_volumes(io_executor executor, engine& on, logger& log, worker_pool& workers, package_volumes_options options)
    : engine_(on)
    , log_(log)
    , workers_(workers)
    , options_(std::move(options))
    , prefix_("caisson-package-" + options_.instance + "-")
    , changed_(executor)
{
}

steady_time package_volumes::soon() const { return engine_.time().steady_now() + call_within; }

/// Its path below the trees, so that one whose tree is gone can be told by its name.
std::optional<std::string> package_volumes::name_of(const std::string& tree) const
{
    const auto below = options_.trees + "/";
    if (!tree.starts_with(below) || tree.size() == below.size())
        return std::nullopt;
    auto name = tree.substr(below.size());
    if (!std::ranges::all_of(name, [](char each) { return is_plain(each) || each == '/'; }))
        return std::nullopt;
    std::ranges::replace(name, '/', '.');
    return prefix_ + name;
}

bool package_volumes::has_tree(const std::string& name) const
{
    auto path = name.substr(prefix_.size());
    std::ranges::replace(path, '.', '/');
    std::error_code unknown;
    return std::filesystem::exists(options_.trees + "/" + path, unknown) || unknown;
}

package_volumes::entry_ptr package_volumes::entry_of(const std::string& name)
{
    auto& one = entries_[name];
    if (!one)
        one = std::make_shared<entry>(entry{.name = name});
    return one;
}

/// Unless somebody waits for its turn.
void package_volumes::forget(const entry_ptr& one)
{
    if (one->users == 0)
        entries_.erase(one->name);
}

task<result<void>> package_volumes::wait_for_change(std::uint64_t seen, steady_time until)
{
    auto change = next_change(&changed_, seen);
    co_return co_await with_deadline(engine_.time(), until, std::move(change));
}

task<result<void>> package_volumes::take_turn(entry_ptr one)
{
    const auto until = engine_.time().steady_now() + turn_within;
    while (one->busy) {
        const auto waited = co_await wait_for_change(changed_.version(), until);
        if (waited.has_error())
            co_return error{errc::timed_out, "the package is still being brought to the engine"};
    }
    co_return result<void>();
}

task<result<std::shared_ptr<const package_volumes::use>>> package_volumes::bring(std::string tree, container_spec helper)
{
    const auto name = name_of(tree);
    if (!name)
        co_return error{errc::not_implemented, "the engine does not see this host's directories, and this is none of a package"};
    const auto one = entry_of(*name);
    auto holding = std::make_shared<const use>(one);    // from here on nobody removes it
    auto free = co_await take_turn(one);
    if (free.has_error())
        co_return free.error();
    const turn mine(one, changed_);
    one->last_use = next_use_++;
    auto brought = co_await bring_now(one, std::move(tree), std::move(helper));
    if (brought.has_error())
        co_return brought.error();
    co_return holding;
}

task<result<void>> package_volumes::bring_now(entry_ptr one, std::string tree, container_spec helper)
{
    const auto there = co_await list(one->name);
    if (there.has_error())
        co_return there.error();
    if (const auto found = there->find(one->name); found != there->end()) {
        if (found->second.is_whole()) {
            one->made_at = found->second.made_at;
            one->mark = found->second.marks.front();
            co_return result<void>();
        }
        const auto cleared = co_await clear(one, found->second, helper);
        if (cleared.has_error())
            co_return cleared.error();
        if (*cleared == remains::whole)
            co_return result<void>();
    }
    // Who else needs it waits for it too; and cut off in the middle it would leave its helper.
    co_return co_await undisturbed(fill(one, std::move(tree), std::move(helper)));
}

/// A container keeps its volume from whoever removes unused ones, but not the mark, which is never mounted: what this server knows to be
/// whole is marked again.
task<result<package_volumes::remains>> package_volumes::clear(entry_ptr one, stored what, container_spec helper)
{
    const bool was_whole = what.marks.empty() && !one->mark.empty() && !one->made_at.empty() && one->made_at == what.made_at;
    if (!was_whole) {
        const auto removed = co_await insist_on_removal(one->name, std::move(what));
        co_return removed.has_error() ? result<remains>(removed.error()) : remains::nothing;
    }
    const auto removed = co_await remove(one->name, std::move(what));
    if (removed.has_value())
        co_return remains::nothing;
    if (removed.error().code != errc::conflict)
        co_return removed.error();
    const auto marked = co_await undisturbed(mount_once(one->mark, std::move(helper)));
    co_return marked.has_error() ? result<remains>(marked.error()) : remains::whole;
}

task<result<void>> package_volumes::confirm(const use* what)
{
    const auto there = co_await list(what->volume());
    if (there.has_error())
        co_return there.error();
    const auto found = there->find(what->volume());
    if (found == there->end() || !found->second.is_whole() || !what->is_of(found->second.made_at))
        co_return error{errc::runtime_unavailable, "the package's volume was removed from the engine meanwhile"};
    co_return result<void>();
}

task<result<void>> package_volumes::fill(entry_ptr one, std::string tree, container_spec helper)
{
    one->made_at.clear();
    one->mark.clear();
    containers in(engine_);
    auto filling = helper;
    filling.binds = {{one->name, place, true, true}};
    const auto made = co_await in.create(std::move(filling), engine_.time().steady_now() + fill_within);
    if (made.has_error())
        co_return made.error();
    std::int64_t bytes = 0;
    auto done = co_await fill_through(made->id, std::move(tree), &bytes);
    const auto removed = co_await in.remove(made->id, soon());
    if (!done.has_error() && removed.has_error())
        done = removed;
    const auto mark = one->name + std::string(whole_mark) + std::to_string(bytes);
    if (!done.has_error())
        done = co_await mount_once(mark, std::move(helper));
    if (!done.has_error())
        co_await learn(one, mark);
    if (done.has_error()) {
        stored half;
        half.filled = true;
        const auto dropped = co_await remove(one->name, std::move(half));
        if (dropped.has_error())
            log_.warning("a package's volume is half filled", {{"volume", one->name}, {"what", dropped.error().detail}});
    }
    co_return done;
}

/// So that it is known again. An engine that does not tell is asked the next time.
task<> package_volumes::learn(entry_ptr one, std::string mark)
{
    const auto there = co_await list(one->name);
    if (there.has_error() || !there->contains(one->name))
        co_return;
    one->made_at = there->at(one->name).made_at;
    one->mark = std::move(mark);
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
    co_return co_await in.put_archive(std::move(container), place, source->get(), engine_.time().steady_now() + fill_within);
}

/// An engine makes a volume when a container with it is made.
task<result<void>> package_volumes::mount_once(std::string volume, container_spec helper)
{
    containers in(engine_);
    helper.binds = {{std::move(volume), place, true, true}};
    const auto made = co_await in.create(std::move(helper), soon());
    if (made.has_error())
        co_return made.error();
    co_return co_await in.remove(made->id, soon());
}

/// What was used longest ago goes, and what this server has not used yet before that.
task<result<void>> package_volumes::make_room(std::int64_t bytes)
{
    auto there = co_await list(prefix_);
    if (there.has_error())
        co_return there.error();
    std::vector<entry_ptr> idle;
    for (const auto& [name, what] : *there) {
        bytes += what.bytes;
        const auto one = entry_of(name);
        if (!one->busy && one->users == 0)
            idle.push_back(one);
    }
    std::ranges::sort(idle, {}, [](const entry_ptr& each) { return each->last_use; });
    auto count = there->size();
    for (const auto& one : idle) {
        if (bytes <= options_.max_bytes && count <= options_.max_volumes)
            break;
        if (one->busy || one->users > 0)
            continue;    // since a moment ago
        const turn mine(one, changed_);
        const auto removed = co_await remove(one->name, there->at(one->name));
        if (removed.has_error())
            continue;    // a container uses it
        bytes -= there->at(one->name).bytes;
        --count;
        forget(one);
    }
    co_return result<void>();
}

task<result<package_volumes::listing>> package_volumes::list(std::string begin)
{
    volumes all(engine_);
    const auto there = co_await all.list(std::move(begin), soon());
    if (there.has_error())
        co_return there.error();
    listing out;
    for (const auto& each : *there) {
        const auto mark = each.name.rfind(whole_mark);
        auto& one = out[each.name.substr(0, mark)];
        if (mark == std::string::npos) {
            one.filled = true;
            one.made_at = each.made_at;
            continue;
        }
        one.marks.push_back(each.name);
        one.bytes = std::max(one.bytes, bytes_in(std::string_view(each.name).substr(mark + whole_mark.size())).value_or(0));
    }
    co_return out;
}

/// What says that it is whole goes last: it says nothing of one that is not there. Errors: errc::conflict if a container uses it.
task<result<void>> package_volumes::remove(std::string name, stored what)
{
    auto names = std::move(what.marks);
    if (what.filled)
        names.insert(names.begin(), std::move(name));
    volumes all(engine_);
    for (const auto& each : names) {
        const auto gone = co_await all.remove(each, soon());
        if (gone.has_error())
            co_return gone;
    }
    co_return result<void>();
}

/// A killed server's helper may still have it.
task<result<void>> package_volumes::insist_on_removal(std::string name, stored what)
{
    const auto until = engine_.time().steady_now() + release_within;
    for (;;) {
        auto removed = co_await remove(name, what);
        const bool is_used = removed.has_error() && removed.error().code == errc::conflict;
        if (is_used && engine_.time().steady_now() >= until)
            co_return error{errc::runtime_unavailable,
                "the package's volume does not say that it is whole, and cannot be filled anew while a container uses it: " +
                    removed.error().detail};
        if (!is_used)
            co_return removed;
        co_await engine_.time().wait_for(release_pause);
    }
}

task<result<std::size_t>> package_volumes::sweep()
{
    const auto there = co_await list(prefix_);
    if (there.has_error())
        co_return there.error();
    std::size_t count = 0;
    for (const auto& [name, what] : *there) {
        auto look = [this, name] { return has_tree(name); };
        const bool wanted = co_await offload(workers_, std::move(look));
        const auto one = entry_of(name);
        if (one->busy || one->users > 0 || (wanted && what.is_whole()))
            continue;
        const turn mine(one, changed_);
        const auto removed = co_await remove(name, what);
        if (removed.has_error() && removed.error().code != errc::conflict)
            co_return removed.error();
        if (removed.has_value()) {
            ++count;
            forget(one);
        }
    }
    co_return count;
}

}    // namespace caisson::docker

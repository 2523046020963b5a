#include "adapters/containers/stored_packages.hpp"

#include "adapters/containers/container_plan.hpp"
#include "adapters/containers/package_names.hpp"
#include "adapters/engine/volumes.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto listing_within = 10s;
constexpr auto release_within = 15s;    // for the sweep of a killed server's helper
constexpr auto release_pause = 200ms;

}    // namespace

steady_time stored_packages::soon() const { return engine_.time().steady_now() + listing_within; }

task<result<stored_packages::listing>> stored_packages::list(std::string begin)
{
    volumes all(engine_);
    const auto there = co_await all.list(std::move(begin), soon());
    if (there.has_error())
        co_return there.error();
    listing out;
    for (const auto& each : *there) {
        if (const auto mark = mark_from(each.name)) {
            auto& marked = out[mark->volume];
            marked.marks.push_back(each.name);
            marked.bytes = std::max(marked.bytes, mark->bytes);
            continue;
        }
        auto& package = out[each.name];
        package.filled = true;
        package.made_at = each.made_at;
    }
    co_return out;
}

task<result<void>> stored_packages::remove(std::string name, stored_package what)
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

task<result<void>> stored_packages::insist_on_removal(std::string name, stored_package what)
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

/// The engine creates the volume together with the container.
task<result<void>> stored_packages::make_empty(std::string volume, container_spec helper)
{
    containers in(engine_);
    helper.binds = {{std::move(volume), std::string(agent_volume_directory), true, true}};
    const auto made = co_await in.create(std::move(helper), soon());
    if (made.has_error())
        co_return made.error();
    co_return co_await in.remove(made->id, soon());
}

}    // namespace caisson::docker

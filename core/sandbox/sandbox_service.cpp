#include "core/sandbox/sandbox_service.hpp"

#include "core/async/deadline.hpp"
#include "core/async/retry_until_answered.hpp"

#include <chrono>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto destroy_grace = 30s;

}    // namespace

task<result<sandbox_lease>> sandbox_service::create(sandbox_shape wanted)
{
    auto* const where = use_.sources.find(wanted.runtime);
    if (where == nullptr)
        co_return error{errc::runtime_unavailable, "the runtime \"" + wanted.runtime + "\" is not enabled on this server"};
    making_(*where);
    auto created = co_await where->create(std::move(wanted.spec));
    if (created.has_error())
        co_return created.error();
    sandbox_lease made;
    made.made_by = where;
    made.home = use_.living(std::move(*created));
    co_return std::move(made);
}

task<result<void>> sandbox_service::start(sandbox_lease* created, group_limits limits)
{
    auto& where = *created->made_by;
    if (where.traits().fast_create)
        created->home->box().make_group_at_start(limits);
    auto starting = where.start(created->home->box());
    const auto started = co_await std::move(starting);
    co_return started.has_error() || !where.traits().fast_create ? started : open_group(*created, limits);
}

result<void> sandbox_service::open_group(sandbox_lease& lease, group_limits limits)
{
    if (lease.group)
        return {};
    auto group = lease.home->box().open_group({.program = lease.number}, limits);
    if (group.has_error())
        return group.error();
    lease.group = std::move(*group);
    return {};
}

sandbox_row sandbox_service::record_of(const living_sandbox& home, const tenant_id& tenant, std::string runtime, holder_ref holder) const
{
    sandbox_row row;
    row.id = home.box().id();
    row.tenant = tenant;
    row.holder = std::move(holder);
    row.runtime = std::move(runtime);
    row.state = sandbox_state::running;
    row.runtime_state = home.box().runtime_state();
    row.created_at_ms = use_.time.now_ms();
    return row;
}

task<result<std::shared_ptr<living_sandbox>>> sandbox_service::recover(sandbox_id id, std::string runtime, log_field holder)
{
    auto* const where = use_.sources.find(runtime);
    if (where == nullptr)
        co_return error{errc::not_found, "the runtime \"" + runtime + "\" is not enabled any more"};
    std::function<task<result<sandbox_row>>()> ask = [this, id] { return use_.store.find(id); };
    auto asking = retry_until_answered(&use_.time, &use_.log, std::move(holder), std::move(ask));
    const auto kept = co_await std::move(asking);
    if (kept.has_error())
        co_return error{errc::not_found, "the sandbox's record is missing"};
    auto recovered = co_await where->recover(kept->id, kept->runtime_state);
    if (recovered.has_error() && recovered.error().code == errc::not_found)    // that is what a missing record gives
        co_return error{errc::runtime_unavailable, recovered.error().detail};
    if (recovered.has_error())
        co_return recovered.error();
    co_return use_.living(std::move(*recovered));
}

task<result<void>> sandbox_service::remove(removal what)
{
    auto state = sandbox_state::lost;
    if (what.home) {
        auto destruction = what.home->box().destroy();
        auto destroyed = co_await with_deadline(use_.time, use_.time.steady_now() + destroy_grace, std::move(destruction));
        if (destroyed.has_error())
            co_return destroyed;
        state = sandbox_state::destroyed;
    }
    if (!what.recorded)
        co_return result<void>();
    co_return co_await use_.store.update(*what.recorded, state, "", std::move(what.cause), use_.time.now_ms());
}

}    // namespace caisson

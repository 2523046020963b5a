#include "core/exec/live_execution.hpp"
#include "core/exec/warm_pool.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

/// How a sandbox is made ready, and how one ends.
namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto greet_within = 10s;
/// For an interpreter to start, and to import what it shall have.
constexpr auto park_within = 30s;
constexpr auto destroy_within = 30s;

task<result<std::unique_ptr<protocol::byte_stream>>> connect_to(std::shared_ptr<sandbox> to) { return to->connect(); }

}    // namespace

/// Between the steps of making one: somebody waits for files that are collected, nobody for what is made. A claim that leaves none ready
/// hurries it.
task<> warm_pool::step_aside(kind_ptr for_one)
{
    if (calm_.is_collecting())
        co_await calm_.wait(lull::work::making, patience(*for_one));
}

task<result<void>> warm_pool::make(kind_ptr wanted, std::shared_ptr<warm_sandbox> into)
{
    auto& where = *runtime_of(wanted->shape);
    into->spec = wanted->shape.spec;
    into->spec.id = use_.ids.make<sandbox_id>();
    into->spec.is_awaited = false;
    into->tree = wanted->shape.tree;
    auto created = co_await where.create(into->spec);
    if (created.has_error())
        co_return created.error();
    into->box = std::move(*created);
    co_await step_aside(wanted);
    const auto& limits = into->spec.limits;
    const group_limits of_group{limits.memory_bytes, limits.cpu_milli, limits.pids};
    into->box->make_group_at_start(of_group);
    auto done = co_await where.start(*into->box);
    if (done.has_error())
        co_return done;
    if (into->box->image_digest() != wanted->shape.image_digest && !wanted->shape.image_digest.empty())
        co_return error{errc::image_unavailable, "the image is another one by now"};
    auto group = into->box->open_group(of_group);
    if (group.has_error())
        co_return group.error();
    into->group = std::move(*group);
    auto opened = co_await open_link(into);
    if (opened.has_error())
        co_return opened;
    co_await step_aside(wanted);
    static_cast<void>(into->box->disk());    // what it looks at is found now, and kept
    co_return co_await park(wanted, into);
}

/// The interpreter of its kind, or else a bare child for any program, which only saves joining the group: where there is none to join it is
/// of no use. A sandbox in which neither can wait is as good as another.
task<result<void>> warm_pool::park(kind_ptr of, std::shared_ptr<warm_sandbox> in)
{
    const auto& where = *runtime_of(of->shape);
    std::vector<protocol::park_request> orders;
    if (of->shape.interpreter)
        orders.push_back(park_order(*of->shape.interpreter, in->box->work_directory(), where, use_));
    const auto join = in->group->join_descriptors();
    if (!join.empty())
        orders.push_back(bare_park_order(where, use_));
    for (auto& order : orders) {
        auto asking = in->link->park(only_execution, std::move(order), join, use_.time.steady_now() + park_within);
        const auto parked = co_await std::move(asking);
        if (parked.has_error())
            co_return parked.error();
        if (*parked)
            co_return result<void>();
        use_.log.debug("a program cannot wait in a sandbox that is kept ready", {{"sandbox", in->box->id().str()}});
    }
    co_return result<void>();
}

task<result<void>> warm_pool::open_link(std::shared_ptr<warm_sandbox> of)
{
    auto connect = [box = of->box] { return connect_to(box); };
    of->link = protocol::make_agent_link(use_.executor, use_.time, use_.log, std::move(connect), use_.link);
    co_return co_await of->link->open(use_.time.steady_now() + greet_within);
}

task<> warm_pool::destroy(std::shared_ptr<warm_sandbox> what)
{
    if (what->link)
        what->link->close();
    what->link.reset();
    what->group.reset();
    what->hold.reset();
    if (!what->box)
        co_return;
    auto destruction = what->box->destroy();
    auto guarded = without_exceptions(std::move(destruction));
    const auto done = co_await with_deadline(use_.time, use_.time.steady_now() + destroy_within, std::move(guarded));
    if (done.has_error())
        use_.log.warning("a sandbox that was kept ready cannot be removed; the next sweep tries again",
            {{"sandbox", what->box->id().str()}, {"what", done.error().detail}});
}

}    // namespace caisson

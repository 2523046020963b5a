#include "core/pool/warm_pool.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/pool/parking.hpp"

/// How a sandbox is made ready, and how one ends.
namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto greet_within = 10s;
/// For an interpreter to start, and to import what it shall have.
constexpr auto park_within = 30s;
constexpr auto destroy_within = 30s;

}    // namespace

/// Between the steps of making one: somebody waits for files that are collected, nobody for what is made. A claim that leaves none ready
/// hurries it.
task<> warm_pool::step_aside(kind_ptr for_one)
{
    if (idle_gate_.is_collecting())
        co_await idle_gate_.wait(idle_gate::work::making, patience(*for_one));
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
    into->lease.home = use_.living(std::move(*created));
    co_await step_aside(wanted);
    const auto& limits = into->spec.limits;
    const group_limits of_group{limits.memory_bytes, limits.cpu_milli, limits.pids};
    into->lease.home->box().make_group_at_start(of_group);
    auto done = co_await where.start(into->lease.home->box());
    if (done.has_error())
        co_return done;
    if (into->lease.home->box().image_digest() != wanted->shape.image_digest && !wanted->shape.image_digest.empty())
        co_return error{errc::image_unavailable, "the image is another one by now"};
    auto group = into->lease.home->box().open_group(first_program_group, of_group);
    if (group.has_error())
        co_return group.error();
    into->lease.group = std::move(*group);
    auto opened = co_await into->lease.home->open(use_.time.steady_now() + greet_within);
    if (opened.has_error())
        co_return opened;
    co_await step_aside(wanted);
    static_cast<void>(into->lease.home->box().disk());    // what it looks at is found now, and kept
    co_return co_await park(wanted, into);
}

/// The interpreter of its kind, or else a bare child for any program, which only saves joining the group: where there is none to join it is
/// of no use. A sandbox in which neither can wait is as good as another.
task<result<void>> warm_pool::park(kind_ptr of, std::shared_ptr<warm_sandbox> in)
{
    const auto& where = *runtime_of(of->shape);
    std::vector<protocol::park_request> orders;
    if (of->shape.interpreter)
        orders.push_back(park_order(*of->shape.interpreter, in->lease.home->box().work_directory(), where, use_.sources));
    const auto join = in->lease.group->join_descriptors();
    if (!join.empty())
        orders.push_back(bare_park_order(where, use_.sources));
    for (auto& order : orders) {
        auto asking =
            in->lease.home->link()->park(exec_numbers::first_program, std::move(order), join, use_.time.steady_now() + park_within);
        const auto parked = co_await std::move(asking);
        if (parked.has_error())
            co_return parked.error();
        if (*parked)
            co_return result<void>();
        use_.log.debug("a program cannot wait in a sandbox that is kept ready", {{"sandbox", in->lease.home->box().id().str()}});
    }
    co_return result<void>();
}

task<> warm_pool::destroy(std::shared_ptr<warm_sandbox> what)
{
    what->lease.group.reset();
    what->lease.hold.reset();
    if (!what->lease.home)
        co_return;
    what->lease.home->close_link();
    auto destruction = what->lease.home->box().destroy();
    auto guarded = without_exceptions(std::move(destruction));
    const auto done = co_await with_deadline(use_.time, use_.time.steady_now() + destroy_within, std::move(guarded));
    if (done.has_error())
        use_.log.warning("a sandbox that was kept ready cannot be removed; the next sweep tries again",
            {{"sandbox", what->lease.home->box().id().str()}, {"what", done.error().detail}});
}

}    // namespace caisson

#include "tests/core/exec/service_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

const error broken{errc::internal, "disk is broken"};

/// A moment in the life of an execution.
struct moment {
    std::string_view name;
    std::function<void(service_world&)> before;    // its submission
    std::function<void(service_world&, const execution_id&)> after;
    std::string_view output = "1:x";
    execution_status status = execution_status::success;
};

/// The server dies at that moment, with viewers and waiting calls.
class ServerDeath : public ::testing::TestWithParam<moment> {
protected:
    static task<> watch(std::unique_ptr<log_reader> reader)
    {
        for (bool more = true; more;) {
            const auto events = co_await reader->next(1, true);
            more = events.has_value() && !events->empty();
        }
    }
    static void prepare(testing::fake_box& box)
    {
        box.agent->program = [](testing::fake_agent& agent) { agent.print("x"); };
    }
    static void open_all(service_world& w)
    {
        for (auto each : {call::create, call::start, call::connect, call::recover, call::destroy})
            w.runtime.gate_of(each).uncork();
        w.executions.heal();
        w.events.heal();
    }
    /// Every program that runs exits, until `id` has ended.
    static bool let_exit(service_world& w, const execution_id& id)
    {
        return w.advance_until([&] {
            for (std::size_t i = 0; i < w.runtime.created(); ++i)
                if (w.agent(i).is_running())
                    w.agent(i).exit(0);
            return w.has_ended(id) && w.running() == 0;
        });
    }
};

TEST_P(ServerDeath, IsSurvived)
{
    const auto& at = GetParam();
    service_world w({.max_running = 1});
    w.runtime.prepare = prepare;
    if (at.before)
        at.before(w);
    auto spec = w.program();
    spec.stdin_open = true;
    const auto id = w.submit(spec);
    w.begin(watch(w.view(id)));
    w.begin(w.service().wait(w.tenant, id, w.time().steady_now() + 1h));
    w.begin(w.service().write_stdin(w.tenant, id, {std::string(2 << 20, 'i'), {}, false}, w.time().steady_now() + 1h));
    if (at.after)
        at.after(w, id);
    w.kill_server();
    open_all(w);
    ASSERT_TRUE(w.start_server(1s).has_value());
    w.begin(watch(w.view(id)));
    EXPECT_TRUE(let_exit(w, id));
    EXPECT_EQ(w.row(id).status, at.status);
    const std::string middle = at.output.empty() ? "" : "[running]" + std::string(at.output);
    EXPECT_EQ(w.stored(id), "[queued]" + middle + "[usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_TRUE(w.get(w.sandboxes.alive())->empty());
}

auto corked(call which)
{
    return [which](service_world& w) { w.runtime.gate_of(which).cork(); };
}
void exits(service_world& w, const execution_id&)
{
    w.agent().exit(0);
    w.turn();
}
void streams_stay_open(service_world& w, const execution_id&)
{
    w.agent().ignored_signals = {SIGKILL};
    w.agent().exit_leaving_a_child(0);
    w.turn();
}
void prints_unstored(service_world& w, const execution_id&)
{
    w.events.fail_next(broken);
    w.agent().print("y");
    w.turn();
}
void cancelled(service_world& w, const execution_id& id)
{
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_TRUE(w.cancel(id).has_value());
}
void exits_unstored(service_world& w, const execution_id& id)
{
    w.events.fail_next(broken);
    exits(w, id);
}
void exits_unrecorded(service_world& w, const execution_id& id)
{
    w.executions.fail_next(broken);
    exits(w, id);
}
/// Where the next server dies too.
auto taken_up(call which)
{
    return [which](service_world& w, const execution_id&) {
        const auto over = w.begin(w.service().hand_over(w.time().steady_now() + 10s));    // its viewer waits on
        EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
        w.kill_server();
        w.runtime.gate_of(which).cork();
        EXPECT_TRUE(w.start_server().has_value());
    };
}

INSTANTIATE_TEST_SUITE_P(Moments, ServerDeath,
    ::testing::Values(moment{"queued", [](auto& w) { w.submit(); }, nullptr},
        moment{"cancelled_in_the_queue", [](auto& w) { w.submit(); },
            [](auto& w, auto& id) {
                w.events.fail_next(broken);
                EXPECT_TRUE(w.cancel(id).has_value());
            },
            "", execution_status::cancelled},
        moment{"creating", corked(call::create), nullptr}, moment{"starting", corked(call::start), nullptr},
        moment{"connecting", corked(call::connect), nullptr}, moment{"running", nullptr, nullptr},
        moment{"output_unstored", nullptr, prints_unstored, "1:xy"},
        moment{"link_broken", nullptr,
            [](auto& w, auto&) {
                w.agent().disconnect();
                w.turn();
            }},
        moment{"cancelled", nullptr, cancelled, "1:x", execution_status::cancelled}, moment{"draining", nullptr, streams_stay_open},
        moment{"end_unstored", nullptr, exits_unstored}, moment{"end_unrecorded", nullptr, exits_unrecorded},
        moment{"destroying", corked(call::destroy), exits},
        moment{"stopping", nullptr,
            [](auto& w, auto&) {
                w.service().stop_accepting();
                w.turn();
            }},
        moment{"recovering", nullptr, taken_up(call::recover)}, moment{"attaching", nullptr, taken_up(call::connect)}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson

#include "adapters/net/pulse.hpp"

#include "core/async/task_group.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <utility>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

/// Writes its name down, as often as it is told.
struct noted final : beating {
    noted(char the_name, std::string& into, timers& the_time, std::chrono::milliseconds each, int times)
        : name(the_name), seen(into), time(the_time), every(each), left(times)
    {
    }
    std::optional<steady_time> beat() override
    {
        seen += name;
        if (--left == 0)
            return std::nullopt;
        return time.steady_now() + every;
    }

    char name;
    std::string& seen;
    timers& time;
    std::chrono::milliseconds every;
    int left;
};

class Pulse : public ::testing::Test {
protected:
    Pulse() { tasks.spawn("pulse", pulse::run(of)); }
    void TearDown() override { testing::run_task(context, tasks.stop()); }

    /// What was seen when the clock has gone on.
    std::string after(std::chrono::milliseconds by)
    {
        turn();
        time.advance(by);
        turn();
        return std::exchange(seen, {});
    }
    void turn()
    {
        context.restart();
        context.poll();
    }
    noted beating(char name, std::chrono::milliseconds every, int times = 100) { return {name, seen, time, every, times}; }
    steady_time in(std::chrono::milliseconds delay) const { return time.steady_now() + delay; }

    asio::io_context context{1};
    testing::fake_timers time{context.get_executor()};
    null_logger log;
    task_group tasks{context.get_executor(), log};
    std::shared_ptr<pulse> of = std::make_shared<pulse>(context.get_executor(), time);
    std::string seen;
};

TEST_F(Pulse, LooksAfterEachAtItsTime)
{
    auto slow = beating('s', 30ms);
    auto fast = beating('f', 10ms);
    pulse_place a(of, slow);
    pulse_place b(of, fast);
    a.start(in(30ms));
    b.start(in(10ms));
    EXPECT_EQ(after(9ms), "");
    EXPECT_EQ(after(1ms), "f");
    EXPECT_EQ(after(10ms), "f");
    EXPECT_EQ(after(10ms), "sf");
}

TEST_F(Pulse, OneThatIsDueBeforeAllOthersIsNotMissed)
{
    auto late = beating('l', 1h);
    auto soon = beating('s', 1h);
    pulse_place a(of, late);
    a.start(in(1h));
    turn();
    pulse_place b(of, soon);
    b.start(in(5ms));
    EXPECT_EQ(after(5ms), "s");
}

TEST_F(Pulse, OneThatIsOverOrStoppedOrGoneIsNotLookedAfter)
{
    auto once = beating('o', 10ms, 1);
    auto stopped = beating('s', 10ms);
    auto gone = beating('g', 10ms);
    pulse_place a(of, once);
    pulse_place b(of, stopped);
    a.start(in(10ms));
    b.start(in(10ms));
    {
        pulse_place c(of, gone);
        c.start(in(10ms));
        EXPECT_EQ(of->size(), 3u);
    }
    b.stop();
    EXPECT_EQ(after(10ms), "o");
    EXPECT_EQ(after(10ms), "");
    EXPECT_EQ(of->size(), 0u);
}

TEST_F(Pulse, OneThatIsAlwaysDueHoldsUpNobody)
{
    auto hasty = beating('h', 0ms);
    auto other = beating('o', 1h);
    pulse_place a(of, hasty);
    pulse_place b(of, other);
    a.start(in(0ms));
    b.start(in(2ms));
    EXPECT_EQ(after(1ms), "hh");
    EXPECT_EQ(after(1ms), "oh");
}

TEST_F(Pulse, ManyNeedOneWait)
{
    auto each = beating('e', 10ms);
    std::list<pulse_place> places;
    for (int i = 0; i < 10; ++i)
        places.emplace_back(of, each).start(in(10ms));
    turn();
    EXPECT_EQ(time.waiting(), 1u);
    EXPECT_EQ(after(10ms).size(), 10u);
}

}    // namespace
}    // namespace caisson::net

#include "core/fairness/io_turns.hpp"

#include "core/async/task_group.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::Lt;
using ::testing::SizeIs;
using kind = io_turns::kind;

struct IoTurns : ::testing::Test {
    static constexpr std::size_t half = io_turns::most_bytes / 2;

    /// The first letter of its name says whose it is.
    task<> step(std::string name, kind of, std::size_t bytes)
    {
        const auto tenant = tenant_id::from_trusted("ten_" + name.substr(0, 1));
        if (!turns.try_begin(tenant, of, bytes)) {
            auto turn = turns.wait(tenant, of, bytes);
            co_await std::move(turn);
        }
        done.push_back(std::move(name));
    }
    void begin(const std::string& name, std::size_t bytes, kind of = kind::request) { group.spawn(name, step(name, of, bytes)); }
    void begin_many(std::size_t count, std::size_t bytes, kind of = kind::request)
    {
        for (std::size_t i = 0; i < count; ++i)
            begin("a" + std::to_string(i), bytes, of);
    }
    task<> steps_of_b(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            auto one = step("b" + std::to_string(i), kind::request, 1);
            co_await std::move(one);
            co_await asio::post(context.get_executor(), use_task);
        }
    }
    std::size_t place_of(const std::string& name) const { return static_cast<std::size_t>(std::ranges::find(done, name) - done.begin()); }

    asio::io_context context;
    io_turns turns{context.get_executor()};
    std::vector<std::string> done;
    null_logger log;
    task_group group{context.get_executor(), log};
};

TEST_F(IoTurns, ALittleWorkWaitsForNothing)
{
    begin("a1", 1);
    begin("a2", 1);
    context.poll();
    EXPECT_THAT(done, ElementsAre("a1", "a2"));
    EXPECT_EQ(turns.waiting(), 0u);
}

TEST_F(IoTurns, ALargeStepIsDoneWhole)
{
    begin("a1", 100 * io_turns::most_bytes);
    context.poll();
    EXPECT_THAT(done, ElementsAre("a1"));
}

TEST_F(IoTurns, AnotherTenantsStepComesBetween)
{
    begin_many(1'000, half);
    context.poll_one();
    begin("b", 1);
    context.poll();
    EXPECT_THAT(done, SizeIs(1'001));
    EXPECT_THAT(place_of("b"), Lt(4u));
    EXPECT_EQ(turns.waiting(), 0u);
}

TEST_F(IoTurns, ARequestOfManyStepsWaitsForARoundEach)
{
    begin_many(1'000, half);
    group.spawn("b", steps_of_b(20));
    context.poll();
    EXPECT_THAT(place_of("b19"), Lt(20u + 20u * 4u));
}

TEST_F(IoTurns, LargeStepsCountInTheRoundsToCome)
{
    constexpr std::size_t rounds = 8;
    begin_many(1'000, rounds * io_turns::most_bytes);
    group.spawn("b", steps_of_b(100));
    context.poll();
    EXPECT_THAT(place_of("b99"), Lt(100u + 2u * 100u / rounds + 2u));
}

TEST_F(IoTurns, RequestsDoNotWaitBehindEvents)
{
    begin_many(1'000, half, kind::events);
    context.poll_one();
    begin("a request", half);
    context.poll();
    EXPECT_THAT(place_of("a request"), Lt(4u));
}

TEST_F(IoTurns, WithinATenantItIsFirstComeFirstServed)
{
    std::vector<std::string> wanted;
    for (int i = 0; i < 50; ++i) {
        wanted.push_back("a" + std::to_string(i));
        begin(wanted.back(), half);
    }
    context.poll();
    EXPECT_EQ(done, wanted);
}

TEST_F(IoTurns, ACancelledStepTakesNoTurn)
{
    begin_many(4, 1'000 * io_turns::most_bytes);
    while (turns.waiting() < 3 && context.poll_one() > 0) { }
    testing::run_task(context, group.stop());
    context.restart();
    context.poll();
    EXPECT_EQ(turns.waiting(), 0u);
    EXPECT_THAT(done, ElementsAre("a0"));
}

TEST_F(IoTurns, AStepThatWaitsMayOutliveThem)
{
    auto gone = std::make_unique<io_turns>(context.get_executor());
    const auto tenant = tenant_id::from_trusted("ten_a");
    while (gone->try_begin(tenant, kind::request, half)) { }
    auto waits = gone->wait(tenant, kind::request, half);
    gone.reset();
    testing::run_task(context, std::move(waits));
}

}    // namespace
}    // namespace caisson

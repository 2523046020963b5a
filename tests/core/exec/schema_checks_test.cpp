// Checks of schemas take turns on threads of their own.

#include "core/exec/skill/schema_checks.hpp"

#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <thread>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using answer = schema_checks::answer;
using asker = schema_checker::asker;

/// The place of its one mistake is the JSON that was checked.
answer tells_the_json(std::string_view, std::string_view json) { return std::vector<field_problem>{{std::string(json), ""}}; }

std::string told(const answer& from)
{
    return from.has_error() ? std::string(slug(from.error().code)) + ": " + from.error().detail : from->front().field;
}

/// Threads that do nothing until they are told to.
class fake_pool {
public:
    task<answer> run(std::function<answer()> work)
    {
        auto one = std::make_shared<job>(co_await asio::this_coro::executor);
        jobs_.push_back(one);
        ++begun;
        while (!one->may_end)
            co_await one->changed.wait_past(one->changed.version());
        co_return work();
    }
    /// The one that was begun first.
    void finish()
    {
        jobs_.front()->may_end = true;
        jobs_.front()->changed.notify_all();
        jobs_.erase(jobs_.begin());
    }
    std::size_t busy() const { return jobs_.size(); }
    std::size_t begun = 0;

private:
    struct job {
        explicit job(io_executor executor) : changed(executor) { }
        notifier changed;
        bool may_end = false;
    };
    std::vector<std::shared_ptr<job>> jobs_;
};

class SchemaChecks : public ::testing::Test {
protected:
    ~SchemaChecks() override
    {
        while (pool.busy() > 0)    // what waits is not left behind
            finish();
    }
    void ask(const tenant_id& tenant, std::string name, asker who = asker::request)
    {
        auto checking = checks.check(tenant, who, "{}", shared_bytes(name));
        auto keep = [](task<answer> inner, std::vector<std::string>* into) -> task<> { into->push_back(told(co_await std::move(inner))); };
        asio::co_spawn(context, keep(std::move(checking), &ended),
            asio::bind_cancellation_slot(leave.emplace_back().slot(), [](std::exception_ptr) { }));
        turn();
    }
    void turn()
    {
        context.restart();
        context.poll();
    }
    void finish()
    {
        pool.finish();
        turn();
    }
    void advance(std::chrono::milliseconds by)
    {
        time.advance(by);
        turn();
    }

    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    system_clock clock;
    id_factory ids{clock};
    const tenant_id one = ids.make<tenant_id>();
    const tenant_id other = ids.make<tenant_id>();
    const tenant_id third = ids.make<tenant_id>();
    fake_pool pool;
    schema_checks checks{context.get_executor(), time, &tells_the_json,
        [this](std::function<answer()> work) { return pool.run(std::move(work)); }, {.at_once = 2, .max_waiting = 2}};
    std::list<asio::cancellation_signal> leave;    // of each that asked
    std::vector<std::string> ended;
};

TEST_F(SchemaChecks, RunElsewhere)
{
    ask(one, "a");
    EXPECT_EQ(pool.busy(), 1u);
    EXPECT_THAT(ended, IsEmpty()) << "not on the I/O thread";
    finish();
    EXPECT_THAT(ended, ElementsAre("a"));
}

TEST_F(SchemaChecks, ATenantsSecondWaitsForItsFirst)
{
    ask(one, "a");
    ask(one, "b");
    EXPECT_EQ(pool.busy(), 1u) << "though a thread is free";
    EXPECT_EQ(checks.waiting(), 1u);
    ask(other, "c");
    EXPECT_EQ(pool.busy(), 2u) << "which is for others";
    finish();
    EXPECT_THAT(ended, ElementsAre("a"));
    EXPECT_EQ(pool.busy(), 2u);
    finish();
    finish();
    EXPECT_THAT(ended, ElementsAre("a", "c", "b"));
}

TEST_F(SchemaChecks, TenantsTakeTurns)
{
    ask(one, "a1");
    ask(one, "a2");
    ask(other, "b1");
    ask(other, "b2");
    ask(third, "c1");
    EXPECT_EQ(pool.begun, 2u);
    for (int i = 0; i < 5; ++i)
        finish();
    EXPECT_THAT(ended, ElementsAre("a1", "b1", "c1", "a2", "b2"));
}

TEST_F(SchemaChecks, TooManyOfATenantAreRefused)
{
    for (const auto* name : {"a", "b", "c", "d"})
        ask(one, name);
    EXPECT_THAT(ended,
        ElementsAre("runtime_unavailable: the check by the skill's schema has to wait too long: 2 of the tenant's wait; try again later"));
    ask(other, "e");
    EXPECT_EQ(pool.busy(), 2u) << "the others are not";
}

TEST_F(SchemaChecks, ARequestWhoseTurnDoesNotComeIsRefused)
{
    ask(one, "a");
    ask(one, "b");
    advance(9'999ms);
    EXPECT_THAT(ended, IsEmpty());
    advance(1ms);
    EXPECT_THAT(ended, ElementsAre("runtime_unavailable: the check by the skill's schema has to wait too long: its turn did not come "
                                   "within 10 seconds; try again later"));
    EXPECT_EQ(checks.waiting(), 0u);
    finish();
    ask(one, "c");
    finish();
    EXPECT_THAT(ended, ElementsAre(::testing::_, "a", "c"));
}

TEST_F(SchemaChecks, TheEndOfAnExecutionWaitsLonger)
{
    for (const auto* name : {"a", "b", "c"})
        ask(one, name);
    ask(one, "end", asker::execution);
    EXPECT_EQ(checks.waiting(), 3u) << "and is not refused for those before it";
    advance(599'999ms);
    for (int i = 0; i < 2; ++i)
        finish();
    EXPECT_EQ(ended.back(), "end");
}

TEST_F(SchemaChecks, WhoLeavesGivesItsTurnUp)
{
    ask(one, "a");
    ask(one, "b");
    leave.back().emit(asio::cancellation_type::terminal);
    turn();
    EXPECT_EQ(checks.waiting(), 0u);
    finish();
    EXPECT_EQ(pool.begun, 1u);
    ask(one, "c");
    EXPECT_EQ(pool.begun, 2u);
}

std::thread::id checked_on;

answer notes_its_thread(std::string_view, std::string_view)
{
    checked_on = std::this_thread::get_id();
    return std::vector<field_problem>();
}

TEST(SchemaChecksOnThreads, AreNotOnTheIoThread)
{
    asio::io_context context;
    testing::fake_timers time(context.get_executor());
    worker_pool workers("checks", 1);
    schema_checks checks(context.get_executor(), time, &notes_its_thread,
        [&workers](std::function<answer()> work) { return offload(workers, std::move(work)); });
    auto checking = checks.check({}, asker::request, "{}", shared_bytes("1"));
    EXPECT_TRUE(testing::run_task(context, std::move(checking)).has_value());
    EXPECT_NE(checked_on, std::thread::id());
    EXPECT_NE(checked_on, std::this_thread::get_id());
}

}    // namespace
}    // namespace caisson

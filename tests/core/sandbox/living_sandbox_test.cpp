#include "core/sandbox/living_sandbox.hpp"

#include "tests/support/fake_runtime.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace caisson {
namespace {

using testing::run_task;

class LivingSandbox : public ::testing::Test {
protected:
    LivingSandbox()
    {
        sandbox_spec spec;
        spec.id = ids_.make<sandbox_id>();
        auto made = run_task(context_, runtime_.create(spec));
        EXPECT_TRUE(run_task(context_, runtime_.start(**made)).has_value());
        home_ = std::make_unique<living_sandbox>(context_.get_executor(), time_, log_, protocol::link_options{"test", 7}, std::move(*made));
    }
    ~LivingSandbox() override
    {
        if (home_)
            run_task(context_, home_->close());
    }
    void carry()
    {
        home_->carry({"execution_id", "test"},
            [this](const std::string& why, bool agent_died) { losses_.push_back((agent_died ? "died: " : "lost: ") + why); });
        turn();
    }
    void turn()
    {
        context_.restart();
        context_.poll();
    }
    testing::fake_agent& agent() { return runtime_.agent(0); }

    asio::io_context context_;
    testing::fake_timers time_{context_.get_executor()};
    null_logger log_;
    id_factory ids_{time_};
    testing::fake_runtime runtime_;
    std::unique_ptr<living_sandbox> home_;
    std::vector<std::string> losses_;
};

TEST_F(LivingSandbox, HasALinkFromOpenToClose)
{
    EXPECT_EQ(home_->link(), nullptr);
    EXPECT_TRUE(run_task(context_, home_->open(time_.steady_now() + std::chrono::seconds(10))).has_value());
    EXPECT_NE(home_->link(), nullptr);
    carry();
    run_task(context_, home_->close());
    EXPECT_EQ(home_->link(), nullptr);
    EXPECT_TRUE(losses_.empty()) << "a close is no loss";
    run_task(context_, home_->close());
}

TEST_F(LivingSandbox, TellsThatItEndedOnceItIsWatched)
{
    EXPECT_TRUE(run_task(context_, home_->open(time_.steady_now() + std::chrono::seconds(10))).has_value());
    carry();
    home_->watch();
    home_->watch();
    turn();
    EXPECT_TRUE(losses_.empty());
    agent().die("it was killed");
    turn();
    ASSERT_EQ(losses_.size(), 1U);
    EXPECT_EQ(losses_[0], "died: the sandbox ended: it was killed");
}

TEST_F(LivingSandbox, NumbersWhatRunsBesideItsPrograms)
{
    const auto first = home_->numbers().next();
    EXPECT_GT(first, exec_numbers::first_program);
    EXPECT_NE(home_->numbers().next(), first);
}

}    // namespace
}    // namespace caisson

#include "adapters/host/agent_listener.hpp"

#include "adapters/host/run_directory.hpp"
#include "tests/adapters/host/scratch_directory.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using caisson::testing::run_task;

class AgentListener : public ::testing::Test {
protected:
    result<unique_fd> accept(pid_t expected, steady_time deadline) { return run_task(context, door.accept(expected, deadline)); }
    /// A call that waits; `taken` is what it gives.
    void begin_accept(pid_t expected, steady_time deadline)
    {
        auto wrapped = [](agent_listener* from, pid_t who, steady_time until, std::optional<result<unique_fd>>* into) -> task<> {
            into->emplace(co_await from->accept(who, until));
        };
        asio::co_spawn(context, wrapped(&door, expected, deadline, &taken), [](std::exception_ptr e) {
            if (e)
                std::rethrow_exception(e);
        });
    }
    void run_until_taken()
    {
        context.restart();
        while (!taken && context.run_one() > 0) { }
    }

    unique_fd dial() const
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        (directory.path() + "/link/s").copy(address.sun_path, sizeof address.sun_path - 1);
        unique_fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        return socket;
    }
    /// From another process, which ends with it.
    void dial_from_elsewhere() const
    {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto socket = dial();
            ::_exit(0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
    }
    static bool is_open(const unique_fd& end)
    {
        char byte = 0;
        return ::recv(end.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }

    caisson::testing::scratch_directory scratch;
    run_directory directory = run_directory::make(scratch.path(), *sandbox_id::parse("sbx_01jd2c00000000000000000000")).value();
    asio::io_context context;
    caisson::testing::fake_timers time{context.get_executor()};
    agent_listener door{context.get_executor(), time, directory.listen_in_link().value()};
    std::optional<result<unique_fd>> taken;
};

TEST_F(AgentListener, TakesTheExpectedProcess)
{
    const auto mine = dial();
    const auto got = accept(::getpid(), time.steady_now() + 1s);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_TRUE(is_open(mine));
    EXPECT_EQ(door.strangers(), 0u);
}

TEST_F(AgentListener, TakesTheNewestAndClosesTheOthers)
{
    const auto older = dial();
    const auto newer = dial();
    const auto got = accept(::getpid(), time.steady_now() + 1s);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_FALSE(is_open(older));
    EXPECT_TRUE(is_open(newer));
}

TEST_F(AgentListener, ClosesAndCountsStrangers)
{
    dial_from_elsewhere();
    const auto mine = dial();
    dial_from_elsewhere();
    const auto got = accept(::getpid(), time.steady_now() + 1s);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_TRUE(is_open(mine));
    EXPECT_EQ(door.strangers(), 2u);
}

TEST_F(AgentListener, NobodyElseIsTaken)
{
    const auto mine = dial();
    const auto got = accept(::getppid(), time.steady_now());
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::timed_out);
    EXPECT_FALSE(is_open(mine));
}

TEST_F(AgentListener, WaitsForOneThatComesLater)
{
    begin_accept(::getpid(), time.steady_now() + 1s);
    context.poll();
    EXPECT_FALSE(taken);
    dial_from_elsewhere();
    context.poll();
    EXPECT_FALSE(taken) << "a stranger does not end the wait";
    const auto mine = dial();
    run_until_taken();
    ASSERT_TRUE(taken && taken->has_value());
    EXPECT_TRUE(is_open(mine));
}

TEST_F(AgentListener, GivesUpAtTheDeadline)
{
    begin_accept(::getpid(), time.steady_now() + 1s);
    context.poll();
    time.advance(1s);
    run_until_taken();
    ASSERT_TRUE(taken && taken->has_error());
    EXPECT_EQ(taken->error().code, errc::timed_out);
}

/// The agent sees the directory, not the socket in it.
TEST_F(AgentListener, TheNextServerListensAtTheSamePlace)
{
    const auto waiting = dial();
    agent_listener next(context.get_executor(), time, directory.listen_in_link().value());
    const auto mine = dial();
    const auto got = run_task(context, next.accept(::getpid(), time.steady_now() + 1s));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_TRUE(is_open(mine));
    EXPECT_TRUE(is_open(waiting)) << "it came to the one before";
}

TEST(AgentListenerSocket, MustBeOne)
{
    asio::io_context context;
    caisson::testing::fake_timers time{context.get_executor()};
    EXPECT_THROW(agent_listener(context.get_executor(), time, unique_fd()), boost::system::system_error);
}

}    // namespace

}    // namespace caisson

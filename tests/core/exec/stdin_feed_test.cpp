#include "core/exec/stdin_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// An agent_link that writes down what is sent to a program's stdin, as "offset:bytes" and "end:offset".
class stdin_recorder final : public protocol::agent_link {
public:
    std::vector<std::string> sent;

    void send_stdin(protocol::exec_number, std::uint64_t offset, shared_bytes bytes) override
    {
        sent.push_back(std::to_string(offset) + ":" + std::string(bytes.view()));
    }
    void end_stdin(protocol::exec_number, std::uint64_t end) override { sent.push_back("end:" + std::to_string(end)); }

    task<result<void>> open(steady_time) override { co_return result<void>(); }
    task<result<bool>> park(protocol::exec_number, protocol::park_request, std::vector<int>, steady_time) override { co_return false; }
    task<result<void>> run() override { co_return result<void>(); }
    void close() noexcept override { }
    void attach(protocol::exec_number, protocol::execution_sink&, std::optional<protocol::resume_point>) override { }
    void detach(protocol::exec_number) override { }
    void put_file(protocol::exec_number, std::string, std::uint32_t, shared_bytes) override { }
    void spawn(protocol::exec_number, protocol::spawn_request, std::vector<int>) override { }
    std::uint64_t stdin_backlog(protocol::exec_number) const override { return 0; }
    void acknowledge(protocol::exec_number, protocol::stream_number, std::uint64_t) override { }
    bool signal(protocol::exec_number, int, target) override { return true; }
    void resize(protocol::exec_number, std::uint16_t, std::uint16_t) override { }
    void forget(protocol::exec_number) override { }
    void shutdown() override { }
};

class StdinFeed : public ::testing::Test {
protected:
    static shared_bytes bytes(std::string text) { return shared_bytes(std::move(text)); }
    std::vector<std::string> flushed()
    {
        stdin_recorder to;
        feed_.flush(to, 1);
        return to.sent;
    }

    stdin_feed feed_;
    stdin_recorder link_;
};

TEST_F(StdinFeed, KeepsWhatIsGivenBeforeThereIsAnAgent)
{
    feed_.give_first(bytes("first"), false);
    feed_.give(bytes("later"), true, nullptr, 1);
    EXPECT_EQ(feed_.end(), 10U);
    EXPECT_TRUE(feed_.is_closed());
    EXPECT_THAT(flushed(), ElementsAre("0:first", "5:later", "end:10"));
}

TEST_F(StdinFeed, GivesAnotherAgentWhatNoProgramHasStartedWith)
{
    feed_.give_first(bytes("first"), false);
    feed_.give(bytes("later"), false, &link_, 1);
    EXPECT_THAT(link_.sent, ElementsAre("5:later"));
    feed_.rewind(false, true);
    EXPECT_THAT(flushed(), ElementsAre("0:first", "5:later"));
}

TEST_F(StdinFeed, KeepsNothingThatAStartedProgramWasGiven)
{
    feed_.give_first(bytes("first"), false);
    feed_.note_started();
    feed_.give(bytes("later"), true, &link_, 1);
    EXPECT_THAT(link_.sent, ElementsAre("5:later", "end:10"));
    EXPECT_THAT(flushed(), ElementsAre("end:10"));
}

TEST_F(StdinFeed, BeginsAnewAfterAProgramRan)
{
    feed_.give_first(bytes("first"), false);
    feed_.note_started();
    EXPECT_FALSE(feed_.was_given_later());
    feed_.give(bytes("later"), true, &link_, 1);
    EXPECT_TRUE(feed_.was_given_later());
    feed_.rewind(true, true);
    EXPECT_EQ(feed_.end(), 5U);
    EXPECT_FALSE(feed_.is_closed());
    EXPECT_THAT(flushed(), IsEmpty()) << "the request's bytes come with the spec that is fetched again";
    feed_.give_first(bytes("first"), false);
    EXPECT_THAT(flushed(), ElementsAre("0:first"));
    EXPECT_EQ(feed_.end(), 5U);
}

TEST_F(StdinFeed, TakesTheRequestsBytesOnceForAnAttempt)
{
    feed_.give_first(bytes("first"), true);
    feed_.give_first(bytes("again"), true);
    EXPECT_THAT(flushed(), ElementsAre("0:first", "end:5"));
}

TEST_F(StdinFeed, LearnsFromTheAgentWhatAnEarlierServerGave)
{
    feed_.forget_earlier();
    EXPECT_FALSE(feed_.is_known());
    feed_.note_taken(7);
    feed_.note_end_taken();
    feed_.note_known();
    EXPECT_TRUE(feed_.is_known() && feed_.is_closed() && feed_.is_end_taken());
    EXPECT_EQ(feed_.end(), 7U);
    EXPECT_EQ(feed_.untaken(), 0U);
}

}    // namespace
}    // namespace caisson

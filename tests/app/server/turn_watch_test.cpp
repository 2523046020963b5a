#include "app/server/turn_watch.hpp"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>

#include <ctime>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct kept_log : logger {
    void write(log_level, std::string_view message, std::initializer_list<log_field> fields) noexcept override
    {
        messages.emplace_back(message);
        for (const auto& field : fields)
            if (field.name == "stack")
                stack = field.value.as_string();
            else if (field.name == "ms")
                lengths.push_back(field.value.as_int64());
    }
    std::vector<std::int64_t> lengths;
    std::vector<std::string> messages;
    std::string stack;
};

/// Uses so much processor time.
void work_for(std::chrono::nanoseconds length)
{
    const auto used = [] {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    };
    for (const auto end = used() + length; used() < end;) { }
}

struct TurnWatch : ::testing::Test {
    void run(std::vector<std::chrono::nanoseconds> turns)
    {
        for (const auto length : turns)
            asio::post(context, [length] { work_for(length); });
        watch.run(context);
        context.restart();
    }
    asio::io_context context;
    kept_log log;
    turn_watch watch{log};
};

TEST_F(TurnWatch, ManyShortTurnsAreNotLong)
{
    run(std::vector<std::chrono::nanoseconds>(200, 1ms));
    EXPECT_EQ(watch.detail(), "");
    EXPECT_THAT(log.messages, ::testing::IsEmpty());
}

TEST_F(TurnWatch, ALongTurnIsCountedAndItsStackIsLogged)
{
    run({1ms, 100ms, 1ms});
    EXPECT_THAT(watch.detail(), StartsWith("turns of 20 ms of processor time or more: 1; the longest: "));
    ASSERT_EQ(log.messages.size(), 1u);
    EXPECT_THAT(log.messages[0], HasSubstr("other requests waited for it"));
    EXPECT_THAT(log.stack, HasSubstr("app_server_tests+0x"));
}

TEST_F(TurnWatch, OnlyAStackOfALongerTurnIsLoggedAgain)
{
    run({60ms, 200ms, 60ms, 60ms});
    EXPECT_THAT(watch.detail(), StartsWith("turns of 20 ms of processor time or more: 4; "));
    EXPECT_EQ(log.messages.size(), 2u);
    EXPECT_THAT(log.lengths, ::testing::ElementsAre(::testing::Ge(20), ::testing::Ge(20)));
}

}    // namespace
}    // namespace caisson

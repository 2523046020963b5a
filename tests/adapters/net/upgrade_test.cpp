#include "core/async/deadline.hpp"
#include "tests/adapters/net/upgrade_fixture.hpp"

#include <gmock/gmock.h>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Upgrade = upgrade_test;

TEST_F(Upgrade, AsksForTheConnection)
{
    begin({switched});
    ASSERT_TRUE(connected());
    EXPECT_THAT(how.heard, HasSubstr("POST /attach?stream=1 HTTP/1.1\r\n"));
    EXPECT_THAT(how.heard, HasSubstr("\r\nConnection: Upgrade\r\n"));
    EXPECT_THAT(how.heard, HasSubstr("\r\nUpgrade: tcp\r\n"));
    EXPECT_THAT(how.heard, HasSubstr("\r\nContent-Length: 0\r\n"));
}

TEST_F(Upgrade, MayNameAnotherProtocol)
{
    begin({"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"});
    const auto got = ask({{"Upgrade", "h2c"}});
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_TRUE(got->connection);
    EXPECT_EQ(how.heard.find("tcp"), std::string::npos);
}

struct handed_case {
    std::string_view name;
    std::string head;
    bool local;
};
class HandedOver : public Upgrade, public ::testing::WithParamInterface<handed_case> { };
TEST_P(HandedOver, CarriesBytesBothWaysToBothEnds)
{
    const auto& c = GetParam();
    const upgrade_script what{c.head + "early", afterwards::echo};
    c.local ? begin_locally(what) : begin(what);
    auto got = ask();
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->answer.fields.find("Content-Type"), "application/x-raw");
    ASSERT_TRUE(got->connection);
    user.reset();    // the connection needs it no more
    auto& both = *got->connection;
    EXPECT_EQ(both.executor(), context.get_executor());
    EXPECT_EQ(read(both, 2), "ea");
    EXPECT_EQ(read(both, 3), "rly");
    write(both, "one, ", "two");
    EXPECT_EQ(read(both, 8), "one, two");
    both.shutdown_send();
    EXPECT_EQ(read(both, 100), "bye");
    EXPECT_EQ(read(both, 100), "");
}
INSTANTIATE_TEST_SUITE_P(All, HandedOver,
    ::testing::Values(handed_case{"switched", switched, false}, handed_case{"switched_locally", switched, true},
        handed_case{"old_style", old_style, false}, handed_case{"after_continue", "HTTP/1.1 100 Continue\r\n\r\n" + switched, false},
        handed_case{"length_of_a_101_means_nothing", switched.substr(0, switched.size() - 2) + "Content-Length: 3\r\n\r\n", true}),
    [](const auto& info) { return std::string(info.param.name); });

task<> write_it(raw_connection* to, const std::string* bytes)
{
    const std::array<std::string_view, 1> parts{*bytes};
    co_await to->write(parts);
    to->shutdown_send();
}

TEST_F(Upgrade, ReadsWhileItWrites)
{
    begin({switched, afterwards::echo});
    const auto both = connected();
    std::string bytes(3'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 31 + i / 1000);
    asio::co_spawn(context, write_it(both.get(), &bytes), [](std::exception_ptr failed) { EXPECT_FALSE(failed); });
    const auto got = read(*both, bytes.size() + 100);
    EXPECT_TRUE(got == bytes + "bye") << got.size();
}

struct kept_case {
    std::string_view name;
    std::string says;
    int status;
    std::string body;
};
class Kept : public Upgrade, public ::testing::WithParamInterface<kept_case> { };
TEST_P(Kept, ConnectionComesWithItsAnswer)
{
    const auto& c = GetParam();
    begin({c.says, afterwards::wait});
    const auto got = ask();
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_FALSE(got->connection);
    EXPECT_EQ(got->answer.status, c.status);
    EXPECT_EQ(got->answer.body, c.body);
}
INSTANTIATE_TEST_SUITE_P(All, Kept,
    ::testing::Values(
        kept_case{"missing", "HTTP/1.1 404 Not Found\r\nContent-Length: 15\r\n\r\n{\"message\":\"x\"}", 404, R"({"message":"x"})"},
        kept_case{"conflict", "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 409, "abc"},
        kept_case{"no_body", "HTTP/1.1 304 Not Modified\r\n\r\n", 304, ""},
        kept_case{"ordinary", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
        kept_case{"large", "HTTP/1.1 500 Oops\r\nContent-Length: 99999\r\n\r\n" + std::string(99'000, 'x'), 500, std::string(65'536, 'x')}),
    [](const auto& info) { return std::string(info.param.name); });

struct broken_case {
    std::string_view name;
    std::string says;
    errc code;
    std::string_view detail;
};
class BrokenUpgrade : public Upgrade, public ::testing::WithParamInterface<broken_case> { };
TEST_P(BrokenUpgrade, IsAnError)
{
    const auto& c = GetParam();
    begin({c.says});
    const auto got = ask();
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, c.code);
    EXPECT_THAT(got.error().detail, HasSubstr(c.detail));
}
INSTANTIATE_TEST_SUITE_P(All, BrokenUpgrade,
    ::testing::Values(broken_case{"not_http", "SSH-2.0-OpenSSH\r\n\r\n", errc::bad_request, "status line"},
        broken_case{"nothing", "", errc::runtime_unavailable, "before the answer was complete"},
        broken_case{"cut_head", "HTTP/1.1 101 UPGRADED\r\nUp", errc::runtime_unavailable, "before the answer was complete"},
        broken_case{"cut_body", "HTTP/1.1 500 x\r\nContent-Length: 9\r\n\r\nab", errc::runtime_unavailable, "before the answer"},
        broken_case{"endless_head", "HTTP/1.1 101 x\r\nA: " + std::string(70'000, 'a'), errc::too_large, "65536 bytes"},
        broken_case{"other_protocol", "HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n", errc::bad_request, "another protocol than 'tcp'"},
        broken_case{"no_protocol", "HTTP/1.1 101 x\r\n\r\n", errc::bad_request, "another protocol than 'tcp'"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Upgrade, HasADeadline)
{
    begin({"HTTP/1.1 101 UPGR", afterwards::wait});
    std::optional<result<upgrade_answer>> got;
    auto asking = user->upgrade(request{.method = "POST", .target = "/"}, time.steady_now() + 5s);
    asio::co_spawn(context, std::move(asking), [&](std::exception_ptr, result<upgrade_answer> value) { got = std::move(value); });
    settle();
    EXPECT_FALSE(got);
    time.advance(5s);
    settle();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->error().code, errc::timed_out);
    EXPECT_TRUE(how.ended) << "the connection was closed";
}

TEST_F(Upgrade, SaysThatNobodyListens)
{
    begin({switched});
    door->close();
    const auto got = ask();
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
}

TEST_F(Upgrade, ACancelledReadLosesNothing)
{
    begin({switched, afterwards::echo});
    const auto both = connected();
    std::string room(10, '\0');
    std::optional<result<std::size_t>> got;
    asio::co_spawn(context, with_deadline(time, time.steady_now() + 1s, both->read_some(room)),
        [&](std::exception_ptr, result<std::size_t> value) { got = std::move(value); });
    settle();
    EXPECT_FALSE(got);
    time.advance(1s);
    settle();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->error().code, errc::timed_out);
    write(*both, "still here");
    EXPECT_EQ(read(*both, 10), "still here");
}

TEST_F(Upgrade, AnAbandonedReadEndsTheConnection)
{
    begin({switched, afterwards::wait});
    auto both = connected();
    std::string room(10, '\0');
    bool ended = false;
    asio::co_spawn(context, both->read_some(room), [&](std::exception_ptr failed, std::size_t) { ended = failed != nullptr; });
    settle();
    EXPECT_FALSE(ended);
    both->close();
    settle();
    EXPECT_TRUE(ended);
    EXPECT_TRUE(how.ended);
    EXPECT_THROW(write(*both, "x"), boost::system::system_error);
    EXPECT_THROW(read(*both, 1), boost::system::system_error);
    both->shutdown_send();    // nothing to say it to
}

TEST_F(Upgrade, AClosedConnectionFreesItsWriter)
{
    begin({switched, afterwards::wait});
    const auto both = connected();
    const std::string much(20'000'000, 'x');
    bool ended = false;
    asio::co_spawn(context, write_it(both.get(), &much), [&](std::exception_ptr failed) { ended = failed != nullptr; });
    settle();
    both->close();
    settle();
    EXPECT_TRUE(ended);
}

TEST_F(Upgrade, AResetIsNotAnEnd)
{
    begin({switched, afterwards::reset});
    const auto both = connected();
    write(*both, "do it");
    EXPECT_THROW(read(*both, 1), boost::system::system_error);
}

}    // namespace
}    // namespace caisson::net

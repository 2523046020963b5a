#include "tests/app/wire/wire_fixture.hpp"

#include "app/wire/control_request.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace caisson::wire {

namespace {

TEST(StdinRequest, ReadsTextAndBytes)
{
    const auto text = parse_stdin_request(R"({"data":"a\u0000ä\n"})");
    ASSERT_TRUE(text);
    EXPECT_EQ(text->data, std::string("a\0ä\n", 5));
    EXPECT_FALSE(text->offset);
    EXPECT_FALSE(text->eof);
    const auto bytes = parse_stdin_request(R"({"data":"AP8=","encoding":"base64","offset":7,"eof":true})");
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->data, std::string("\0\xff", 2));
    EXPECT_EQ(bytes->offset, 7u);
    EXPECT_TRUE(bytes->eof);
    EXPECT_TRUE(parse_stdin_request(R"({"eof":true})"));
    EXPECT_TRUE(parse_stdin_request(R"({"data":"x","encoding":"utf-8"})"));
}

struct bad_case {
    std::string_view name;
    std::string body;
    std::string_view want;
};
void PrintTo(const bad_case& c, std::ostream* out) { *out << c.name; }
std::string name_of(const ::testing::TestParamInfo<bad_case>& info) { return std::string(info.param.name); }

class BadStdin : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadStdin, IsNamed)
{
    const auto parsed = parse_stdin_request(GetParam().body);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(told(parsed.error()), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, BadStdin,
    ::testing::Values(bad_case{"empty", "{}", "bad_request: data is required unless eof is true"},
        bad_case{"type", R"({"data":1})", "bad_request: data must be a string"},
        bad_case{"base64", R"({"data":"AP8","encoding":"base64"})", "bad_request: data must be base64 with its padding"},
        bad_case{"encoding", R"({"data":"","encoding":"hex"})", R"(bad_request: encoding must be one of "utf-8", "base64")"},
        bad_case{"offset", R"({"data":"","offset":-1})", "bad_request: offset must be a whole number between 0 and 9223372036854775807"},
        bad_case{"eof", R"({"eof":1})", "bad_request: eof must be true or false"},
        bad_case{"unknown", R"({"data":"","close":true})", "bad_request: close is not a known field"},
        bad_case{"too_long", R"({"data":")" + std::string(max_stdin_bytes + 1, 'x') + "\"}",
            "bad_request: data must be at most 67108864 bytes long, not 67108865"}),
    name_of);

struct signal_case {
    std::string_view name;
    std::string_view body;
    int number;
    signal_scope scope;
};
class Signal : public ::testing::TestWithParam<signal_case> { };
TEST_P(Signal, IsRead)
{
    const auto parsed = parse_signal_request(GetParam().body);
    ASSERT_TRUE(parsed) << told(parsed.error());
    EXPECT_EQ(parsed->number, GetParam().number);
    EXPECT_EQ(parsed->scope, GetParam().scope);
}
INSTANTIATE_TEST_SUITE_P(Cases, Signal,
    ::testing::Values(signal_case{"long_name", R"({"signal":"SIGINT"})", SIGINT, signal_scope::group},
        signal_case{"short_name", R"({"signal":"TERM"})", SIGTERM, signal_scope::group},
        signal_case{"lower_case", R"({"signal":"sigusr1"})", SIGUSR1, signal_scope::group},
        signal_case{"number", R"({"signal":9})", SIGKILL, signal_scope::group},
        signal_case{"leader", R"({"signal":"HUP","target":"leader"})", SIGHUP, signal_scope::leader},
        signal_case{"group", R"({"signal":"HUP","target":"group"})", SIGHUP, signal_scope::group}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Signal, BadOnesAreNamed)
{
    constexpr std::string_view want = "bad_request: signal must be a signal's name, such as \"SIGTERM\", or a number between 1 and 31";
    for (auto signal : {"0", "32", "-1", "9.5", "\"\"", "\"SIG\"", "\"SIGRTMIN\"", "\"9\"", "null", "[9]", "\"SIGSIGTERM\""}) {
        const auto parsed = parse_signal_request("{\"signal\":" + std::string(signal) + "}");
        ASSERT_FALSE(parsed) << signal;
        EXPECT_EQ(told(parsed.error()), want) << signal;
    }
    EXPECT_EQ(told(parse_signal_request("{}").error()), "bad_request: signal is required");
    EXPECT_EQ(
        told(parse_signal_request(R"({"signal":9,"target":"all"})").error()), R"(bad_request: target must be one of "group", "leader")");
}

TEST(SignalNumber, IsThatOfThisSystem)
{
    for (int number = 1; number <= 31; ++number) {
        if (number == SIGSTKFLT)
            continue;
        EXPECT_EQ(signal_number(::sigabbrev_np(number)), number);
    }
}

TEST(CancelRequest, MayBeEmpty)
{
    EXPECT_TRUE(parse_no_fields(""));
    EXPECT_TRUE(parse_no_fields(" {} "));
    EXPECT_EQ(told(parse_no_fields(R"({"force":true})").error()), "bad_request: force is not a known field");
    EXPECT_FALSE(parse_no_fields("[]"));
}

}    // namespace

}    // namespace caisson::wire

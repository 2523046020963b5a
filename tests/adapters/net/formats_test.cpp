#include "adapters/net/http_types.hpp"
#include "adapters/net/input_buffer.hpp"
#include "adapters/net/percent.hpp"
#include "adapters/net/sse.hpp"
#include "adapters/net/url.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

struct event_case {
    std::string_view name;
    std::string_view id;
    std::string_view data;
    std::string_view event;
    std::string_view want;
};
class SseEvent : public ::testing::TestWithParam<event_case> { };
TEST_P(SseEvent, IsWritten)
{
    const auto& c = GetParam();
    EXPECT_EQ(sse_event(c.id, c.data, c.event), c.want);
}
INSTANTIATE_TEST_SUITE_P(Cases, SseEvent,
    ::testing::Values(event_case{"plain", "7", "{}", "", "id: 7\ndata: {}\n\n"}, event_case{"no_id", "", "a", "", "data: a\n\n"},
        event_case{"named", "", "a", "exit", "event: exit\ndata: a\n\n"}, event_case{"two_lines", "", "a\nb", "", "data: a\ndata: b\n\n"},
        event_case{"all_line_ends", "", "a\r\nb\rc\n", "", "data: a\ndata: b\ndata: c\ndata: \n\n"},
        event_case{"empty", "", "", "", "data: \n\n"}, event_case{"id_cannot_inject", "1\ndata: x", "a", "", "id: 1data: x\ndata: a\n\n"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Sse, CommentsAndRetry)
{
    EXPECT_EQ(sse_comment("hi\nho"), ": hi\n: ho\n\n");
    EXPECT_EQ(sse_comment(""), ": \n\n");
    EXPECT_EQ(sse_retry(std::chrono::seconds(2)), "retry: 2000\n\n");
}

struct url_case {
    std::string_view name;
    std::string_view text;
    std::string_view host;    // empty: refused
    int port;
    std::string_view base_path;
    std::string_view authority;    // or a part of the refusal
};
class Url : public ::testing::TestWithParam<url_case> { };
TEST_P(Url, IsParsed)
{
    const auto& c = GetParam();
    const auto got = url::parse(c.text);
    if (c.host.empty()) {
        ASSERT_TRUE(got.has_error());
        EXPECT_EQ(got.error().code, errc::bad_request);
        EXPECT_NE(got.error().detail.find(c.authority), std::string::npos) << got.error().detail;
        return;
    }
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->host, c.host);
    EXPECT_EQ(got->port, c.port);
    EXPECT_EQ(got->base_path, c.base_path);
    EXPECT_EQ(got->authority(), c.authority);
}
INSTANTIATE_TEST_SUITE_P(Cases, Url,
    ::testing::Values(url_case{"name", "http://localhost:8080", "localhost", 8080, "", "localhost:8080"},
        url_case{"default_port", "http://a.b/", "a.b", 80, "", "a.b"}, url_case{"ipv6", "http://[::1]:81/x/", "::1", 81, "/x", "[::1]:81"},
        url_case{"ipv6_default_port", "http://[::1]", "::1", 80, "", "[::1]"}, url_case{"no_scheme", "localhost:1", "", 0, "", "http://"},
        url_case{"https", "https://a", "a", 443, "", "a"}, url_case{"https_with_port", "https://a:80/x", "a", 80, "/x", "a:80"},
        url_case{"unix", "unix:///run/a.sock", "localhost", 80, "", "localhost"},
        url_case{"unix_relative", "unix://run/a.sock", "", 0, "", "absolute path"},
        url_case{"another_scheme", "ftp://a", "", 0, "", "http:// or https://"}, url_case{"no_host", "http://:80", "", 0, "", "host"},
        url_case{"open_bracket", "http://[::1", "", 0, "", "']'"}, url_case{"empty_port", "http://a:", "", 0, "", "port"},
        url_case{"port_zero", "http://a:0", "", 0, "", "port"}, url_case{"large_port", "http://a:65536", "", 0, "", "port"},
        url_case{"junk_after_bracket", "http://[::1]x", "", 0, "", "port"}, url_case{"user", "http://u@a", "", 0, "", "host"},
        url_case{"query", "http://a/b?c", "", 0, "", "query"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Percent, RoundTrips)
{
    EXPECT_EQ(percent_encode("a b/%\xff~"), "a%20b%2F%25%FF~");
    EXPECT_EQ(percent_decode("a%20b%2f%25%FF~"), "a b/%\xff~");
    EXPECT_EQ(percent_decode("a+b"), "a+b");
    EXPECT_EQ(percent_decode("a+b", plus_sign::space), "a b");
    for (const auto* bad : {"%", "%1", "%1g", "%g1", "a%"})
        EXPECT_FALSE(percent_decode(bad)) << bad;
}

TEST(Headers, CompareWithoutCase)
{
    headers all{{"Accept", "a"}, {"accept", "b"}, {"X", "c, Keep-Alive ,d"}};
    EXPECT_EQ(all.find("ACCEPT"), "a");
    EXPECT_EQ(all.count("accept"), 2u);
    EXPECT_TRUE(all.has_token("x", "keep-alive"));
    EXPECT_FALSE(all.has_token("x", "keep"));
    all.set("aCCept", "z");
    EXPECT_EQ(all.count("accept"), 1u);
    EXPECT_EQ(all.find("accept"), "z");
    all.erase("x");
    EXPECT_EQ(all.size(), 1u);
}

TEST(InputBuffer, KeepsBytesWhileItGrowsAndMoves)
{
    input_buffer buffer(10'000);
    std::string want;
    for (int i = 0; i < 40; ++i) {
        auto room = buffer.prepare();
        ASSERT_FALSE(room.empty());
        const auto count = std::min<std::size_t>(room.size(), 999);
        const std::string piece(count, static_cast<char>('a' + i % 26));
        std::ranges::copy(piece, room.begin());
        buffer.commit(count);
        want += piece;
        ASSERT_EQ(buffer.view(), want);
        const auto taken = std::min<std::size_t>(want.size(), i % 3 == 0 ? 2500 : 300);
        buffer.consume(taken);
        want.erase(0, taken);
        ASSERT_EQ(buffer.view(), want);
    }
    while (!buffer.full())
        buffer.commit(buffer.prepare().size());
    EXPECT_EQ(buffer.view().size(), 10'000u);
    EXPECT_TRUE(buffer.prepare().empty());
    buffer.consume(10'000);
    buffer.shrink();
    EXPECT_FALSE(buffer.prepare().empty());
}

}    // namespace
}    // namespace caisson::net

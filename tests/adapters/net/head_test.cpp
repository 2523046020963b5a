#include "adapters/net/head.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

struct head_case {
    std::string_view name;
    std::string head;
    int status;               // 0: taken
    std::string_view says;    // a part of the refusal
};

/// What a session does: the scanner first, then the parser.
std::optional<refusal> read(const std::string& text, request_head& out)
{
    head_scanner scanner(head_limits{64, 128, 3});
    if (!scanner.scan(text))
        return scanner.refused() ? scanner.refused() : refusal{0, errc::internal, "incomplete"};
    return parse_request_head(std::string_view(text).substr(0, scanner.head_bytes()), out);
}

class RequestHead : public ::testing::TestWithParam<head_case> { };

TEST_P(RequestHead, IsTakenOrRefused)
{
    const auto& c = GetParam();
    request_head out;
    const auto refused = read(c.head, out);
    if (c.status == 0) {
        EXPECT_FALSE(refused) << refused->message;
        return;
    }
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, c.status) << refused->message;
    EXPECT_NE(refused->message.find(c.says), std::string::npos) << refused->message;
}

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n";

INSTANTIATE_TEST_SUITE_P(Cases, RequestHead,
    ::testing::Values(head_case{"plain", get + "\r\n", 0, ""}, head_case{"http_1_0_without_host", "GET / HTTP/1.0\r\n\r\n", 0, ""},
        head_case{"lower_case_names", "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n", 0, ""},
        head_case{"empty_value", get + "A:\r\n\r\n", 0, ""}, head_case{"high_bytes_in_a_value", get + "A: \xc3\xa9\r\n\r\n", 0, ""},
        head_case{"tab_in_a_value", get + "A: b\tc\r\n\r\n", 0, ""},
        head_case{"absolute_form", "GET http://y:80/a HTTP/1.1\r\nHost: x\r\n\r\n", 0, ""},
        head_case{"options_asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 0, ""},
        head_case{"line_at_the_limit", "GET /" + std::string(50, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 0, ""},
        head_case{"line_beyond_the_limit", "GET /" + std::string(51, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414, "64 bytes"},
        head_case{"endless_line", "GET /" + std::string(100, 'a'), 414, "64 bytes"},
        head_case{"fields_beyond_the_limit", get + "A: " + std::string(128, 'a') + "\r\n\r\n", 431, "128 bytes"},
        head_case{"endless_field", get + "A: " + std::string(200, 'a'), 431, "128 bytes"},
        head_case{"as_many_fields_as_allowed", get + "A: 1\r\nB: 2\r\n\r\n", 0, ""},
        head_case{"too_many_fields", get + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n", 431, "3 header fields"},
        head_case{"bare_lf", "GET / HTTP/1.1\nHost: x\n\n", 400, "CRLF"},
        head_case{"bare_lf_after_a_field", get + "A: b\n\r\n", 400, "CRLF"},
        head_case{"cr_in_a_value", get + "A: b\rc\r\n\r\n", 400, "control character"},
        head_case{"nul_in_a_value", get + std::string("A: b\0c\r\n\r\n", 10), 400, "control character"},
        head_case{"nul_in_a_name", get + std::string("A\0: b\r\n\r\n", 9), 400, "not allowed"},
        head_case{"space_before_the_colon", get + "A : b\r\n\r\n", 400, "not allowed"},
        head_case{"no_colon", get + "nonsense\r\n\r\n", 400, "no colon"}, head_case{"empty_name", get + ": b\r\n\r\n", 400, "not allowed"},
        head_case{"folded", get + "A: b\r\n c\r\n\r\n", 400, "folded"},
        head_case{"folded_first_line", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400, "folded"},
        head_case{"no_host", "GET / HTTP/1.1\r\n\r\n", 400, "needs a Host"},
        head_case{"two_hosts", get + "Host: y\r\n\r\n", 400, "more than once"},
        head_case{"odd_host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "not a host"},
        head_case{"no_version", "GET /\r\nHost: x\r\n\r\n", 400, "single spaces"},
        head_case{"two_spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "single spaces"},
        head_case{"http_2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, "HTTP/1.1"},
        head_case{"odd_version", "GET / HTTX/1.1\r\nHost: x\r\n\r\n", 400, "version"},
        head_case{"odd_method", "G@T / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "method"},
        head_case{"long_method", std::string(33, 'A') + " / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "method"},
        head_case{"relative_target", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "begin with '/'"},
        head_case{"connect", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "begin with '/'"},
        head_case{"other_scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, "begin with '/'"},
        head_case{"two_hosts_in_the_target", "GET http://a,b/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, "no host"},
        head_case{"user_in_the_target", "GET http://u@x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, "user"},
        head_case{"fragment", "GET /#a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "percent-encoded"},
        head_case{"raw_utf8_target", "GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "percent-encoded"},
        head_case{"bad_query_encoding", "GET /?a=%4 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "hex digits"},
        head_case{"length_and_coding", get + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "send one"},
        head_case{"two_lengths", get + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "more than once"},
        head_case{"equal_lengths_twice", get + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "more than once"},
        head_case{"length_list", get + "Content-Length: 1, 1\r\n\r\n", 400, "not a number"},
        head_case{"signed_length", get + "Content-Length: +1\r\n\r\n", 400, "not a number"},
        head_case{"hex_length", get + "Content-Length: 0x1\r\n\r\n", 400, "not a number"},
        head_case{"empty_length", get + "Content-Length: \r\n\r\n", 400, "not a number"},
        head_case{"two_codings", get + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "more than once"},
        head_case{"coding_list", get + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "only 'chunked'"},
        head_case{"hidden_coding", get + "Transfer-Encoding: \vchunked\r\n\r\n", 400, "control character"},
        head_case{"coding_in_1_0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "HTTP/1.0"},
        head_case{"odd_expectation", get + "Expect: magic\r\n\r\n", 417, "100-continue"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RequestHead, IsUnderstood)
{
    request_head out;
    const auto refused = read("POST /a%2Fb?x=1&y=a+b%20c&z HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\nExpect: 100-Continue\r\n\r\n", out);
    ASSERT_FALSE(refused) << refused->message;
    EXPECT_EQ(out.request.method, "POST");
    EXPECT_EQ(out.request.path, "/a%2Fb");
    const std::vector<std::pair<std::string, std::string>> query{{"x", "1"}, {"y", "a b c"}, {"z", ""}};
    EXPECT_EQ(out.request.query, query);
    EXPECT_EQ(out.request.query_value("y"), "a b c");
    EXPECT_FALSE(out.request.query_value("w"));
    EXPECT_EQ(out.body, framing::length);
    EXPECT_EQ(out.content_length, 12u);
    EXPECT_TRUE(out.expects_continue);
    EXPECT_TRUE(out.keep_alive);
}

TEST(RequestHead, TakesTheHostOfAnAbsoluteTarget)
{
    request_head out;
    ASSERT_FALSE(read("GET http://y:81?q=1 HTTP/1.1\r\nHost: x\r\n\r\n", out));
    EXPECT_EQ(out.request.target, "/?q=1");
    EXPECT_EQ(out.request.path, "/");
    EXPECT_EQ(out.request.fields.find("host"), "y:81");
}

TEST(RequestHead, SaturatesAnAbsurdLength)
{
    request_head out;
    ASSERT_FALSE(read(get + "Content-Length: 99999999999999999999999\r\n\r\n", out));
    EXPECT_EQ(out.content_length, UINT64_MAX);
}

struct keep_case {
    std::string_view name;
    std::string_view line;
    std::string_view connection;
    bool kept;
};
class KeepAlive : public ::testing::TestWithParam<keep_case> { };
TEST_P(KeepAlive, FollowsVersionAndConnection)
{
    const auto& c = GetParam();
    request_head out;
    ASSERT_FALSE(read("GET / " + std::string(c.line) + "\r\nHost: x\r\nConnection: " + std::string(c.connection) + "\r\n\r\n", out));
    EXPECT_EQ(out.keep_alive, c.kept);
}
INSTANTIATE_TEST_SUITE_P(Cases, KeepAlive,
    ::testing::Values(keep_case{"v11", "HTTP/1.1", "", true}, keep_case{"v11_close", "HTTP/1.1", "Close", false},
        keep_case{"v11_close_in_a_list", "HTTP/1.1", "x, close", false}, keep_case{"v11_not_a_whole_token", "HTTP/1.1", "closed", true},
        keep_case{"v10", "HTTP/1.0", "", false}, keep_case{"v10_keep", "HTTP/1.0", "Keep-Alive", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(HeadScanner, FindsTheEndInPieces)
{
    const std::string text = get + "A: b\r\n\r\n";
    head_scanner scanner(head_limits{});
    for (std::size_t size = 1; size < text.size(); ++size)
        ASSERT_FALSE(scanner.scan(text.substr(0, size))) << size;
    EXPECT_TRUE(scanner.scan(text + "body"));
    EXPECT_EQ(scanner.head_bytes(), text.size());
}

TEST(ResponseHead, DecidesTheFraming)
{
    auto framing_of = [](const std::string& text, std::string_view method) {
        response_head out;
        EXPECT_FALSE(parse_response_head(text, method, out));
        return out.body;
    };
    EXPECT_EQ(framing_of("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "GET"), framing::length);
    EXPECT_EQ(framing_of("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "HEAD"), framing::none);
    EXPECT_EQ(framing_of("HTTP/1.1 204 No Content\r\n\r\n", "GET"), framing::none);
    EXPECT_EQ(framing_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "GET"), framing::chunked);
    EXPECT_EQ(framing_of("HTTP/1.1 200\r\n\r\n", "GET"), framing::until_close);
    response_head out;
    EXPECT_TRUE(parse_response_head("HTTP/1.1 2x0 OK\r\n\r\n", "GET", out));
    EXPECT_TRUE(parse_response_head("SSH-2.0-OpenSSH\r\n\r\n", "GET", out));
    EXPECT_TRUE(parse_response_head("HTTP/1.1 200 O\rK\r\n\r\n", "GET", out));
    EXPECT_TRUE(parse_response_head(std::string("HTTP/1.1 200 O\0K\r\n\r\n", 20), "GET", out));
}

TEST(ResponseHead, CannotBeSplitByAValue)
{
    const auto text = serialize_response_head(200, 1, {{"A", "b\r\nSet-Cookie: c"}});
    EXPECT_EQ(text, "HTTP/1.1 200 OK\r\nA: b  Set-Cookie: c\r\n");
}

}    // namespace
}    // namespace caisson::net

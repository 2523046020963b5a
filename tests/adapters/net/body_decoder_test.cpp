#include "adapters/net/body_decoder.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

struct body_case {
    std::string_view name;
    framing how;
    std::uint64_t length;
    std::string bytes;
    std::string content;
    std::size_t left;         // bytes after the body, not taken
    int status;               // 0: complete
    std::string_view says;    // a part of the refusal
};

class BodyDecoder : public ::testing::TestWithParam<body_case> { };

constexpr std::uint64_t limit = 100;

TEST_P(BodyDecoder, ExpectsNoMoreThanIsAllowedAtAnyPoint)
{
    const auto& c = GetParam();
    body_decoder decoder(c.how, c.length, limit);
    std::string out;
    for (std::size_t at = 0; at < c.bytes.size() && !decoder.refused() && !decoder.done(); ++at) {
        EXPECT_LE(out.size() + decoder.most_left(), limit) << at;
        decoder.feed(std::string_view(c.bytes).substr(at, 1), out);
    }
    if (decoder.done()) {
        EXPECT_EQ(decoder.most_left(), 0u);
    }
}

TEST(BodyDecoderSize, ThatIsReadInPartIsNotExpected)
{
    body_decoder decoder(framing::chunked, 0, limit);
    std::string out;
    decoder.feed("5\r\nhello\r\nfffffffffffffff", out);
    EXPECT_EQ(out, "hello");
    EXPECT_EQ(decoder.most_left(), limit - 5);
}

TEST_P(BodyDecoder, TakesItWhole)
{
    const auto& c = GetParam();
    body_decoder decoder(c.how, c.length, limit);
    std::string out;
    const auto taken = decoder.feed(c.bytes, out);
    if (c.status != 0) {
        ASSERT_TRUE(decoder.refused());
        EXPECT_EQ(decoder.refused()->status, c.status);
        EXPECT_NE(decoder.refused()->message.find(c.says), std::string::npos) << decoder.refused()->message;
        return;
    }
    EXPECT_FALSE(decoder.refused());
    EXPECT_TRUE(decoder.done());
    EXPECT_EQ(out, c.content);
    EXPECT_EQ(c.bytes.size() - taken, c.left);
}

TEST_P(BodyDecoder, TakesItByteByByte)
{
    const auto& c = GetParam();
    body_decoder decoder(c.how, c.length, limit);
    std::string out;
    std::size_t taken = 0;
    while (taken < c.bytes.size() && !decoder.done() && !decoder.refused())
        taken += decoder.feed(std::string_view(c.bytes).substr(taken, 1), out);
    EXPECT_EQ(decoder.refused() ? decoder.refused()->status : 0, c.status);
    if (c.status == 0) {
        EXPECT_EQ(out, c.content);
        EXPECT_EQ(c.bytes.size() - taken, c.left);
    }
}

body_case chunked(std::string_view name, std::string bytes, std::string content, std::size_t left = 0)
{
    return {name, framing::chunked, 0, std::move(bytes), std::move(content), left, 0, ""};
}
body_case bad(std::string_view name, std::string bytes, int status, std::string_view says)
{
    return {name, framing::chunked, 0, std::move(bytes), "", 0, status, says};
}

INSTANTIATE_TEST_SUITE_P(Cases, BodyDecoder,
    ::testing::Values(body_case{"length", framing::length, 3, "abcGET", "abc", 3, 0, ""},
        body_case{"empty", framing::length, 0, "GET", "", 3, 0, ""}, body_case{"none", framing::none, 0, "GET", "", 3, 0, ""},
        body_case{"length_beyond_the_limit", framing::length, 101, "a", "", 0, 413, "100 bytes"},
        chunked("one_chunk", "3\r\nabc\r\n0\r\n\r\n", "abc"), chunked("hex_size", "00A\r\n0123456789\r\n0\r\n\r\nGET", "0123456789", 3),
        chunked("two_chunks", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"), chunked("extension", "1;a=\"b\"\r\na\r\n0;x\r\n\r\n", "a"),
        chunked("trailers", "1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\nX", "a", 1), chunked("no_content", "0\r\n\r\n", ""),
        bad("no_size", "\r\nabc", 400, "hexadecimal"), bad("negative_size", "-1\r\n", 400, "hexadecimal"),
        bad("size_with_0x", "0x1\r\na", 400, "hexadecimal"), bad("space_before_the_end", "1 \r\na", 400, "hexadecimal"),
        bad("bare_lf", "1\na\n", 400, "hexadecimal"), bad("huge_size", std::string(16, 'f') + "\r\n", 400, "15 digits"),
        bad("long_zeros", std::string(16, '0') + "1\r\n", 400, "15 digits"), bad("cr_without_lf", "1\rXa", 400, "CRLF"),
        bad("longer_than_its_size", "1\r\nab\r\n", 400, "longer"), bad("chunk_without_lf", "1\r\na\rX", 400, "longer"),
        bad("long_extension", "1;" + std::string(2000, 'a'), 400, "1024"),
        bad("nul_in_an_extension", std::string("1;\0\r\n", 5), 400, "control"), bad("chunk_beyond_the_limit", "65\r\n", 413, "100 bytes"),
        bad("chunks_beyond_the_limit", "64\r\n" + std::string(100, 'a') + "\r\n1\r\n", 413, "100 bytes"),
        bad("endless_trailers", "0\r\n" + std::string(9000, 'a'), 400, "8192"), bad("bad_trailer_end", "0\r\nA: b\rX", 400, "CRLF"),
        bad("nul_in_a_trailer", std::string("0\r\nA\0", 5), 400, "control")),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BodyDecoderEnd, OnlyABodyUntilCloseMayEndSo)
{
    std::string out;
    body_decoder until_close(framing::until_close, 0, 5);
    EXPECT_EQ(until_close.feed("abc", out), 3u);
    EXPECT_TRUE(until_close.end_of_input());
    body_decoder cut(framing::length, 4, 5);
    cut.feed("abc", out);
    EXPECT_FALSE(cut.end_of_input());
    body_decoder too_long(framing::until_close, 0, 5);
    too_long.feed("abcdef", out);
    EXPECT_TRUE(too_long.refused());
}

}    // namespace
}    // namespace caisson::net

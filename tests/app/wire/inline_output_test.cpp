#include "app/wire/inline_output.hpp"

#include "core/base/utf8.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

constexpr std::size_t limit = 1'000;

log_event chunk(std::string bytes, output_stream stream = output_stream::stdout_stream)
{
    log_event event;
    event.stream = stream;
    event.data = shared_bytes(std::move(bytes));
    return event;
}

log_event gap(std::uint64_t missing, output_stream stream = output_stream::stdout_stream)
{
    log_event event;
    event.kind = event_kind::truncated;
    event.stream = stream;
    event.missing_bytes = missing;
    return event;
}

inline_text joined(std::initializer_list<log_event> events)
{
    inline_output out(limit);
    for (const auto& event : events)
        out.add(event);
    return out.finish().stdout_text;
}

TEST(InlineOutput, KeepsAllThatFits)
{
    for (std::size_t size : {0u, 1u, 499u, 500u, 501u, 999u, 1'000u}) {
        const auto text = joined({chunk(std::string(size / 2, 'a')), chunk(std::string(size - size / 2, 'b'))});
        EXPECT_EQ(text.text, std::string(size / 2, 'a') + std::string(size - size / 2, 'b'));
        EXPECT_FALSE(text.truncated);
        EXPECT_FALSE(text.lossy);
    }
}

TEST(InlineOutput, KeepsHeadAndTail)
{
    const auto text = joined({chunk(std::string(600, 'a')), chunk(std::string(5'000, 'b')), chunk(std::string(600, 'c'))});
    EXPECT_TRUE(text.truncated);
    EXPECT_LE(text.text.size(), limit);
    EXPECT_EQ(text.text, std::string(500, 'a') + "\n[… 5264 bytes are not shown …]\n" + std::string(436, 'c'));
}

TEST(InlineOutput, OneByteTooMany)
{
    const auto text = joined({chunk(std::string(1'001, 'a'))});
    EXPECT_TRUE(text.truncated);
    EXPECT_EQ(text.text, std::string(500, 'a') + "\n[… 65 bytes are not shown …]\n" + std::string(436, 'a'));
}

TEST(InlineOutput, AGapOfTheLogIsAGapHere)
{
    const auto text = joined({chunk("head"), gap(12'345), chunk("tail")});
    EXPECT_TRUE(text.truncated);
    EXPECT_EQ(text.text, "head\n[… 12345 bytes are not shown …]\ntail");
    EXPECT_EQ(joined({chunk("head"), gap(1)}).text, "head\n[… 1 bytes are not shown …]\n");
    EXPECT_EQ(joined({gap(1), chunk("tail")}).text, "\n[… 1 bytes are not shown …]\ntail");
}

TEST(InlineOutput, WhatLiesBetweenTwoGapsIsDroppedToo)
{
    EXPECT_EQ(joined({chunk("a"), gap(2), chunk("bcd"), gap(3), chunk("e")}).text, "a\n[… 8 bytes are not shown …]\ne");
}

TEST(InlineOutput, CutsAtCharacters)
{
    std::string long_text = "x";
    for (int i = 0; i < 1'000; ++i)
        long_text += "€";
    const auto text = joined({chunk(long_text)});
    EXPECT_TRUE(text.truncated);
    EXPECT_FALSE(text.lossy);
    EXPECT_TRUE(is_utf8(text.text));
    EXPECT_EQ(text.text.find("\uFFFD"), std::string::npos);
    EXPECT_LE(text.text.size(), limit);
}

TEST(InlineOutput, ACharacterInTwoChunksIsWhole)
{
    const auto text = joined({chunk("\xe2\x82"), chunk("\xac")});
    EXPECT_EQ(text.text, "€");
    EXPECT_FALSE(text.lossy);
}

TEST(InlineOutput, ReplacesWhatIsNotText)
{
    const auto text = joined({chunk("a\xff"
                                    "b")});
    EXPECT_EQ(text.text, "a\uFFFDb");
    EXPECT_TRUE(text.lossy);
    EXPECT_FALSE(text.truncated);
}

TEST(InlineOutput, ReplacedTextStaysInItsBounds)
{
    for (std::size_t size : {334u, 500u, 1'000u, 10'000u}) {
        const auto text = joined({chunk(std::string(size, '\xff'))});
        EXPECT_TRUE(text.lossy);
        EXPECT_TRUE(text.truncated) << size;
        EXPECT_LE(text.text.size(), limit) << size;
        EXPECT_TRUE(is_utf8(text.text));
    }
    EXPECT_FALSE(joined({chunk(std::string(333, '\xff'))}).truncated);
}

TEST(InlineOutput, SeparatesStreamsAndJoinsThemInLogs)
{
    inline_output out(limit);
    out.add(chunk("1"));
    out.add(chunk("2", output_stream::stderr_stream));
    out.add(gap(9, output_stream::stderr_stream));
    out.add(chunk("3"));
    const auto texts = out.finish();
    EXPECT_EQ(texts.stdout_text.text, "13");
    EXPECT_EQ(texts.stderr_text.text, "2\n[… 9 bytes are not shown …]\n");
    EXPECT_EQ(texts.logs.text, "12\n[… 9 bytes are not shown …]\n3");
    EXPECT_FALSE(texts.stdout_text.truncated);
    EXPECT_TRUE(texts.stderr_text.truncated);
}

TEST(InlineOutput, ControlEventsAddNothing)
{
    auto event = chunk("x");
    event.kind = event_kind::exit;
    EXPECT_EQ(joined({event}).text, "");
}

TEST(InlineOutput, TheRealBound)
{
    inline_output out;
    for (int i = 0; i < 100; ++i)
        out.add(chunk(std::string(100'000, 'x')));
    const auto texts = out.finish();
    EXPECT_LE(texts.stdout_text.text.size(), inline_output::max_bytes);
    EXPECT_GT(texts.stdout_text.text.size(), inline_output::max_bytes - 100);
}

}    // namespace

}    // namespace caisson::wire

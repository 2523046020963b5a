#include "app/wire/merged_lines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace caisson::wire {

namespace {

/// The text so far; pieces are set apart by "|".
class MergedLines : public ::testing::Test {
protected:
    void wrote(output_stream stream, std::string bytes, std::int64_t at_ms)
    {
        log_event event;
        event.kind = event_kind::output;
        event.stream = stream;
        event.at_ms = at_ms;
        event.data = shared_bytes(std::move(bytes));
        lines_.add(event, to_text_);
    }
    void out(std::string bytes, std::int64_t at_ms) { wrote(output_stream::stdout_stream, std::move(bytes), at_ms); }
    void err(std::string bytes, std::int64_t at_ms) { wrote(output_stream::stderr_stream, std::move(bytes), at_ms); }
    std::string text()
    {
        lines_.flush(to_text_);
        return text_;
    }

    merged_lines lines_;
    std::string text_;
    merged_lines::sink to_text_ = [this](std::string_view bytes) { text_ += bytes; };
};

TEST_F(MergedLines, ALineThatIsWrittenInPiecesStaysTogether)
{
    out("one", 1'000);
    err("two", 1'001);
    out("\n", 1'002);
    err("\n", 1'003);
    EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(MergedLines, WholeLinesStayInTheirOrder)
{
    out("1\n2\n", 1'000);
    err("3\n", 1'000);
    out("4\n", 1'000);
    EXPECT_EQ(text_, "1\n2\n3\n4\n");
}

TEST_F(MergedLines, ALineOfTheOtherStreamDoesNotWaitForOneThatGoesOn)
{
    out("slow ", 1'000);
    err("quick\n", 1'010);
    EXPECT_EQ(text_, "quick\n");
    out("line\n", 1'020);
    EXPECT_EQ(text_, "quick\nslow line\n");
}

TEST_F(MergedLines, AfterSomeTimeItGoesOnAsItCame)
{
    out("Name? ", 1'000);
    err("a note\n", 1'000 + merged_lines::longest_wait_ms);
    out("Bob\n", 1'100);
    EXPECT_EQ(text_, "Name? a note\nBob\n");
}

TEST_F(MergedLines, ALongLineGoesOnAsItCame)
{
    const std::string most(merged_lines::most_waiting_bytes, 'x');
    out(most, 1'000);
    EXPECT_EQ(text_, "");
    out("y", 1'000);
    EXPECT_EQ(text_, most + "y");
    err("e\n", 1'000);
    out("z\n", 1'000);
    EXPECT_EQ(text(), most + "ye\nz\n");
}

TEST_F(MergedLines, WhatHasNoEndComesAtTheEndInTheOrderOfItsBegins)
{
    err("e", 1'000);
    out("o", 1'001);
    EXPECT_EQ(text_, "");
    EXPECT_EQ(text(), "eo");
}

TEST_F(MergedLines, BytesAreNeitherLostNorChanged)
{
    out(std::string("a\0b\r\nc", 6), 1'000);
    err("\xFF\n", 1'000);
    EXPECT_EQ(text(), std::string("a\0b\r\n", 5) + "\xFF\n" + "c");
}

}    // namespace

}    // namespace caisson::wire

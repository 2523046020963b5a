#include "app/wire/event_frame.hpp"

#include "core/base/base64.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace caisson::wire {

namespace json = boost::json;

namespace {

const frame_source plain{"exe_1"};

log_event output(std::string bytes, std::uint64_t offset = 0, output_stream stream = output_stream::stdout_stream)
{
    log_event event;
    event.stream = stream;
    event.offset = offset;
    event.end = {1, 0, 0};
    event.end.end_of(stream) = offset + bytes.size();
    event.data = shared_bytes(std::move(bytes));
    event.at_ms = 1'700'000'000'123;
    return event;
}

log_event control(event_kind kind, std::string body)
{
    log_event event;
    event.kind = kind;
    event.end = {2, 5, 0};
    event.body = std::move(body);
    return event;
}

TEST(EventFrame, Output)
{
    EXPECT_EQ(
        event_frame_json(output("hi\n", 4), plain), R"({"kind":"output","execution_id":"exe_1","seq":8,"cursor":")" + to_cursor({1, 7, 0}) +
                                                        R"(","at":"2023-11-14T22:13:20.123Z","stream":"stdout","offset":4,"data":"hi\n"})");
}

TEST(EventFrame, OutputThatIsNotText)
{
    for (std::string bytes : {std::string("\xff\x00", 2), std::string("a\xc3"), std::string("\x80z")}) {
        const auto frame = json::parse(event_frame_json(output(bytes), plain)).as_object();
        EXPECT_EQ(frame.at("encoding").as_string(), "base64");
        EXPECT_EQ(base64_decode(std::string_view(frame.at("data").as_string())), bytes);
    }
}

TEST(EventFrame, AnyTextComesBack)
{
    for (std::string text : {std::string("\0\x01\x1f\x7f", 4), std::string("\"\\/\b\f\n\r\t"), std::string("ä€😀\u2028"),
             std::string(100'000, '"'), std::string()}) {
        const auto frame = json::parse(event_frame_json(output(text), plain)).as_object();
        EXPECT_FALSE(frame.contains("encoding"));
        EXPECT_EQ(std::string_view(frame.at("data").as_string()), text);
    }
}

TEST(EventFrame, StreamsHaveNames)
{
    const auto name = [](output_stream stream, bool pty) {
        return std::string(json::parse(event_frame_json(output("x", 0, stream), {"exe_1", pty})).at("stream").as_string());
    };
    EXPECT_EQ(name(output_stream::stdout_stream, false), "stdout");
    EXPECT_EQ(name(output_stream::stderr_stream, false), "stderr");
    EXPECT_EQ(name(output_stream::stdout_stream, true), "pty");
}

TEST(EventFrame, Truncated)
{
    auto event = control(event_kind::truncated, "");
    event.stream = output_stream::stderr_stream;
    event.offset = 10;
    event.missing_bytes = 20;
    const auto frame = json::parse(event_frame_json(event, plain)).as_object();
    EXPECT_EQ(frame.at("kind").as_string(), "truncated");
    EXPECT_EQ(frame.at("stream").as_string(), "stderr");
    EXPECT_EQ(frame.at("offset").as_int64(), 10);
    EXPECT_EQ(frame.at("missing_bytes").as_int64(), 20);
    EXPECT_FALSE(frame.contains("data"));
}

TEST(EventFrame, ControlEventsShowTheirBodyWithPlainNumbers)
{
    const auto event = control(event_kind::state, R"({"status":"running","stages":{"queue_ms":1.5E0,"claim_ms":2E-1}})");
    EXPECT_EQ(event_frame_json(event, plain),
        R"({"kind":"state","execution_id":"exe_1","seq":7,"cursor":")" + to_cursor({2, 5, 0}) +
            R"(","at":"1970-01-01T00:00:00.000Z","status":"running","stages":{"queue_ms":1.5,"claim_ms":0.2}})");
}

TEST(EventFrame, ExitAndUsage)
{
    EXPECT_EQ(
        json::parse(event_frame_json(control(event_kind::exit, R"({"status":"success","error":null})"), plain)).at("kind").as_string(),
        "exit");
    EXPECT_EQ(json::parse(event_frame_json(control(event_kind::usage, "{}"), plain)).at("kind").as_string(), "usage");
}

TEST(EventFrame, AnExitHasTheOutputAsItWasWritten)
{
    const auto frame = event_frame_json(control(event_kind::exit, R"({"status":"success","output":"{\"n\": 1.50, \"e\": 1e999}"})"), plain);
    EXPECT_NE(frame.find(R"("status":"success","output":{"n": 1.50, "e": 1e999}})"), std::string::npos) << frame;
}

TEST(EventFrame, CarriesTheClientsRef)
{
    const auto frame = json::parse(event_frame_json(control(event_kind::state, "{}"), {"exe_1", false, "my \"job\"", 7})).as_object();
    EXPECT_EQ(frame.at("ref").as_string(), "my \"job\"");
    EXPECT_EQ(frame.at("ref_no").as_int64(), 7);
}

TEST(BinaryHeader, IsBigEndian)
{
    const auto event = output("x", 0x0102030405060708, output_stream::stderr_stream);
    const std::array<std::uint8_t, 13> want{2, 0x0a, 0x0b, 0x0c, 0x0d, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(binary_header(event, false, 0x0a0b0c0d), want);
    EXPECT_EQ(binary_header(output("x"), false, 0)[0], 1);
    EXPECT_EQ(binary_header(output("x"), true, 0)[0], 3);
}

TEST(ErrorFrame, SaysWhichClientsFrame)
{
    EXPECT_EQ(error_frame_json({errc::bad_request, "signal is required"}, "a"),
        R"({"kind":"error","ref":"a","error":"bad_request","message":"signal is required"})");
    error full{errc::queue_full, "full"};
    full.facts = limit_facts{"executions.l", "tenant", 1, 2, 3, 4};
    EXPECT_EQ(error_frame_json(full, "a"),
        R"({"kind":"error","ref":"a","error":"queue_full","message":"full","details":{"limit":"executions.l",)"
        R"("scope":"tenant","value":1,"running":2,"waiting":3,"retry_after_s":4}})");
    EXPECT_EQ(error_frame_json({errc::not_found, "\xff"}), "{\"kind\":\"error\",\"error\":\"not_found\",\"message\":\"\uFFFD\"}");
}

TEST(SseEvent, HasTheCursorAsItsId)
{
    const auto event = output("a\nb\r\n");
    const auto text = sse_event(event, plain);
    EXPECT_EQ(text, "id: " + to_cursor(event.end) + "\ndata: " + event_frame_json(event, plain) + "\n\n");
    EXPECT_EQ(std::ranges::count(text, '\n'), 3);
    EXPECT_EQ(std::ranges::count(text, '\r'), 0);
}

}    // namespace

}    // namespace caisson::wire

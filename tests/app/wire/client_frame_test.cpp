#include "tests/app/wire/wire_fixture.hpp"

#include "app/wire/client_frame.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

constexpr std::string_view an_id = "exe_01jd2c00000000000000000000";

parsed_frame parse(std::string_view text, frame_scope scope = frame_scope::connect)
{
    const wire_fixture server;
    return parse_client_frame(text, scope, server.context());
}

template <class Frame>
Frame parsed(std::string_view text, frame_scope scope = frame_scope::connect)
{
    auto out = parse(text, scope);
    EXPECT_TRUE(out.frame) << told(out.frame.error());
    EXPECT_TRUE(out.frame && std::holds_alternative<Frame>(*out.frame));
    return std::get<Frame>(*out.frame);
}

TEST(ClientFrame, Run)
{
    const auto frame = parsed<run_frame>(R"({"type":"run","ref":"a","language":"py","code":"1","wait":true})");
    EXPECT_EQ(frame.ref, "a");
    EXPECT_EQ(frame.request.spec.language, "python");
}

TEST(ClientFrame, RunUnderAKeyHasWhatARepeatMustHave)
{
    const auto first = parsed<run_frame>(R"({"type":"run","ref":"a","idempotency_key":"k 1","shell":"true"})");
    const auto repeat = parsed<run_frame>(R"({"idempotency_key": "k 1", "ref": "b", "type": "run", "shell": "true"})");
    const auto other = parsed<run_frame>(R"({"type":"run","ref":"a","idempotency_key":"k 1","shell":"false"})");
    EXPECT_EQ(first.idempotency_key, "k 1");
    EXPECT_EQ(first.content, R"({"shell":"true"})");
    EXPECT_EQ(repeat.content, first.content);
    EXPECT_NE(other.content, first.content);
    EXPECT_EQ(parsed<run_frame>(R"({"type":"run","ref":"a","shell":"true"})").idempotency_key, "");
    const auto skill = [](std::string_view input) {
        return parsed<run_frame>(R"({"type":"run","ref":"a","idempotency_key":"k","skill":"s","input":)" + std::string(input) + "}")
            .content;
    };
    EXPECT_EQ(skill("[1]"), skill("[1]"));
    EXPECT_NE(skill("[1]"), skill("[2]")) << "the input is part of the content";
}

TEST(ClientFrame, AKeyOfARunIsChecked)
{
    for (const std::string key : {"", "k\\u0007", "\\u00e9"}) {
        const auto refused = parse(R"({"type":"run","ref":"a","shell":"true","idempotency_key":")" + key + "\"}");
        ASSERT_FALSE(refused.frame) << key;
        EXPECT_EQ(refused.frame.error().fields.at(0).field, "idempotency_key");
    }
}

TEST(ClientFrame, Attach)
{
    const auto frame = parsed<attach_frame>(
        R"({"type":"attach","execution_id":")" + std::string(an_id) + R"(","ref":"b","after":")" + to_cursor({1, 2, 3}) + "\"}");
    EXPECT_EQ(frame.execution.str(), an_id);
    EXPECT_EQ(frame.ref, "b");
    EXPECT_EQ(frame.after, (log_position{1, 2, 3}));
}

TEST(ClientFrame, StdinToARef)
{
    const auto frame = parsed<stdin_frame>(R"({"type":"stdin","ref":"a","data":"AP8=","encoding":"base64","offset":3})");
    EXPECT_EQ(frame.target.ref, "a");
    EXPECT_FALSE(frame.target.execution);
    EXPECT_EQ(frame.input.data, std::string("\0\xff", 2));
    EXPECT_EQ(frame.input.offset, 3u);
    EXPECT_FALSE(frame.input.eof);
}

TEST(ClientFrame, StdinEofToAnId)
{
    const auto frame = parsed<stdin_frame>(R"({"type":"stdin_eof","execution_id":")" + std::string(an_id) + "\"}");
    EXPECT_EQ(frame.target.execution->str(), an_id);
    EXPECT_TRUE(frame.input.eof);
    EXPECT_EQ(frame.input.data, "");
}

TEST(ClientFrame, OnAStreamNoTargetIsNeeded)
{
    EXPECT_EQ(parsed<signal_frame>(R"({"type":"signal","signal":"INT"})", frame_scope::stream).signal.number, 2);
    const auto frame = parsed<resize_frame>(R"({"type":"resize","cols":100,"rows":30})", frame_scope::stream);
    EXPECT_EQ(frame.size.cols, 100);
    EXPECT_EQ(frame.size.rows, 30);
    EXPECT_FALSE(parsed<cancel_frame>(R"({"type":"cancel"})", frame_scope::stream).target.execution);
}

struct bad_case {
    std::string_view name;
    std::string_view text;
    std::string_view want;
    frame_scope scope = frame_scope::connect;
};
void PrintTo(const bad_case& c, std::ostream* out) { *out << c.name; }
class BadFrame : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadFrame, IsNamed)
{
    const auto out = parse(GetParam().text, GetParam().scope);
    ASSERT_FALSE(out.frame);
    EXPECT_EQ(told(out.frame.error()), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, BadFrame,
    ::testing::Values(bad_case{"malformed", "{", "bad_request: body is not valid JSON: it ends too early at line 1, column 2"},
        bad_case{"no_type", R"({"ref":"a"})", "bad_request: type is required"},
        bad_case{"unknown_type", R"({"type":"start"})",
            R"(bad_request: type must be one of "stdin", "stdin_eof", "signal", "resize", "cancel", "run", "attach")"},
        bad_case{"run_on_stream", R"({"type":"run","ref":"a","command":["a"]})",
            R"(bad_request: type must be one of "stdin", "stdin_eof", "signal", "resize", "cancel")", frame_scope::stream},
        bad_case{"id_on_stream", R"({"type":"cancel","execution_id":"exe_01jd2c00000000000000000000"})",
            "bad_request: execution_id is not a known field", frame_scope::stream},
        bad_case{"run_without_ref", R"({"type":"run","command":["a"]})", "bad_request: ref is required"},
        bad_case{"run_with_empty_ref", R"({"type":"run","ref":"","command":["a"]})", "bad_request: ref must not be empty"},
        bad_case{"run_body", R"({"type":"run","ref":"a","command":["a"],"limits":{"pids":0}})",
            "bad_request: limits.pids must be a whole number between 1 and 4096"},
        bad_case{"run_later", R"({"type":"run","ref":"a","command":["a"],"user":"x"})",
            "not_implemented: user is not available in this version"},
        bad_case{"ref_type", R"({"type":"cancel","ref":1})", "bad_request: ref must be a string"},
        bad_case{"ref_empty", R"({"type":"cancel","ref":""})", "bad_request: ref must not be empty"},
        bad_case{"ref_long", R"({"type":"cancel","ref":"01234567890123456789012345678901234567890123456789012345678901234"})",
            "bad_request: ref must be at most 64 bytes long, not 65"},
        bad_case{"no_target", R"({"type":"cancel"})", "bad_request: ref or execution_id is required"},
        bad_case{"two_targets", R"({"type":"cancel","ref":"a","execution_id":"exe_01jd2c00000000000000000000"})",
            "bad_request: ref cannot be combined with execution_id"},
        bad_case{"bad_id", R"({"type":"cancel","execution_id":"nonsense"})", "bad_request: execution_id is not the id of an execution"},
        bad_case{"attach_without_id", R"({"type":"attach","ref":"a"})", "bad_request: execution_id is required"},
        bad_case{"attach_cursor", R"({"type":"attach","execution_id":"exe_01jd2c00000000000000000000","after":"x"})",
            "bad_request: after is not a cursor"},
        bad_case{"resize_half", R"({"type":"resize","ref":"a","cols":80})", "bad_request: rows is required"},
        bad_case{"resize_range", R"({"type":"resize","ref":"a","cols":0,"rows":1001})",
            "bad_request: cols must be a whole number between 1 and 1000; rows must be a whole number between 1 and 1000"},
        bad_case{"signal", R"({"type":"signal","ref":"a"})", "bad_request: signal is required"},
        bad_case{"eof_with_data", R"({"type":"stdin_eof","ref":"a","data":"x"})", "bad_request: data is not a known field"},
        bad_case{"unknown_field", R"({"type":"cancel","ref":"a","why":"x"})", "bad_request: why is not a known field"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BadFrame, KeepsItsRef)
{
    EXPECT_EQ(parse(R"({"type":"run","ref":"job-7"})").ref, "job-7");
    EXPECT_EQ(parse(R"({"type":"what","ref":"job-7"})").ref, "job-7");
    EXPECT_EQ(parse("nonsense").ref, "");
}

}    // namespace

}    // namespace caisson::wire

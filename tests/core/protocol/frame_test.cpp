#include "tests/core/protocol/frames.hpp"

#include <functional>

namespace caisson::protocol {
namespace {

std::string hex(std::string_view bytes)
{
    std::string out;
    for (const unsigned char each : bytes) {
        out += "0123456789abcdef"[each >> 4];
        out += "0123456789abcdef"[each & 15];
    }
    return out;
}

TEST(Frame, IsLaidOutAsDocumented)
{
    std::string out;
    encode_frame(out, 0x0102, acknowledgement{stream_number::stderr_stream, 0x0a0b0c});
    EXPECT_EQ(hex(out), "13000000"
                        "15"
                        "0201000000000000"
                        "02"
                        "0c0b0a0000000000"
                        "00");
}

TEST(Frame, TheMarkerIsSixteenBytesNoneSmall)
{
    ASSERT_EQ(open_marker.size(), 16u);
    for (const unsigned char each : open_marker)
        EXPECT_GT(each, 4);
}

struct round_trip_case {
    std::string_view name;
    std::function<bool()> same;
};
void PrintTo(const round_trip_case& c, std::ostream* out) { *out << c.name; }

class FrameRoundTrip : public ::testing::TestWithParam<round_trip_case> { };

TEST_P(FrameRoundTrip, KeepsEveryField) { EXPECT_TRUE(GetParam().same()); }

INSTANTIATE_TEST_SUITE_P(Cases, FrameRoundTrip,
    ::testing::Values(round_trip_case{"hello",
                          [] {
                              std::string out;
                              encode_frame(out, hello{7, 1'700'000'000'000, 5, 60'000, "server-1"});
                              const auto kept = frames_of(out).at(0);
                              const auto got = kept.as<hello>();
                              return got.version == 7 && got.epoch == 1'700'000'000'000 && got.nonce == 5 && got.lease_ms == 60'000 &&
                                     got.instance == "server-1";
                          }},
        round_trip_case{"resume",
            [] {
                const auto got = made(3, resume_point{1, 2, 3}).as<resume_point>();
                return got.stdout_committed == 1 && got.stderr_committed == 2 && got.stdin_sent == 3;
            }},
        round_trip_case{"spawn",
            [] {
                const auto kept = made(3, spawn_chunk{10, 13, 2, "abc"});
                const auto got = kept.as<spawn_chunk>();
                return got.offset == 10 && got.total == 13 && got.descriptors == 2 && got.bytes == "abc";
            }},
        round_trip_case{"file",
            [] {
                const auto kept = made(3, file_chunk{0755, 99, true, "a/b.py", "xyz"});
                const auto got = kept.as<file_chunk>();
                return got.mode == 0755 && got.offset == 99 && got.last && got.path == "a/b.py" && got.bytes == "xyz";
            }},
        round_trip_case{"stdin",
            [] {
                const auto kept = made(3, stdin_chunk{5, "in"});
                const auto got = kept.as<stdin_chunk>();
                return got.offset == 5 && got.bytes == "in";
            }},
        round_trip_case{"stdin_eof", [] { return made(3, stdin_end{77}).as<stdin_end>().end == 77; }},
        round_trip_case{"signal",
            [] {
                const auto got = made(3, signal_order{15, true, false}).as<signal_order>();
                return got.number == 15 && got.group && got.order == 0;
            }},
        round_trip_case{"counted_signal",
            [] {
                const auto got = made(3, signal_order{15, true, false, 1ULL << 40}).as<signal_order>();
                return got.number == 15 && got.order == 1ULL << 40;
            }},
        round_trip_case{"orders",
            [] {
                const auto got = made(3, orders_taken{9, true}).as<orders_taken>();
                return got.signals == 9 && got.stdin_ended;
            }},
        round_trip_case{"resize",
            [] {
                const auto got = made(3, resize_order{132, 43}).as<resize_order>();
                return got.cols == 132 && got.rows == 43;
            }},
        round_trip_case{"state",
            [] {
                const auto got = made(3, exec_state{exec_phase::exited, 1, 2, 3, 4, 5, 6}).as<exec_state>();
                return got.phase == exec_phase::exited && got.stdout_base == 1 && got.stdout_end == 2 && got.stderr_base == 3 &&
                       got.stderr_end == 4 && got.stdin_taken == 5 && got.stdin_limit == 6;
            }},
        round_trip_case{"started",
            [] {
                const auto got = made(3, started{42, 1'000}).as<started>();
                return got.pid == 42 && got.monotonic_ns == 1'000;
            }},
        round_trip_case{"output",
            [] {
                const auto kept = made(3, output_chunk{stream_number::stderr_stream, 8, "err"});
                const auto got = kept.as<output_chunk>();
                return got.stream == stream_number::stderr_stream && got.offset == 8 && got.bytes == "err";
            }},
        round_trip_case{"eof",
            [] {
                const auto got = made(3, stream_end{stream_number::stdout_stream, 12}).as<stream_end>();
                return got.stream == stream_number::stdout_stream && got.end == 12;
            }},
        round_trip_case{"stdin_ack",
            [] {
                const auto got = made(3, stdin_ack{1, 2}).as<stdin_ack>();
                return got.taken == 1 && got.limit == 2;
            }},
        round_trip_case{"exited",
            [] {
                const auto got = made(3, exit_report{-1, exit_cause::wall_limit, 1, 2, 3, 4}).as<exit_report>();
                return got.wait_status == -1 && got.cause == exit_cause::wall_limit && got.user_us == 1 && got.system_us == 2 &&
                       got.max_rss_bytes == 3 && got.wall_us == 4;
            }},
        round_trip_case{"error",
            [] {
                const auto kept = made(3, start_error{2, "execve"});
                const auto got = kept.as<start_error>();
                return got.code == 2 && got.step == "execve";
            }}),
    [](const auto& info) { return std::string(info.param.name); });

struct malformed_case {
    std::string_view name;
    std::function<bool()> accepted;
};
void PrintTo(const malformed_case& c, std::ostream* out) { *out << c.name; }

template <class T>
bool accepts(const std::string& body)
{
    T out;
    return decode(body, out);
}

std::string body_of(const kept_frame& frame) { return frame.body; }
std::string cut(std::string body) { return body.substr(0, body.size() - 1); }

class FrameMalformed : public ::testing::TestWithParam<malformed_case> { };

TEST_P(FrameMalformed, IsRefused) { EXPECT_FALSE(GetParam().accepted()); }

INSTANTIATE_TEST_SUITE_P(Cases, FrameMalformed,
    ::testing::Values(malformed_case{"empty_ack", [] { return accepts<acknowledgement>(""); }},
        malformed_case{"short_ack", [] { return accepts<acknowledgement>(cut(body_of(made(1, acknowledgement{})))); }},
        malformed_case{"long_ack", [] { return accepts<acknowledgement>(body_of(made(1, acknowledgement{})) + "x"); }},
        malformed_case{"stream_zero", [] { return accepts<stream_end>(std::string("\0\0\0\0\0\0\0\0\0", 9)); }},
        malformed_case{"stream_three", [] { return accepts<stream_end>(std::string("\3\0\0\0\0\0\0\0\0", 9)); }},
        malformed_case{"offset_too_great", [] { return accepts<stdin_end>(std::string("\0\0\0\0\0\0\0\x7f", 8)); }},
        malformed_case{"text_longer_than_body",
            [] {
                return accepts<start_error>(std::string("\2\0\0\0\xff\xff\xff\xff"
                                                        "abc",
                    11));
            }},
        malformed_case{"unknown_phase", [] { return accepts<exec_state>(std::string(1, '\4') + std::string(48, '\0')); }},
        malformed_case{"base_after_end", [] { return accepts<exec_state>(body_of(made(1, exec_state{exec_phase::running, 2, 1}))); }},
        malformed_case{"taken_after_limit", [] { return accepts<stdin_ack>(body_of(made(1, stdin_ack{2, 1}))); }},
        malformed_case{"unknown_cause", [] { return accepts<exit_report>(std::string("\0\0\0\0\4", 5) + std::string(32, '\0')); }},
        malformed_case{"spawn_past_total", [] { return accepts<spawn_chunk>(body_of(made(1, spawn_chunk{1, 2, 0, "ab"}))); }},
        malformed_case{
            "spawn_too_large", [] { return accepts<spawn_chunk>(body_of(made(1, spawn_chunk{0, max_spawn_bytes + 1, 0, ""}))); }},
        malformed_case{"path_too_long",
            [] {
                const std::string path(max_path_bytes + 1, 'a');
                return accepts<file_chunk>(body_of(made(1, file_chunk{0, 0, false, path, ""})));
            }},
        malformed_case{"target_three", [] { return accepts<signal_order>(std::string("\1\0\0\0\3", 5)); }}),
    [](const auto& info) { return std::string(info.param.name); });

struct chunk_case {
    std::string_view name;
    std::string bytes;
    std::size_t max;
    std::size_t want;
};
void PrintTo(const chunk_case& c, std::ostream* out) { *out << c.name; }

class ChunkLength : public ::testing::TestWithParam<chunk_case> { };

TEST_P(ChunkLength, CutsTheMarker) { EXPECT_EQ(chunk_length(GetParam().bytes, GetParam().max), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, ChunkLength,
    ::testing::Values(chunk_case{"empty", "", 10, 0}, chunk_case{"short", "abc", 10, 3}, chunk_case{"long", "abcdef", 4, 4},
        chunk_case{"marker_alone", std::string(open_marker), 100, 4}, chunk_case{"marker_behind", "abc" + std::string(open_marker), 100, 7},
        chunk_case{"marker_across_the_end", "abc" + std::string(open_marker), 10, 10},
        chunk_case{"rest_of_a_marker", std::string(open_marker.substr(4)), 100, 12}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SpawnCodec, KeepsEveryField)
{
    spawn_request request;
    request.argv = {"python3", "-c", ""};
    request.env = {{"A", "1"}, {"B", ""}};
    request.cwd = "/workspace";
    request.pty = spawn_request::size{80, 24};
    request.rlimits = {{7, 1024}, {1, 1ull << 40}};
    request.wall_ms = 5000;
    request.seccomp_filter = std::string(16, '\x06');
    spawn_request got;
    ASSERT_TRUE(decode_spawn(encode_spawn(request), got));
    EXPECT_EQ(got.argv, request.argv);
    EXPECT_EQ(got.env, request.env);
    EXPECT_EQ(got.cwd, request.cwd);
    ASSERT_TRUE(got.pty.has_value());
    EXPECT_EQ(got.pty->cols, 80);
    EXPECT_EQ(got.pty->rows, 24);
    ASSERT_EQ(got.rlimits.size(), 2u);
    EXPECT_EQ(got.rlimits[1].value, 1ull << 40);
    EXPECT_EQ(got.wall_ms, 5000u);
    EXPECT_EQ(got.seccomp_filter, request.seccomp_filter);
}

TEST(SpawnCodec, RefusesEveryTruncation)
{
    spawn_request request;
    request.argv = {"true"};
    request.env = {{"A", "1"}};
    const auto whole = encode_spawn(request);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        spawn_request got;
        EXPECT_FALSE(decode_spawn(whole.substr(0, size), got)) << size;
    }
}

TEST(SpawnCodec, RefusesNoArgumentsAndHalfInstructions)
{
    spawn_request got;
    EXPECT_FALSE(decode_spawn(encode_spawn({}), got));
    spawn_request odd;
    odd.argv = {"true"};
    odd.seccomp_filter = "123";
    EXPECT_FALSE(decode_spawn(encode_spawn(odd), got));
}

}    // namespace
}    // namespace caisson::protocol

#include "tests/core/protocol/agent_session_fixture.hpp"

namespace caisson::protocol {
namespace {

TEST_F(AgentSession, TakesEachSignalOnce)
{
    spawn(1);
    said();
    hear(made(1, signal_order{10, false, false, 1}));
    hear(made(1, signal_order{12, false, false, 2}));
    EXPECT_EQ(said(), "ORDERS1(2)");
    open(2);    // the next server, which says again what it does not know to be taken
    hear(made(1, resume_point{}));
    EXPECT_EQ(said(), "STATE1(1,0-0,0) ORDERS1(2) STARTED1");
    hear(made(1, signal_order{12, false, false, 2}));
    hear(made(1, signal_order{10, false, false, 3}));
    EXPECT_EQ(host.asked, (std::vector<std::string>{"start 1 true", "signal 1 10 leader", "signal 1 12 leader", "signal 1 10 leader"}));
}

TEST_F(AgentSession, RemembersTheEndOfStdin)
{
    spawn(1);
    said();
    hear(made(1, stdin_end{0}));
    EXPECT_EQ(said(), "ORDERS1(0,end)");
    open(2);
    hear(made(1, resume_point{}));
    EXPECT_EQ(said(), "STATE1(1,0-0,0) ORDERS1(0,end) STARTED1");
}

TEST_F(AgentSession, SpeaksTheFirstVersionToAnOldServer)
{
    EXPECT_TRUE(open(2, 1));
    EXPECT_EQ(frames_of(std::string_view(answer).substr(open_marker.size())).at(0).as<hello>().version, 1u);
    spawn(1);
    said();
    hear(made(1, signal_order{10, false, false}));
    hear(made(1, signal_order{10, false, false}));
    hear(made(1, stdin_end{0}));
    EXPECT_EQ(said(), "");
    EXPECT_EQ(host.asked.size(), 3u) << "not counted: each is done";
    EXPECT_FALSE(open(3, 0));
}

/// A number that would spell the marker's first half when the agent says it again.
constexpr std::uint64_t marker_number = 0x6f737369'6163c5ff;

struct far_case {
    std::string_view name;
    kept_frame frame;
};
void PrintTo(const far_case& c, std::ostream* out) { *out << c.name; }

class AgentSessionFar : public AgentSession, public ::testing::WithParamInterface<far_case> { };

TEST_P(AgentSessionFar, RefusesNumbersThatNoCountReaches)
{
    spawn(1);
    EXPECT_FALSE(hear(GetParam().frame));
}

INSTANTIATE_TEST_SUITE_P(Numbers, AgentSessionFar,
    ::testing::Values(far_case{"signal_like_the_marker", made(1, signal_order{10, false, false, marker_number})},
        far_case{"signal", made(1, signal_order{10, false, false, std::uint64_t{1} << 56})},
        far_case{"resume_stdout", made(1, resume_point{marker_number, 0, 0})},
        far_case{"resume_stderr", made(1, resume_point{0, marker_number, 0})},
        far_case{"resume_stdin", made(1, resume_point{0, 0, std::uint64_t{1} << 56})},
        far_case{"end_of_stdin", made(1, stdin_end{marker_number})}),
    [](const auto& info) { return std::string(info.param.name); });

kept_frame framed(exec_number number, const park_request& request)
{
    std::string out;
    EXPECT_TRUE(encode_frame(out, number, request));
    return frames_of(out).at(0);
}

kept_frame a_park(exec_number number = 0)
{
    park_request request;
    request.program = {.argv = {"python3"}, .env = {{"A", "b"}}, .cwd = "/work", .rlimits = {{3, 8}}, .seccomp_filter = "12345678"};
    request.file_name = "hook.py";
    request.file_text = "print(1)\n";
    request.hooks = {{"PYTHONPATH", "{park}"}};
    request.fixed = {"LC_*"};
    return framed(number, request);
}

TEST_F(AgentSession, ParksAndTellsWhatCameOfIt)
{
    hear(a_park());
    EXPECT_EQ(said(), "");
    session.tell({0, "park"});
    EXPECT_EQ(said(), "PARKED(0)");
    host.fail_park = EBUSY;
    hear(a_park(7));
    EXPECT_EQ(said(), "PARKED(" + std::to_string(EBUSY) + ")");
    EXPECT_EQ(host.asked, (std::vector<std::string>{"park 0 python3 hook.py", "park 7 python3 hook.py"}));
}

TEST_F(AgentSession, AParkIsReadAsItWasWritten)
{
    const auto frame = a_park();
    const auto read = frame.as<park_request>();
    EXPECT_EQ(read.program.argv, std::vector<std::string>{"python3"});
    EXPECT_EQ(read.program.cwd, "/work");
    EXPECT_EQ(read.program.seccomp_filter, "12345678");
    EXPECT_EQ(read.file_text, "print(1)\n");
    EXPECT_EQ(read.hooks.at(0).second, "{park}");
    EXPECT_EQ(read.fixed, std::vector<std::string>{"LC_*"});
    for (std::size_t size = 0; size < frame.body.size(); ++size) {
        park_request out;
        EXPECT_FALSE(decode(std::string_view(frame.body).substr(0, size), out)) << size;
    }
    auto large = read;
    large.file_text.assign(max_chunk_bytes, 'x');
    std::string out;
    EXPECT_FALSE(encode_frame(out, 1, large));
    auto marker = read;
    marker.file_text = open_marker;
    EXPECT_FALSE(encode_frame(out, 1, marker)) << "frames never contain it";
    EXPECT_TRUE(out.empty());
}

TEST_F(AgentSession, ABareChildIsParkedByItsGroupsAndItsFilterOnly)
{
    std::vector<unique_fd> fds;
    for (int i = 0; i < 3; ++i)
        fds.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    session.add_descriptors(std::move(fds));
    park_request bare;
    bare.descriptors = 2;
    EXPECT_TRUE(framed(9, bare).as<park_request>().program.seccomp_filter.empty());
    bare.program.seccomp_filter = "8 bytes.";
    const auto frame = framed(9, bare);
    EXPECT_TRUE(frame.as<park_request>().is_bare());
    EXPECT_EQ(frame.as<park_request>().program.seccomp_filter, "8 bytes.");
    EXPECT_EQ(frame.as<park_request>().descriptors, 2);
    EXPECT_TRUE(hear(frame));
    ASSERT_EQ(host.joined.size(), 1u);
    EXPECT_EQ(host.joined[0].size(), 2u);
    EXPECT_TRUE(hear(frame));
    EXPECT_EQ(said(), "PARKED(" + std::to_string(EMFILE) + ")") << "one did not arrive";
    EXPECT_EQ(host.asked, std::vector<std::string>{"park 9 bare"});
}

struct park_case {
    std::string_view name;
    exec_number number;
    void (*change)(std::string& body);
    std::uint32_t version;
    bool heard;
};
void PrintTo(const park_case& c, std::ostream* out) { *out << c.name; }

class AgentSessionParks : public AgentSession, public ::testing::WithParamInterface<park_case> { };

TEST_P(AgentSessionParks, AsTheVersionHasThem)
{
    const auto& c = GetParam();
    EXPECT_TRUE(open(2, c.version));
    auto frame = a_park(c.number);
    c.change(frame.body);
    EXPECT_EQ(hear(frame), c.heard);
    EXPECT_EQ(host.asked.size(), c.heard && frame.body.size() == a_park().body.size() ? 1u : 0u) << "descriptors did not arrive";
}

INSTANTIATE_TEST_SUITE_P(Cases, AgentSessionParks,
    ::testing::Values(park_case{"any", 0, [](auto&) {}, 4, true}, park_case{"numbered", 1, [](auto&) {}, 4, true},
        park_case{"any_of_version_3", 0, [](auto&) {}, 3, true}, park_case{"numbered_in_version_3", 1, [](auto&) {}, 3, false},
        park_case{"joins", 0, [](auto& body) { body += '\x10'; }, 4, true},
        park_case{"joins_in_version_3", 0, [](auto& body) { body += '\x01'; }, 3, false},
        park_case{"joins_too_much", 0, [](auto& body) { body += '\x11'; }, 4, false},
        park_case{"joins_nothing", 0, [](auto& body) { body += '\0'; }, 4, false},
        park_case{"something_follows", 0, [](auto& body) { body.append(2, '\x01'); }, 4, false},
        park_case{"far_number", max_exec_number + 1, [](auto&) {}, 4, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AgentSession, AServerThatDoesNotKnowOfParkingHearsNothingOfIt)
{
    EXPECT_TRUE(open(2, 2));
    EXPECT_FALSE(hear(a_park()));
    EXPECT_TRUE(open(3, 2));
    session.tell({0, "park"});
    EXPECT_EQ(said(), "");
    host.was_parked = true;
    spawn(1);
    std::string out;
    session.emit(out, 1 << 20);
    const auto frames = frames_of(out);
    ASSERT_EQ(frames.at(0).type, frame_type::started);
    EXPECT_FALSE(frames.at(0).as<started>().was_parked);
    open(4);
    hear(made(1, resume_point{}));
    out.clear();
    session.emit(out, 1 << 20);
    EXPECT_TRUE(frames_of(out).at(2).as<started>().was_parked) << "the next server may know of it";
}

TEST_F(AgentSession, CountsSignalsUpToTheBound)
{
    spawn(1);
    said();
    EXPECT_TRUE(hear(made(1, signal_order{10, false, false, (std::uint64_t{1} << 56) - 1})));
    EXPECT_EQ(said(), "ORDERS1(72057594037927935)");
}

}    // namespace
}    // namespace caisson::protocol

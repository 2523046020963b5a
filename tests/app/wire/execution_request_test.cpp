#include "tests/app/wire/wire_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

parsed_execution parsed(std::string_view body, const wire_fixture& server = {})
{
    auto out = parse_execution_request(body, server.context());
    EXPECT_TRUE(out) << told(out.error());
    return out ? *out : parsed_execution{};
}

std::string refused(std::string_view body, const wire_fixture& server = {})
{
    const auto out = parse_execution_request(body, server.context());
    return out ? "accepted" : told(out.error());
}

TEST(ExecutionRequest, ACommandWithDefaults)
{
    const auto [spec, wait, skill] = parsed(R"({"command":["ls","-l"]})");
    EXPECT_EQ(spec.kind, execution_kind::command);
    EXPECT_THAT(spec.argv, ElementsAre("ls", "-l"));
    EXPECT_EQ(spec.language, "");
    EXPECT_EQ(spec.runtime, "bubblewrap");
    EXPECT_EQ(spec.cwd, "");
    EXPECT_FALSE(spec.pty);
    EXPECT_FALSE(spec.stdin_open);
    EXPECT_TRUE(wait);
    EXPECT_EQ(spec.limits.wall_ms, 30'000);
    EXPECT_EQ(spec.limits.cpu_ms, 15'000);
    EXPECT_EQ(spec.limits.memory_bytes, 512 << 20);
    EXPECT_EQ(spec.limits.cpu_milli, 500);
    EXPECT_EQ(spec.limits.pids, 128);
    EXPECT_EQ(spec.limits.disk_bytes, 256 << 20);
    EXPECT_EQ(spec.limits.file_bytes, 256 << 20);
    EXPECT_EQ(spec.limits.inodes, 16'384);
    EXPECT_EQ(spec.limits.open_files, 1'024);
    EXPECT_EQ(spec.limits.max_output_bytes, 16 << 20);
}

TEST(ExecutionRequest, Everything)
{
    const auto [spec, wait, skill] = parsed(R"({"command":["cat"],"args":["-n","ä"],"stdin":{"base64":"AP8="},"stdin_open":true,
        "env":{"A":"1","LD_PRELOAD":"x"},"files":{"a/./b":"text","c":{"base64":"AAE="}},"cwd":"a//b/","runtime":"mock",
        "network":{"mode":"none"},"pty":{"cols":132},"on_output_limit":"kill","idempotent":false,"priority":0,
        "limits":{"wall_ms":1000,"cpus":2,"disk_bytes":1048576,"max_output_bytes":1024},
        "labels":{"team/x":"y"},"wait":false,"cancel_on_disconnect":true})");
    EXPECT_THAT(spec.argv, ElementsAre("cat", "-n", "ä"));
    EXPECT_EQ(spec.stdin_data, std::string("\0\xff", 2));
    EXPECT_TRUE(spec.stdin_open);
    EXPECT_THAT(spec.env, ElementsAre(Pair("A", "1"), Pair("LD_PRELOAD", "x")));
    ASSERT_EQ(spec.files.size(), 2u);
    EXPECT_EQ(spec.files[0].path, "a/b");
    EXPECT_EQ(spec.files[1].content, std::string("\0\1", 2));
    EXPECT_EQ(spec.cwd, "a/b");
    EXPECT_EQ(spec.runtime, "mock");
    ASSERT_TRUE(spec.pty);
    EXPECT_EQ(spec.pty->cols, 132);
    EXPECT_EQ(spec.pty->rows, 24);
    EXPECT_EQ(spec.output_limit_action, on_output_limit::kill);
    EXPECT_EQ(spec.limits.cpu_ms, 2'000);
    EXPECT_EQ(spec.limits.file_bytes, 1 << 20);
    EXPECT_THAT(spec.labels, ElementsAre(Pair("team/x", "y")));
    EXPECT_TRUE(spec.cancel_on_disconnect);
    EXPECT_FALSE(wait);
}

TEST(ExecutionRequest, AShellLine)
{
    const auto spec = parsed(R"({"shell":"ls | wc -l","args":["x"]})").spec;
    EXPECT_EQ(spec.kind, execution_kind::shell);
    EXPECT_THAT(spec.argv, ElementsAre("/usr/bin/bash", "-c", "ls | wc -l", "bash", "x"));
}

TEST(ExecutionRequest, AShellLineWithoutBash)
{
    wire_fixture server;
    server.languages = language_catalog([](std::string_view) { return std::optional<std::string>(); });
    EXPECT_THAT(parsed(R"({"shell":"true"})", server).spec.argv, ElementsAre("/bin/sh", "-c", "true", "sh"));
}

struct code_case {
    std::string_view name;
    std::string_view body;
    std::vector<std::string> argv;
    std::string_view file;
};
void PrintTo(const code_case& c, std::ostream* out) { *out << c.name; }
class Code : public ::testing::TestWithParam<code_case> { };
TEST_P(Code, BecomesAFileAndACommand)
{
    const auto spec = parsed(GetParam().body).spec;
    EXPECT_EQ(spec.kind, execution_kind::code);
    EXPECT_EQ(spec.argv, GetParam().argv);
    ASSERT_FALSE(spec.files.empty());
    EXPECT_EQ(spec.files.back().path, GetParam().file);
    EXPECT_EQ(spec.files.back().content, "1");
}
INSTANTIATE_TEST_SUITE_P(Cases, Code,
    ::testing::Values(code_case{"default_file", R"({"language":"py","code":"1"})", {"/usr/bin/python3", "-u", "main.py"}, "main.py"},
        code_case{
            "entry", R"({"language":"python","code":"1","entry":"./src/app.py"})", {"/usr/bin/python3", "-u", "src/app.py"}, "src/app.py"},
        code_case{"arguments", R"({"language":"sh","code":"1","args":["a"]})", {"/usr/bin/bash", "main.sh", "a"}, "main.sh"},
        code_case{"other_directory", R"({"language":"sh","code":"1","cwd":"a/b"})", {"/usr/bin/bash", "../../main.sh"}, "main.sh"},
        code_case{"absolute_directory", R"({"language":"sh","code":"1","cwd":"/tmp"})", {"/usr/bin/bash", "/workspace/main.sh"}, "main.sh"},
        code_case{"workspace", R"({"language":"sh","code":"1","cwd":"/workspace/"})", {"/usr/bin/bash", "main.sh"}, "main.sh"},
        code_case{"beside_files", R"({"language":"sh","code":"1","files":{"x":"2"}})", {"/usr/bin/bash", "main.sh"}, "main.sh"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionRequest, CodeKeepsItsCanonicalLanguage) { EXPECT_EQ(parsed(R"({"language":"PY","code":""})").spec.language, "python"); }

struct cpus_case {
    std::string_view name;
    std::string_view number;
    std::int64_t want;
};
class Cpus : public ::testing::TestWithParam<cpus_case> { };
TEST_P(Cpus, AreThousandths)
{
    const auto spec = parsed(R"({"command":["a"],"limits":{"cpus":)" + std::string(GetParam().number) + "}}").spec;
    EXPECT_EQ(spec.limits.cpu_milli, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, Cpus,
    ::testing::Values(cpus_case{"half", "0.5", 500}, cpus_case{"least", "0.01", 10}, cpus_case{"whole", "2", 2'000},
        cpus_case{"most", "64", 64'000}, cpus_case{"exponent", "1e0", 1'000}, cpus_case{"thousandth", "1.001", 1'001},
        cpus_case{"tenth", "0.1", 100}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionRequest, DerivedLimitsStayInTheirRange)
{
    wire_fixture server;
    server.limits.cpu_ms.max = 5'000;
    server.limits.file_bytes.max = 1 << 20;
    const auto limits = parsed(R"({"command":["a"]})", server).spec.limits;
    EXPECT_EQ(limits.cpu_ms, 5'000);
    EXPECT_EQ(limits.file_bytes, 1 << 20);
}

TEST(ExecutionRequest, ConfiguredDefaultsWin)
{
    wire_fixture server;
    server.limits.cpu_ms.def = 123;
    server.limits.wall_ms.def = 60'000;
    const auto limits = parsed(R"({"command":["a"]})", server).spec.limits;
    EXPECT_EQ(limits.cpu_ms, 123);
    EXPECT_EQ(limits.wall_ms, 60'000);
}

TEST(ExecutionRequest, TellsEveryMistakeAtOnce)
{
    EXPECT_EQ(refused(R"({"command":"ls","wat":1,"limits":{"wall_ms":0,"pids":"x","colour":1},"env":{"A=":"1","B":2}})"),
        "bad_request: limits.wall_ms must be a whole number between 100 and 3600000; limits.pids must be a whole number between 1 and "
        "4096; "
        "limits.colour is not a known field; env.A= must not have \"=\" in its name; env.B must be a string; command must be an array; "
        "wat is not a known field");
}

TEST(ExecutionRequest, MistakesComeBeforeWhatIsNotBuiltYet)
{
    EXPECT_EQ(refused(R"({"command":["a"],"user":"x","wait":1})"), "bad_request: wait must be true or false");
}

TEST(ExecutionRequest, TheMessageIsBounded)
{
    std::string body = R"({"command":["a"])";
    for (int i = 0; i < 1'000; ++i)
        body += ",\"" + std::string(1'000, 'x') + std::to_string(i) + "\":1";
    const auto out = parse_execution_request(body + "}", wire_fixture().context());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().fields.size(), 50u);
    EXPECT_LT(out.error().detail.size(), 1'000u);
    EXPECT_LT(out.error().fields[0].field.size(), 80u);
}

TEST(ExecutionRequest, ArgumentsAndEnvironmentShareOneLimit)
{
    const std::string half(64 << 10, 'x');
    EXPECT_EQ(refused(R"({"command":["a",")" + half + R"("],"env":{"A":")" + half + R"("}})"),
        "bad_request: args and env take 131078 bytes together, at most 131072 are possible; send what is large as a file or on stdin");
}

TEST(ExecutionRequest, LargeContentIsFine)
{
    const std::string large(5 << 20, 'x');
    const auto spec = parsed(R"({"command":["a"],"stdin":")" + large + R"(","files":{"f":")" + large + R"("}})").spec;
    EXPECT_EQ(spec.stdin_data.size(), large.size());
    EXPECT_EQ(spec.files[0].content.size(), large.size());
}

}    // namespace

}    // namespace caisson::wire

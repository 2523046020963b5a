// Requests with code that is compiled.

#include "tests/app/wire/wire_fixture.hpp"

#include <gmock/gmock.h>

namespace caisson::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct compile_fixture : wire_fixture {
    compile_fixture()
    {
        languages = language_catalog([](std::string_view name) { return "/usr/bin/" + std::string(name); });
    }
    execution_spec spec(std::string_view body) const
    {
        auto parsed = parse_execution_request(body, context());
        EXPECT_TRUE(parsed.has_value()) << told(parsed.error());
        return parsed.has_value() ? parsed->spec : execution_spec();
    }
    std::string refused(std::string_view body) const
    {
        const auto parsed = parse_execution_request(body, context());
        return parsed.has_value() ? "taken" : told(parsed.error());
    }
};

TEST(CompileRequest, BecomesTwoCommandsAndAllFiles)
{
    const auto spec =
        compile_fixture().spec(R"({"language":"C","code":"1","entry":"src/a.c","files":{"b.c":"2","b.h":"3"},"args":["x"],"cwd":"sub"})");
    EXPECT_EQ(spec.language, "c");
    EXPECT_THAT(spec.argv, ElementsAre("../.caisson/main", "x"));
    ASSERT_TRUE(spec.compile);
    EXPECT_THAT(spec.compile->argv, ElementsAre("/usr/bin/gcc", "-O2", "-o", ".caisson/main", "b.c", "src/a.c", "-pthread", "-lm"));
    ASSERT_EQ(spec.files.size(), 3u);
    EXPECT_EQ(spec.files[2].path, "src/a.c");
    EXPECT_TRUE(spec.compile->files.empty());
}

TEST(CompileRequest, HasTheVariablesAndFilesOfItsLanguage)
{
    const auto go = compile_fixture().spec(R"({"language":"go","code":"1"})");
    EXPECT_THAT(go.compile->env, ::testing::Contains(Pair("GOPROXY", "off")));
    const auto csharp = compile_fixture().spec(R"({"language":"c#","code":"1","env":{"A":"b"}})");
    EXPECT_THAT(csharp.env, ElementsAre(Pair("A", "b"), Pair("MONO_LOG_DEST", "/dev/null")));
    const auto own = compile_fixture().spec(R"({"language":"c#","code":"1","env":{"MONO_LOG_DEST":"b"}})");
    EXPECT_THAT(own.env, ElementsAre(Pair("MONO_LOG_DEST", "b")));
    const auto typescript = compile_fixture().spec(R"({"language":"ts","code":"1"})");
    ASSERT_EQ(typescript.compile->files.size(), 1u);
    EXPECT_EQ(typescript.compile->files[0].path, ".caisson/host.d.ts");
}

TEST(CompileRequest, LimitsHaveDefaults)
{
    const auto spec = compile_fixture().spec(R"({"language":"c","code":"1","limits":{"memory_bytes":33554432}})");
    EXPECT_EQ(spec.compile->limits, (compile_limits{60'000, 60'000, 33'554'432}));
}

TEST(CompileRequest, LimitsAreItsOwn)
{
    const auto spec = compile_fixture().spec(
        R"({"language":"c","code":"1","compile":{"wall_ms":600000,"cpu_ms":10,"memory_bytes":16777216},"limits":{"wall_ms":100}})");
    EXPECT_EQ(spec.compile->limits, (compile_limits{600'000, 10, 16'777'216}));
    EXPECT_EQ(spec.limits.wall_ms, 100);
}

TEST(CompileRequest, WhatIsNotCompiledHasNone) { EXPECT_FALSE(compile_fixture().spec(R"({"language":"py","code":"1"})").compile); }

struct refused_case {
    std::string_view name;
    std::string compile;
    std::string_view told;
};
void PrintTo(const refused_case& c, std::ostream* out) { *out << c.name; }
class CompileRefused : public ::testing::TestWithParam<refused_case> { };

TEST_P(CompileRefused, WithFieldAndLimit)
{
    EXPECT_EQ(compile_fixture().refused(R"({"language":"c","code":"1","compile":)" + GetParam().compile + "}"), GetParam().told);
}

INSTANTIATE_TEST_SUITE_P(Cases, CompileRefused,
    ::testing::Values(refused_case{"type", "3", "bad_request: compile must be an object"},
        refused_case{"null", "null", "bad_request: compile must be an object"},
        refused_case{"unknown", R"({"flags":"-O3"})", "bad_request: compile.flags is not a known field"},
        refused_case{"short", R"({"wall_ms":99})", "bad_request: compile.wall_ms must be a whole number between 100 and 600000"},
        refused_case{"long", R"({"wall_ms":600001})", "bad_request: compile.wall_ms must be a whole number between 100 and 600000"},
        refused_case{"cpu", R"({"cpu_ms":9})", "bad_request: compile.cpu_ms must be a whole number between 10 and 1200000"},
        refused_case{"more_than_the_execution", R"({"memory_bytes":536870913})",
            "bad_request: compile.memory_bytes must be a whole number between 16777216 and 536870912"},
        refused_case{"text", R"({"wall_ms":"1s"})", "bad_request: compile.wall_ms must be a whole number between 100 and 600000"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CompileRequest, PathsAreBoundedByWhatACompilerCanBeGiven)
{
    std::string files;
    for (int i = 0; i < 999; ++i)
        files += (files.empty() ? "\"" : ",\"") + std::to_string(i) + std::string(150, 'x') + ".c\":\"\"";
    EXPECT_THAT(compile_fixture().refused(R"({"language":"c","code":"1","files":{)" + files + "}}"),
        ::testing::MatchesRegex("bad_request: files have paths of 15[0-9]+ bytes together, of which the compiler can be given 131072"));
}

}    // namespace
}    // namespace caisson::wire

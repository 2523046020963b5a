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

TEST(CompileRequest, AGoPackageWithoutAModuleGetsOne)
{
    const auto alone = compile_fixture().spec(R"({"language":"go","code":"1"})");
    ASSERT_EQ(alone.compile->files.size(), 2u);
    EXPECT_EQ(alone.compile->files[0].path, ".caisson/go/go.mod");
    EXPECT_EQ(alone.compile->files[1].path, ".caisson/go/overlay.json");
    EXPECT_TRUE(compile_fixture().spec(R"({"language":"go","code":"1","files":{"go.mod":"module m"}})").compile->files.empty());
}

TEST(CompileRequest, TheJavaFileIsNamedAfterItsPublicClass)
{
    const auto spec = compile_fixture().spec(
        R"({"language":"java","code":"package p; public class Tool { public static void main(String[] a) { } }","files":{"x":"1"}})");
    EXPECT_EQ(spec.files.back().path, "Tool.java");
    EXPECT_EQ(spec.argv.back(), "p.Tool");
    EXPECT_EQ(compile_fixture().spec(R"({"language":"java","code":"public class A { }","entry":"B.java"})").files.back().path, "B.java");
}

TEST(CompileRequest, TheJavaClassMayBeInAnotherFile)
{
    const auto spec = compile_fixture().spec(
        R"({"language":"java","code":"class N { }","files":{"a.txt":"","B.java":"class B { public static void main(String[] a) { } }"}})");
    EXPECT_EQ(spec.argv.back(), "B");
}

TEST(CompileRequest, SaysWhatTheCompilerIsTold)
{
    const auto spec = compile_fixture().spec(R"({"language":"cpp","code":"1","compiler":{"std":"c++20","flags":["-O3","-lz"]}})");
    EXPECT_THAT(
        spec.compile->argv, ElementsAre("/usr/bin/g++", "-std=c++20", "-O2", "-O3", "-o", ".caisson/main", "main.cpp", "-lz", "-pthread"));
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

TEST(CodeRequest, ArgumentsComeBehindTheEndOfTheInterpretersOptions)
{
    const auto spec = compile_fixture().spec(R"({"language":"awk","code":"1","args":["--version"]})");
    EXPECT_THAT(spec.argv, ElementsAre("/usr/bin/gawk", "-f", "main.awk", "--", "--version"));
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

class CompilerRefused : public ::testing::TestWithParam<refused_case> { };

TEST_P(CompilerRefused, WithFieldAndReason)
{
    const auto told = compile_fixture().refused(R"({"language":"d","code":"1","compiler":)" + GetParam().compile + "}");
    EXPECT_TRUE(told.starts_with(GetParam().told)) << told;
}

INSTANTIATE_TEST_SUITE_P(Cases, CompilerRefused,
    ::testing::Values(refused_case{"type", "3", "bad_request: compiler must be an object"},
        refused_case{"unknown", R"({"flag":[]})", "bad_request: compiler.flag is not a known field"},
        refused_case{"standard", R"({"std":"x"})", "bad_request: compiler.std has no meaning with this language"},
        refused_case{"flags", R"({"flags":"-O"})", "bad_request: compiler.flags must be an array"},
        refused_case{"flag_of_a_wrong_type", R"({"flags":["-O",3]})", "bad_request: compiler.flags[1] must be a string"},
        refused_case{"flag", R"({"flags":["-O","-Wl,x"]})", "bad_request: compiler.flags[1] \"-Wl,x\" is not allowed; allowed are -O…, "},
        refused_case{"too_long", R"({"flags":["-O)" + std::string(255, '1') + R"("]})",
            "bad_request: compiler.flags[0] must be at most 256 bytes long, not 257"},
        refused_case{"too_many",
            R"({"flags":[)" +
                [] {
                    std::string out = R"("-O")";
                    for (int i = 0; i < 32; ++i)
                        out += R"(,"-O")";
                    return out;
                }() +
                "]}",
            "bad_request: compiler.flags must have at most 32 items, not 33"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CompileRequest, SeveralJavaClassesWithMainAreRefused)
{
    EXPECT_THAT(compile_fixture().refused(R"({"language":"java","code":"class A { public static void main(String[] a) { } })"
                                          R"( class B { public static void main(String[] a) { } }"})"),
        ::testing::HasSubstr("code has several classes with main: A, B"));
}

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

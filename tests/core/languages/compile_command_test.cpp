#include "core/languages/compile_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using ::testing::ElementsAre;

language_catalog all_installed()
{
    return language_catalog(
        [](std::string_view name) { return name.starts_with('/') ? std::string(name) : "/usr/bin/" + std::string(name); });
}

std::string line_of(const std::vector<std::string>& argv)
{
    std::string out;
    for (const auto& each : argv)
        out.append(out.empty() ? "" : " ").append(each);
    return out;
}

struct command_case {
    std::string_view name;
    std::string_view language;
    code_files files;
    std::string_view to_work;
    std::string_view compile;
    std::string_view run;
};
void PrintTo(const command_case& c, std::ostream* out) { *out << c.name; }
class CompileCommand : public ::testing::TestWithParam<command_case> { };

TEST_P(CompileCommand, MakesWhatIsRun)
{
    const auto& c = GetParam();
    const auto catalog = all_installed();
    const auto& entry = *catalog.find(c.language);
    EXPECT_EQ(line_of(compile_command(entry, c.files)), c.compile);
    EXPECT_EQ(line_of(made_command(entry, c.files, c.to_work)), c.run);
}

INSTANTIATE_TEST_SUITE_P(Cases, CompileCommand,
    ::testing::Values(command_case{"c", "c", {"main.c", "", {"b/lib.c", "lib.h", "main.c", ".c"}, 0}, "",
                          "/usr/bin/gcc -O2 -o .caisson/main b/lib.c main.c -pthread -lm", ".caisson/main"},
        command_case{"what_the_request_says_to_the_compiler", "c",
            {"main.c", "", {}, 0, {}, {.standard = "c11", .flags = {"-O3", "-lz", "-DX=a b", "-Wall"}}}, "",
            "/usr/bin/gcc -std=c11 -O2 -O3 -DX=a b -Wall -o .caisson/main main.c -lz -pthread -lm", ".caisson/main"},
        command_case{"from_another_directory", "c", {"a/main.c", "", {}, 0}, "../",
            "/usr/bin/gcc -O2 -o .caisson/main a/main.c -pthread -lm", "../.caisson/main"},
        command_case{"names_that_look_like_options", "c++", {"-o.cpp", "", {"@x.cc", "-v.cxx"}, 0}, "/workspace/",
            "/usr/bin/g++ -O2 -o .caisson/main ./@x.cc ./-v.cxx ./-o.cpp -pthread", "/workspace/.caisson/main"},
        command_case{"names_that_look_like_marks", "nim", {"{build}.nim", "", {}, 0}, "",
            "/usr/bin/nim c --hints:off --verbosity:0 --nimcache:.caisson/nim -o:.caisson/main {build}.nim", ".caisson/main"},
        command_case{"go_package", "go", {"cmd/main.go", "", {"cmd/a.go"}, 0}, "",
            "/usr/bin/go build -p 4 -buildvcs=false -o .caisson/main -overlay=.caisson/go/overlay.json -modfile=.caisson/go/go.mod ./cmd",
            ".caisson/main"},
        command_case{"go_module_with_tags", "go", {"main.go", "", {"go.mod"}, 0, {}, {.standard = "", .flags = {"-tags=a,b"}}}, "",
            "/usr/bin/go build -p 4 -buildvcs=false -tags=a,b -o .caisson/main ./", ".caisson/main"},
        command_case{"go_module_below", "go", {"a/b/cmd/main.go", "", {"a/b/go.mod"}, 0}, "",
            "/usr/bin/go build -p 4 -buildvcs=false -o ../../.caisson/main ./cmd", ".caisson/main"},
        command_case{"java", "java", {"com/Main.java", "/* x */ package com ;", {"com/Other.java"}, 1000}, "../",
            "/usr/bin/javac -J-XX:MaxRAM=1000 -J-XX:MaxRAMPercentage=60 -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -encoding UTF-8 -d "
            ".caisson/classes com/Other.java com/Main.java",
            "/usr/bin/java -XX:MaxRAM=1000 -XX:MaxRAMPercentage=60 -XX:+UseSerialGC -cp ../.caisson/classes:../ com.Main"},
        command_case{"java_class_with_main", "java",
            {"Main.java", "class Tool { public static void main(String[] a) { } }", {}, 1000, {}, {.standard = "11", .flags = {}}}, "",
            "/usr/bin/javac -J-XX:MaxRAM=1000 -J-XX:MaxRAMPercentage=60 -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -encoding UTF-8 "
            "--release=11 -d .caisson/classes Main.java",
            "/usr/bin/java -XX:MaxRAM=1000 -XX:MaxRAMPercentage=60 -XX:+UseSerialGC -cp .caisson/classes:. Tool"},
        command_case{"csharp", "c#", {"main.cs", "", {"b.cs"}, 0}, "",
            "/usr/bin/mono /usr/lib/mono/4.5/mcs.exe -optimize -out:.caisson/main.exe b.cs main.cs", "/usr/bin/mono .caisson/main.exe"},
        command_case{"rust_finds_its_files", "rs", {"main.rs", "", {"lib.rs"}, 0}, "",
            "/usr/bin/rustc --edition=2021 -O -o .caisson/main main.rs", ".caisson/main"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CompileCommandOfTypeScript, KeepsThePlaceOfTheFile)
{
    const auto catalog = all_installed();
    const auto& entry = *catalog.find("ts");
    const code_files files{"src/my.app.ts", "", {"src/lib.ts", "types/x.d.ts"}, 0};
    const auto argv = compile_command(entry, files);
    EXPECT_EQ(argv[1], "/usr/share/nodejs/typescript/bin/tsc");
    EXPECT_THAT(std::vector(argv.end() - 3, argv.end()), ElementsAre(".caisson/host.d.ts", "types/x.d.ts", "src/my.app.ts"));
    EXPECT_THAT(made_command(entry, files, ""), ElementsAre("/usr/bin/node", ".caisson/js/src/my.app.js"));
}

TEST(CompileCommandOfTypeScript, TakesNoNameForAMark)
{
    const auto catalog = all_installed();
    EXPECT_THAT(made_command(*catalog.find("ts"), {"{main}{build}.ts", "", {}, 0}, "../"),
        ElementsAre("/usr/bin/node", "../.caisson/js/{main}{build}.js"));
}

}    // namespace
}    // namespace caisson

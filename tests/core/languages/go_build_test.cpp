#include "core/languages/go_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using ::testing::ElementsAreArray;

struct go_case {
    std::string_view name;
    std::string main;
    std::vector<std::string> others;
    std::string_view code;
    bool needs_module;
    std::vector<std::string> want;    // behind the options that name the server's own go.mod
    std::string directory = {};
};
void PrintTo(const go_case& c, std::ostream* out) { *out << c.name; }
class GoBuild : public ::testing::TestWithParam<go_case> { };

TEST_P(GoBuild, BuildsWhatGoWouldBuildInTheDirectory)
{
    const auto& c = GetParam();
    auto arguments = go_build_arguments(c.main, c.code, c.others);
    EXPECT_EQ(go_build_directory(c.main, c.code, c.others), c.directory);
    EXPECT_EQ(go_needs_module(c.main, c.code, c.others), c.needs_module);
    if (c.needs_module) {
        ASSERT_GE(arguments.size(), 2u);
        EXPECT_EQ(arguments[0], "-overlay=.caisson/go/overlay.json");
        EXPECT_EQ(arguments[1], "-modfile=.caisson/go/go.mod");
        arguments.erase(arguments.begin(), arguments.begin() + 2);
    }
    EXPECT_THAT(arguments, ElementsAreArray(c.want));
}

INSTANTIATE_TEST_SUITE_P(Cases, GoBuild,
    ::testing::Values(go_case{"one_file", "main.go", {}, "package main", true, {"./"}},
        go_case{"files_for_several_systems", "main.go", {"a_linux.go", "a_windows.go"}, "package main", true, {"./"}},
        go_case{"a_directory", "cmd/main.go", {"cmd/a.go", "b.go"}, "package main", true, {"./cmd"}},
        go_case{"a_module", "cmd/main.go", {"go.mod", "lib/a.go"}, "package main", false, {"./cmd"}},
        go_case{"a_module_at_the_top", "main.go", {"go.mod"}, "package main", false, {"./"}},
        go_case{"a_workspace", "a/main.go", {"go.work", "a/go.mod"}, "package main", false, {"./a"}},
        go_case{"a_module_below", "a/b/main.go", {"a/go.mod", "a/b/x.go", "a/y.go"}, "package main", false, {"./b"}, "a"},
        go_case{"a_name_that_go_passes_over_in_a_module_below", "a/_x.go", {"a/go.mod", "a/y.go"}, "package main", false,
            {"a/y.go", "a/_x.go"}},
        go_case{"the_nearest_module", "a/b/main.go", {"go.mod", "a/go.mod", "a/b/go.mod"}, "package main", false, {"."}, "a/b"},
        go_case{"a_module_of_another_directory", "b/main.go", {"a/go.mod"}, "package main", true, {"./b"}},
        go_case{"a_workspace_with_a_module_below", "a/b/main.go", {"go.work", "a/go.mod"}, "package main", false, {"./a/b"}},
        go_case{
            "a_file_that_is_no_part_of_a_module_below", "a/gen.go", {"a/go.mod"}, "//go:build ignore\npackage main", false, {"a/gen.go"}},
        go_case{"a_file_that_is_no_part_of_its_package", "gen.go", {"main.go"}, "// Makes it.\n\n//go:build ignore\r\n\npackage main",
            false, {"gen.go"}},
        go_case{"such_a_file_of_a_module", "gen.go", {"go.mod"}, "// +build ignore\npackage main", false, {"gen.go"}},
        go_case{"the_words_later", "main.go", {}, "package main\n//go:build ignore\n", true, {"./"}},
        go_case{"a_name_that_go_passes_over", "_main.go", {"a.go", "a_test.go"}, "package main", false, {"a.go", "_main.go"}},
        go_case{"a_directory_that_is_no_import_path", "ä b/main.go", {"ä b/a.go"}, "package main", false, {"ä b/a.go", "ä b/main.go"}},
        go_case{"a_directory_like_an_option", "-x/main.go", {}, "package main", false, {"./-x/main.go"}}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson

#include "core/languages/java_main.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct class_case {
    std::string_view name;
    std::string_view file;
    std::string_view code;
    std::string_view want;
};
void PrintTo(const class_case& c, std::ostream* out) { *out << c.name; }
class JavaClass : public ::testing::TestWithParam<class_case> { };

TEST_P(JavaClass, IsThatOfTheFileInThePackageOfTheCode)
{
    EXPECT_EQ(java_class_of(std::string(GetParam().file), GetParam().code), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, JavaClass,
    ::testing::Values(class_case{"plain", "Main.java", "public class Main { }", "Main"},
        class_case{"directory_without_package", "src/App.java", "class App { }", "App"},
        class_case{"package", "App.java", "package com.acme;\nclass App { }", "com.acme.App"},
        class_case{"comments", "App.java", "// package no;\n/* package neither; */\r\n\t package\n a . b ;", "a.b.App"},
        class_case{"comment_between", "App.java", "package/**/a;", "a.App"},
        class_case{"byte_order_mark", "App.java", "\xEF\xBB\xBFpackage a;", "a.App"},
        class_case{"word_that_begins_so", "App.java", "packages x;", "App"}, class_case{"later", "App.java", "import a; package b;", "App"},
        class_case{"open_comment", "App.java", "/* package a;", "App"}, class_case{"open_line_comment", "App.java", "// package a;", "App"},
        class_case{"nothing", "App", "", "App"}, class_case{"only_the_word", "App.java", "package", "App"}),
    [](const auto& info) { return std::string(info.param.name); });

struct mains_case {
    std::string_view name;
    std::string_view code;
    std::vector<std::string> want;
};
void PrintTo(const mains_case& c, std::ostream* out) { *out << c.name; }
class JavaMains : public ::testing::TestWithParam<mains_case> { };

TEST_P(JavaMains, AreTheTypesThatTheLauncherCanStart) { EXPECT_THAT(java_mains(GetParam().code), ElementsAreArray(GetParam().want)); }

INSTANTIATE_TEST_SUITE_P(Cases, JavaMains,
    ::testing::Values(mains_case{"any_name", "public class Foo { public static void main(String[] args) { } }", {"Foo"}},
        mains_case{"in_a_package", "package a.b; class Foo { public static void main(String[] args) { } }", {"a.b.Foo"}},
        mains_case{"array_behind_the_name", "class A { static public void main(String args[]) { } }", {"A"}},
        mains_case{"variable_arity", "class A { public static void main(final String... args) { } }", {"A"}},
        mains_case{"qualified_string", "class A { public static void main(java.lang.String[] args) { } }", {"A"}},
        mains_case{"other_modifiers_and_annotations",
            "class A { @SuppressWarnings({\"x\"}) public static final synchronized strictfp void main(String[] a) throws Exception { } }",
            {"A"}},
        mains_case{"record", "record P(int x, int y) { public static void main(String[] a) { } }", {"P"}},
        mains_case{"generic_record", "record P<T>(T x) { public static void main(String[] a) { } }", {"P"}},
        mains_case{"enum", "enum E { A { void f() { } }, B; public static void main(String[] a) { } }", {"E"}},
        mains_case{"interface", "interface I { static void main(String[] a) { } }", {"I"}},
        mains_case{"nested", "package p; class A { int x = 3; static class B { public static void main(String[] a) { } } }", {"p.A$B"}},
        mains_case{"second_class", "class A { void f() { if (true) { } } } class B { public static void main(String[] a) { } }", {"B"}},
        mains_case{"several", "class A { public static void main(String[] a) { } } class B { public static void main(String[] a) { } }",
            {"A", "B"}},
        mains_case{"local_class", "class A { void f() { class L { public static void main(String[] a) { } } } }", {}},
        mains_case{"anonymous_class", "class A { Object o = new Object() { public static void main(String[] a) { } }; }", {}},
        mains_case{"not_static", "class A { public void main(String[] a) { } }", {}},
        mains_case{"not_public", "class A { static void main(String[] a) { } }", {}},
        mains_case{"other_result", "class A { public static int main(String[] a) { return 0; } }", {}},
        mains_case{"other_parameters",
            "class A { public static void main(String a) { } public static void main(int[] a) { } "
            "public static void main(String[] a, int b) { } public static void main(String[][] a) { } "
            "public static void main() { } }",
            {}},
        mains_case{"modifiers_of_the_member_before", "class A { public static int x; void main(String[] a) { } }", {}},
        mains_case{"only_a_call", "class A { void f() { main(new String[0]); } }", {}},
        mains_case{
            "in_a_comment", "class A { // public static void main(String[] a) { }\n/* public static void main(String[] a) { } */ }", {}},
        mains_case{"in_strings",
            "class A { String s = \"} class B { public static void main(String[] a) { } }\"; char c = '}'; char d = '\\'';\n"
            "String t = \"\"\"\n } \" class C { public static void main(String[] a) { }\n\"\"\"; public static void main(String[] a) { } }",
            {"A"}},
        mains_case{"class_literal", "class A { Object c = A.class; public static void main(String[] a) { } }", {"A"}},
        mains_case{"names_outside_of_ascii", "class Größe { public static void main(String[] ä) { } }", {"Größe"}},
        mains_case{"no_java", "}}}} ((( main ( class { \" void", {}}, mains_case{"nothing", "", {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(JavaPublicType, IsTheFirstThatIsNotNested)
{
    EXPECT_EQ(java_public_type("import java.util.*; class A { public class B { } } public final class C { } public class D { }"), "C");
    EXPECT_EQ(java_public_type("public record R(int x) { }"), "R");
    EXPECT_EQ(java_public_type("public @interface N { }"), "N");
    EXPECT_EQ(java_public_type("class A { public static void main(String[] a) { } }"), "");
}

constexpr std::string_view tool = "class Tool { public static void main(String[] a) { } }";
constexpr std::string_view two = "class A { public static void main(String[] a) { } } class B { public static void main(String[] a) { } }";
constexpr std::string_view none = "class N { }";

struct choice_case {
    std::string_view name;
    std::string_view file;
    std::string_view code;
    std::vector<std::string_view> others;
    std::string_view want;
};
void PrintTo(const choice_case& c, std::ostream* out) { *out << c.name; }
class JavaMainClass : public ::testing::TestWithParam<choice_case> { };

TEST_P(JavaMainClass, IsTheOneThatIsMeant)
{
    const auto& c = GetParam();
    const auto choice = java_main_class(std::string(c.file), c.code, c.others);
    EXPECT_EQ(choice.name, c.want);
    EXPECT_EQ(choice.problem.empty(), !c.want.empty()) << choice.problem;
}

INSTANTIATE_TEST_SUITE_P(Cases, JavaMainClass,
    ::testing::Values(choice_case{"only_one", "Main.java", tool, {none}, "Tool"},
        choice_case{"of_the_codes_file_first", "Main.java", tool, {two}, "Tool"},
        choice_case{"named_by_the_file", "src/B.java", two, {}, "B"},
        choice_case{"of_another_file", "Main.java", none, {none, tool}, "Tool"},
        choice_case{"no_main_at_all", "Main.java", none, {}, "Main"}, choice_case{"two_in_the_codes_file", "Main.java", two, {tool}, ""},
        choice_case{"two_in_others", "Main.java", none, {two}, ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(JavaMains, OfAnyTextAreFoundInTheTimeOfReadingIt)
{
    const auto repeated = [](std::string_view text) {
        std::string out;
        while (out.size() < 1 << 20)
            out += text;
        return out;
    };
    for (const std::string_view text : {"class a ", "class a { ", "void main ( ", "package a ", "\"", "/*", "@", "{", "("})
        EXPECT_THAT(java_mains(repeated(text)), ::testing::IsEmpty()) << text;
}

TEST(JavaMainClassProblem, NamesTheClasses) { EXPECT_THAT(java_main_class("Main.java", two, {}).problem, HasSubstr("A, B")); }

}    // namespace
}    // namespace caisson

#include "core/skills/name_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::string_literals;

struct name_case {
    std::string_view test;
    std::string raw;
    std::string want;
    std::string_view fault = "";
};
class CleanName : public ::testing::TestWithParam<name_case> { };

TEST_P(CleanName, StaysInside)
{
    const auto& c = GetParam();
    const auto path = clean_name(c.raw, "zip", package_limits());
    if (c.fault.empty()) {
        ASSERT_TRUE(path.has_value()) << path.error().detail;
        EXPECT_EQ(*path, c.want);
        return;
    }
    ASSERT_TRUE(path.has_error()) << *path;
    EXPECT_EQ(path.error().detail.substr(0, c.fault.size()), c.fault);
}

INSTANTIATE_TEST_SUITE_P(Cases, CleanName,
    ::testing::Values(name_case{"usual", "scripts/main.py", "scripts/main.py"}, name_case{"here", "./a", "a"},
        name_case{"here_inside", "a/./b", "a/b"}, name_case{"two_slashes", "a//b", "a/b"}, name_case{"directory", "a/b/", "a/b"},
        name_case{"root", "./", ""}, name_case{"dots_in_a_name", "a..b.txt", "a..b.txt"}, name_case{"dots_first", "..foo", "..foo"},
        name_case{"three_dots", ".../x", ".../x"}, name_case{"unicode", "größe.txt", "größe.txt"}, name_case{"spaces", "a b", "a b"},
        name_case{"colon", "ab:c", "ab:c"}, name_case{"up", "../x", "", "zip contains path traversal entry: ../x"},
        name_case{"up_inside", "a/../../up", "", "zip contains path traversal entry"},
        name_case{"up_at_the_end", "a/..", "", "zip contains path traversal entry"},
        name_case{"up_alone", "..", "", "zip contains path traversal"},
        name_case{"up_behind_here", "ok/./../x", "", "zip contains path traversal entry"},
        name_case{"absolute", "/tmp/abs", "", "zip contains absolute path entry: /tmp/abs"},
        name_case{"absolute_backslash", "\\x", "", "zip contains absolute path entry"},
        name_case{"drive", "C:\\x", "", "zip contains absolute path entry"},
        name_case{"drive_relative", "c:x", "", "zip contains absolute path"},
        name_case{"backslashes", "..\\..\\w", "", "a name has a backslash"},
        name_case{"nul", "a\0b"s, "", "a name has control characters: a\\x00b"},
        name_case{"newline", "a\nb", "", "a name has control characters: a\\x0ab"}, name_case{"delete", "a\x7F", "", "a name has control"},
        name_case{"c1_control", "a\xC2\x85", "", "a name has control"},
        name_case{"right_to_left", "a\xE2\x80\xAE", "", "a name has control"}, name_case{"not_utf8", "a\xFF", "", "a name is not UTF-8"},
        name_case{"overlong_utf8", "a\xC0\xAF", "", "a name is not UTF-8"}, name_case{"no_name", "", "", "an entry has no name"},
        name_case{"longest", std::string(250, 'a') + "/" + std::string(250, 'b'), std::string(250, 'a') + "/" + std::string(250, 'b')},
        name_case{
            "too_long", std::string(250, 'a') + "/" + std::string(250, 'b') + "/" + std::string(11, 'c'), "", "a name is longer than 512"},
        name_case{"long_part", std::string(256, 'a'), "", "a name has a part of more than 255"},
        name_case{"deepest", "1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6", "1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6"},
        name_case{"too_deep", "1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7", "", "a name is deeper than 16 names"}),
    [](const auto& info) { return std::string(info.param.test); });

TEST(HarmlessName, CanAlwaysBeCleaned)
{
    for (const auto& each : {"a\nb"s, "a\\b"s, "C:x"s, "\xFF\xFE"s, "a\xE2\x80\xAE"s, "a\0"s})
        EXPECT_TRUE(clean_name(harmless_name(each), "zip", package_limits()).has_value()) << each;
    EXPECT_EQ(harmless_name("a\\..\\b\n"), "a_.._b_");
    EXPECT_EQ(harmless_name("größe: 1.txt"), "größe: 1.txt");
}

struct kind_case {
    std::string_view test;
    std::string bytes;
    std::string_view want;
};
class ArchiveKind : public ::testing::TestWithParam<kind_case> { };
TEST_P(ArchiveKind, IsToldByTheFirstBytes) { EXPECT_EQ(archive_kind(GetParam().bytes), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, ArchiveKind,
    ::testing::Values(kind_case{"zip", "PK\x03\x04zz", "zip"}, kind_case{"empty_zip", "PK\x05\x06", "zip"},
        kind_case{"gzip", "\x1F\x8B\x08", "gzip"}, kind_case{"bzip2", "BZh91AY&SY\x01", "bzip2"},
        kind_case{"empty_bzip2", "BZh9\x17\x72\x45\x38\x50\x90", "bzip2"},
        kind_case{"xz",
            "\xFD"
            "7zXZ\0"s,
            "xz"},
        kind_case{"seven", "7z\xBC\xAF\x27\x1C", "7z"}, kind_case{"rar", "Rar!\x1A\x07\x01", "rar"},
        kind_case{"zstd", "\x28\xB5\x2F\xFD", "zstd"}, kind_case{"tar", std::string(257, '\0') + "ustar\0"s, "tar"},
        kind_case{"short_tar", std::string(257, '\0') + "ust", ""}, kind_case{"text", "#!/bin/sh\n", ""}, kind_case{"nothing", "", ""},
        kind_case{"letters", "PKZIP", ""}, kind_case{"letters_of_bzip2", "BZhang and others", ""},
        kind_case{"two_bytes_of_gzip", "\x1F\x8B\x07\x9A", ""}),
    [](const auto& info) { return std::string(info.param.test); });

struct path_case {
    std::string_view test;
    std::vector<std::string> paths;    // a slash at the end: a directory
    std::string_view fault;            // of the last
};
class PathSet : public ::testing::TestWithParam<path_case> { };

TEST_P(PathSet, RefusesWhatCannotLieSideBySide)
{
    path_set set;
    const auto& c = GetParam();
    for (std::size_t i = 0; i < c.paths.size(); ++i) {
        const bool directory = c.paths[i].ends_with('/');
        const auto path = directory ? c.paths[i].substr(0, c.paths[i].size() - 1) : c.paths[i];
        const auto added = set.add(path, directory ? path_set::kind::directory : path_set::kind::file);
        const bool last = i + 1 == c.paths.size();
        ASSERT_EQ(added.has_error(), last && !c.fault.empty()) << c.paths[i];
        if (added.has_error())
            EXPECT_EQ(added.error().detail, c.fault);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, PathSet,
    ::testing::Values(path_case{"others", {"a", "b", "c/a", "c/b"}, ""}, path_case{"directory_twice", {"a/", "a/", "a/x"}, ""},
        path_case{"same", {"a/x", "a/x"}, "an entry is there twice: a/x"},
        path_case{"other_case", {"a/Main.py", "a/main.py"}, "two names differ only by case or Unicode form: a/Main.py and a/main.py"},
        path_case{"other_form", {"\xC3\xA9.txt", "e\xCC\x81.txt"},
            "two names differ only by case or Unicode form: \xC3\xA9.txt and e\xCC\x81.txt"},
        path_case{"both", {"\xC3\x89", "e\xCC\x81"}, "two names differ only by case or Unicode form: \xC3\x89 and e\xCC\x81"},
        path_case{"sharp_s",
            {"stra\xC3\x9F"
             "e",
                "STRASSE"},
            "two names differ only by case or Unicode form: stra\xC3\x9F"
            "e and STRASSE"},
        path_case{"directories_of_other_case", {"Lib/a", "lib/b"}, "two names differ only by case or Unicode form: Lib and lib"},
        path_case{"file_then_directory", {"a", "a/b"}, "a file is where a directory is needed: a and a/b"},
        path_case{"directory_then_file", {"a/b", "a"}, "a file is where a directory is needed: a and a"},
        path_case{"file_then_its_directory", {"a", "A/"}, "a file is where a directory is needed: a and A"}),
    [](const auto& info) { return std::string(info.param.test); });

TEST(PathSet, CountsTheDirectoriesThatPathsImply)
{
    path_set set;
    EXPECT_TRUE(set.add("a/b/x", path_set::kind::file).has_value());
    EXPECT_TRUE(set.add("a/b/y", path_set::kind::file).has_value());
    EXPECT_EQ(set.directories(), 2);
    EXPECT_TRUE(set.add("a/b", path_set::kind::directory).has_value());
    EXPECT_TRUE(set.add("c", path_set::kind::directory).has_value());
    EXPECT_TRUE(set.add("z", path_set::kind::file).has_value());
    EXPECT_EQ(set.directories(), 3);
}

TEST(SystemLitter, IsKnownByItsNames)
{
    for (const auto* each : {"__MACOSX", "__MACOSX/._x", "s/__MACOSX/x", ".DS_Store", "a/.DS_Store", "a/Thumbs.db", "a/._main.py"})
        EXPECT_TRUE(is_system_litter(each)) << each;
    for (const auto* each : {"MACOSX", "a/DS_Store", "thumbs.py", "a/_.x", ".hidden"})
        EXPECT_FALSE(is_system_litter(each)) << each;
}

}    // namespace
}    // namespace caisson

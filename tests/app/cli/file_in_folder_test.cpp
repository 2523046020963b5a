#include "app/cli/file_in_folder.hpp"

#include "tests/storage/temp_dir.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <iterator>

namespace caisson::cli {
namespace {

namespace fs = std::filesystem;

using caisson::testing::read_file;
using caisson::testing::temp_dir;

using ::testing::HasSubstr;

struct path_case {
    std::string_view name;
    std::string path;
    bool is_safe = false;
};

class PathProblem : public ::testing::TestWithParam<path_case> { };

TEST_P(PathProblem, IsFound) { EXPECT_EQ(path_problem(GetParam().path).empty(), GetParam().is_safe) << path_problem(GetParam().path); }

INSTANTIATE_TEST_SUITE_P(Cases, PathProblem,
    ::testing::Values(path_case{"plain", "a.txt", true}, path_case{"nested", "a/b c/ä..b", true},
        path_case{"dots_in_a_name", "a..b/...", true}, path_case{"empty", ""}, path_case{"absolute", "/etc/passwd"}, path_case{"up", ".."},
        path_case{"up_within", "a/../b"}, path_case{"here", "./a"}, path_case{"two_slashes", "a//b"}, path_case{"slash_at_the_end", "a/"},
        path_case{"nul", std::string("a\0b", 3)}, path_case{"escape", "a\x1b[2J"}, path_case{"line_feed", "a\nb"},
        path_case{"not_utf8", "a\xff"}, path_case{"long", std::string(4'097, 'a')}),
    [](const auto& info) { return std::string(info.param.name); });

class TargetFolder : public ::testing::Test {
protected:
    result<void> put(const std::string& name, const std::string& bytes, bool replace = false) const
    {
        auto file = folder_->begin(name, 0640);
        if (file.has_error())
            return file.error();
        auto written = file->write(bytes);
        return written.has_error() ? written : file->finish(replace);
    }
    std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {})); }

    temp_dir home_;
    fs::path path_ = home_.path() / "made" / "below";
    result<target_folder> folder_ = target_folder::open(path_);
};

TEST_F(TargetFolder, FilesComeUnderTheirNames)
{
    EXPECT_TRUE(put("a/b/c.txt", "hello").has_value());
    EXPECT_EQ(read_file(path_ / "a/b/c.txt"), "hello");
    struct stat found{};
    ::stat((path_ / "a/b/c.txt").c_str(), &found);
    EXPECT_EQ(found.st_mode & 0777 & ~0027U, 0640 & ~0027U);
    EXPECT_TRUE(folder_->has("a/b/c.txt"));
    EXPECT_FALSE(folder_->has("a/b/d.txt"));
}

TEST_F(TargetFolder, NothingIsReplacedUnlessToldTo)
{
    EXPECT_TRUE(put("x", "old").has_value());
    EXPECT_EQ(put("x", "new").error().code, errc::conflict);
    EXPECT_EQ(read_file(path_ / "x"), "old");
    EXPECT_TRUE(put("x", "new", true).has_value());
    EXPECT_EQ(read_file(path_ / "x"), "new");
    EXPECT_EQ(entries(), 1u);    // nothing half-made is left
}

TEST_F(TargetFolder, WhatIsNotFinishedVanishes)
{
    {
        auto file = folder_->begin("x", 0644);
        EXPECT_TRUE(file->write("half").has_value());
        EXPECT_FALSE(folder_->has("x"));
        EXPECT_EQ(entries(), 1u);
    }
    EXPECT_EQ(entries(), 0u);
}

TEST_F(TargetFolder, LinksAreNotFollowed)
{
    const temp_dir elsewhere;
    fs::create_directory_symlink(elsewhere.path(), path_ / "dir");
    EXPECT_THAT(put("dir/x", "escaped").error().detail, HasSubstr("cannot be written"));
    EXPECT_TRUE(fs::is_empty(elsewhere.path()));
    caisson::testing::write_file(elsewhere / "victim", "safe");
    fs::create_symlink(elsewhere.path() / "victim", path_ / "file");
    EXPECT_EQ(put("file", "escaped").error().code, errc::conflict);
    EXPECT_TRUE(put("file", "ours", true).has_value());    // the link goes, not what it names
    EXPECT_EQ(read_file(path_ / "file"), "ours");
    EXPECT_EQ(read_file(elsewhere / "victim"), "safe");
}

TEST_F(TargetFolder, UnsafeNamesAreRefused)
{
    EXPECT_EQ(put("../x", "escaped").error().code, errc::bad_request);
    EXPECT_FALSE(fs::exists(home_.path() / "made" / "x"));
}

}    // namespace
}    // namespace caisson::cli

#include "adapters/host/remove_tree.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

namespace fs = std::filesystem;

class RemoveTree : public ::testing::Test {
protected:
    RemoveTree() { fs::create_directory(tree); }
    caisson::testing::scratch_directory scratch;
    std::string tree = scratch.path() + "/tree";
};

TEST_F(RemoveTree, RemovesFilesAndDirectories)
{
    fs::create_directories(tree + "/a/b");
    std::ofstream(tree + "/a/b/file") << "x";
    std::ofstream(tree + "/.removed-0") << "a name that it uses itself";
    EXPECT_EQ(remove_tree(tree), 0);
    EXPECT_FALSE(fs::exists(tree));
}

TEST_F(RemoveTree, OfNothingIsDone) { EXPECT_EQ(remove_tree(tree + "/nothing"), 0); }

TEST_F(RemoveTree, FollowsNoLink)
{
    const auto outside = scratch.path() + "/outside";
    fs::create_directory(outside);
    std::ofstream(outside + "/kept") << "x";
    fs::create_symlink(outside, tree + "/link");
    fs::create_directory(tree + "/a");
    fs::create_symlink("../..", tree + "/a/up");
    EXPECT_EQ(remove_tree(tree), 0);
    EXPECT_TRUE(fs::exists(outside + "/kept"));
    EXPECT_EQ(remove_tree(scratch.path() + "/outside"), 0);
}

TEST_F(RemoveTree, RefusesALinkAsTheTop)
{
    fs::create_symlink(tree, scratch.path() + "/link");
    EXPECT_NE(remove_tree(scratch.path() + "/link"), 0);
    EXPECT_TRUE(fs::exists(tree));
}

TEST_F(RemoveTree, NeedsNoRightsInside)
{
    fs::create_directories(tree + "/a/b/c");
    std::ofstream(tree + "/a/b/c/file") << "x";
    for (const char* each : {"/a/b/c", "/a/b", "/a"})
        fs::permissions(tree + each, fs::perms::none);
    EXPECT_EQ(remove_tree(tree), 0);
    EXPECT_FALSE(fs::exists(tree));
}

TEST_F(RemoveTree, GoesDeeperThanAPath)
{
    constexpr int depth = 500;
    const std::string name(20, 'd');
    int directory = ::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < depth; ++i) {
        ASSERT_EQ(::mkdirat(directory, name.c_str(), 0700), 0);
        const int next = ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ::close(directory);
        directory = next;
    }
    ::close(directory);
    EXPECT_EQ(remove_tree(tree), 0);
    EXPECT_FALSE(fs::exists(tree));
}

}    // namespace

}    // namespace caisson

#include "adapters/host/cgroup/cgroup_io.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace caisson {

namespace {

class CgroupIo : public ::testing::Test {
protected:
    testing::scratch_directory scratch;
    const std::string root = scratch.path() + "/root";
    const std::string moved = scratch.path() + "/moved";
    system_cgroup_io io;

    void SetUp() override { std::filesystem::create_directory(root); }
};

/// All that it does with `root`.
void use(system_cgroup_io& io, const std::string& root, const std::string& where)
{
    EXPECT_EQ(io.make_directory(root + "/box"), 0);
    EXPECT_EQ(io.make_directory(root + "/box"), 0) << "it is there";
    EXPECT_EQ(io.make_directory(root + "/none/box"), ENOENT);
    EXPECT_TRUE(std::filesystem::is_directory(where + "/box"));
    EXPECT_TRUE(io.exists(root + "/box"));
    EXPECT_EQ(io.directories(where), std::vector<std::string>{"box"});
    std::ofstream(where + "/box/file") << "";
    EXPECT_EQ(io.write(root + "/box/file", "text"), 0);
    EXPECT_EQ(io.write(root + "/box/none", "text"), ENOENT);
    EXPECT_EQ(io.read(root + "/box/file"), "text");
    EXPECT_EQ(io.read(root + "/box/none"), std::nullopt);
    EXPECT_EQ(io.open_to_read(root + "/box/file")->read(), "text");
    EXPECT_TRUE(io.open(root + "/box/file"));
    EXPECT_FALSE(io.open(root + "/box/none"));
    std::filesystem::remove(where + "/box/file");
    EXPECT_EQ(io.remove_directory(root + "/box"), 0);
    EXPECT_EQ(io.remove_directory(root + "/box"), 0) << "it is gone";
    EXPECT_FALSE(io.exists(root + "/box"));
}

TEST_F(CgroupIo, DoesAllByPath) { use(io, root, root); }

TEST_F(CgroupIo, LooksUpFromADirectoryWhateverItsPath)
{
    io.look_up_from(root);
    std::filesystem::rename(root, moved);
    use(io, root, moved);
    EXPECT_EQ(io.make_directory(root), 0) << "itself, and what only begins like it, are found by path";
    EXPECT_EQ(io.make_directory(root + "2"), 0);
    EXPECT_TRUE(std::filesystem::is_directory(root));
    EXPECT_TRUE(std::filesystem::is_directory(root + "2"));
}

TEST_F(CgroupIo, ADirectoryThatIsNotThereIsLookedUpByPath)
{
    io.look_up_from(scratch.path() + "/none");
    EXPECT_EQ(io.make_directory(scratch.path() + "/none/box"), ENOENT);
    use(io, root, root);
}

}    // namespace

}    // namespace caisson

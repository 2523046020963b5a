#include "adapters/engine/tree_source.hpp"

#include "tests/adapters/containers/busybox.hpp"
#include "tests/adapters/host/scratch_directory.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace caisson::docker {
namespace {

namespace fs = std::filesystem;

class TreeSource : public ::testing::Test {
protected:
    void write(const std::string& name, const std::string& content, bool runs = false)
    {
        const auto path = fs::path(scratch.path()) / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << content;
        fs::permissions(path, runs ? fs::perms(0755) : fs::perms(0600));
    }
    result<std::unique_ptr<tree_source>> open() { return run(tree_source::open(&workers, scratch.path())); }
    /// Errors: that of the first read that fails.
    result<std::string> all_of(tree_source& from)
    {
        std::string out;
        while (out.size() < from.size_bytes()) {
            auto piece = run(from.read());
            if (piece.has_error())
                return piece.error();
            if (piece->size() == 0)
                break;
            out += piece->view();
        }
        return out;
    }
    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context, std::move(work));
    }

    asio::io_context context{1};
    worker_pool workers{"work", 1};
    caisson::testing::scratch_directory scratch;
};

TEST_F(TreeSource, IsATarOfAllThatIsThere)
{
    const std::string large(700'001, 'x');
    const std::string deep = std::string(120, 'd') + "/" + std::string(90, 'n') + ".py";
    write("SKILL.md", "text");
    write("empty", "");
    write("bin/tool", "#!/bin/sh\n", true);
    write("large", large);
    write(deep, "deep");
    fs::create_directory(fs::path(scratch.path()) / "nothing");
    auto source = open();
    ASSERT_TRUE(source.has_value()) << source.error().detail;
    const auto tar = all_of(**source).value();
    EXPECT_EQ(tar.size(), (*source)->size_bytes());
    EXPECT_EQ(tar.size() % 512, 0u);
    std::map<std::string, std::string> found;
    std::map<std::string, unsigned> modes;
    std::string long_name;
    for (const auto& each : caisson::testing::tar_members(tar)) {
        if (each.name == "long name") {    // "LENGTH path=NAME\n", of the next one
            EXPECT_EQ(std::stoul(each.content), each.content.size());
            long_name = each.content.substr(each.content.find('=') + 1, each.content.size() - each.content.find('=') - 2);
            continue;
        }
        const auto name = long_name.empty() ? each.name : std::exchange(long_name, "");
        found[name] = each.content;
        modes[name] = each.mode;
    }
    EXPECT_EQ(found["SKILL.md"], "text");
    EXPECT_EQ(found["empty"], "");
    EXPECT_EQ(found["large"], large);
    EXPECT_EQ(found[deep], "deep");
    EXPECT_TRUE(found.contains("bin/") && found.contains("nothing/"));
    EXPECT_EQ(modes["SKILL.md"], 0444u);
    EXPECT_EQ(modes["bin/tool"], 0555u);
    EXPECT_EQ(modes["bin/"], 0555u);
}

TEST_F(TreeSource, OfNothingHasAnEnd)
{
    auto source = open();
    ASSERT_TRUE(source.has_value());
    EXPECT_EQ(all_of(**source).value(), std::string(1024, '\0'));
}

TEST_F(TreeSource, OfADirectoryThatIsNotThere)
{
    const auto got = run(tree_source::open(&workers, scratch.path() + "/none"));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::gone);
}

TEST_F(TreeSource, FollowsNoLink)
{
    fs::create_symlink("/etc/passwd", fs::path(scratch.path()) / "link");
    EXPECT_TRUE(open().has_error());
}

TEST_F(TreeSource, AFileThatChangesMeanwhileIsAnError)
{
    write("a", std::string(1'000, 'a'));
    auto source = open();
    ASSERT_TRUE(source.has_value());
    write("a", "shorter");
    EXPECT_TRUE(all_of(**source).has_error());
}

}    // namespace
}    // namespace caisson::docker

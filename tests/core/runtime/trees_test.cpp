#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/host/seccomp_filter.hpp"
#include "adapters/mock/mock_runtime.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace caisson::testing {

namespace {

namespace fs = std::filesystem;

/// Sandboxes with another working directory and a read-only tree of the host in it, as skills have them.
class SandboxTrees : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }

    /// A package below a directory that only its owner can enter.
    static std::string make_tree(const runtime_world& world)
    {
        const auto secret = world.data_dir() + "/secret-place";
        const auto tree = secret + "/tree, with:all";
        fs::create_directories(tree + "/scripts");
        std::ofstream(tree + "/scripts/main.sh") << "echo from the package\n";
        std::ofstream(tree + "/data.txt") << "first\n";
        ::chmod(secret.c_str(), 0700);
        return tree;
    }
    static sandbox_spec spec_of(runtime_world& world, const std::string& tree)
    {
        auto spec = world.spec();
        spec.work_directory = "/sandbox";
        spec.trees.push_back({tree, "scripts"});
        return spec;
    }
    /// What a shell program prints that starts in the working directory, without the last newline.
    static std::string shell(runtime_world& world, sandbox& box, const std::string& program)
    {
        auto request = world.request({"/bin/sh", "-c", program});
        request.cwd = box.work_directory();
        if (world.rt().traits().isolates)
            request.seccomp_filter = payload_filter();
        auto outcome = world.run_program(box, std::move(request));
        auto text = outcome.out + outcome.err;
        return text.substr(0, text.find_last_not_of('\n') + 1);
    }
    /// The same in a fresh sandbox with a tree.
    static void expect_shell(const std::string& program, const std::string& want)
    {
        in_world(GetParam(), [&](runtime_world& world) {
            const auto box = world.start(spec_of(world, make_tree(world)));
            EXPECT_EQ(shell(world, *box, program), want);
            world.destroy(*box);
        });
    }
};

class IsolatedTrees : public SandboxTrees { };

TEST_P(SandboxTrees, AreInTheWorkingDirectory)
{
    expect_shell("cat scripts/data.txt; sh scripts/scripts/main.sh; ls scripts", "first\nfrom the package\ndata.txt\nscripts");
}

TEST_P(SandboxTrees, TheWorkingDirectoryCanBeWritten) { expect_shell("mkdir out && echo written > out/x && cat out/x", "written"); }

TEST_P(SandboxTrees, StayWhereTheyAreWhenTheSandboxGoes)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto tree = make_tree(world);
        const auto box = world.start(spec_of(world, tree));
        shell(world, *box, "true");
        world.destroy(*box);
        std::string line;
        std::getline(std::ifstream(tree + "/data.txt"), line);
        EXPECT_EQ(line, "first");
    });
}

TEST_P(SandboxTrees, TheNextServerKnowsTheWorkingDirectory)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto box = world.start(spec_of(world, make_tree(world)));
        const auto id = box->id();
        const auto state = box->runtime_state();
        const auto work = box->work_directory();
        box.reset();
        auto again = world.run(world.rt().recover(id, state));
        ASSERT_TRUE(again.has_value()) << again.error().detail;
        EXPECT_EQ((*again)->work_directory(), work);
        EXPECT_EQ(shell(world, **again, "cat scripts/data.txt"), "first");
        world.destroy(**again);
    });
}

TEST_P(IsolatedTrees, CannotBeWritten)
{
    expect_shell("cd scripts; for f in data.txt new scripts/main.sh; do (: >> $f) 2>/dev/null && echo $f; done; "
                 "rm -f data.txt 2>/dev/null; rmdir scripts 2>/dev/null; mv data.txt gone 2>/dev/null; chmod 777 data.txt 2>/dev/null; "
                 "ls; cd ..; rmdir scripts 2>/dev/null; mv scripts away 2>/dev/null; ls",
        "data.txt\nscripts\nscripts");
}

/// The kernel lays no overlay over a directory whose names compare in their own way, as those of /proc/sys do.
TEST_P(IsolatedTrees, AreBoundReadOnlyWhereThereIsNoOverlay)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start(spec_of(world, "/proc/sys/kernel"));
        EXPECT_EQ(shell(world, *box,
                      "cat scripts/ostype; chmod 777 scripts/ostype; while read a b c root place flags rest; do "
                      "[ $place = /sandbox/scripts ] && echo $flags | cut -d, -f1-3 && echo ${rest##*- } | cut -d' ' -f1; "
                      "done < /proc/self/mountinfo"),
            "Linux\nro,nosuid,nodev\nproc\nchmod: changing permissions of 'scripts/ostype': Read-only file system");
        world.destroy(*box);
    });
}

TEST_P(IsolatedTrees, CannotBeUnmountedOrRemounted)
{
    expect_shell("/usr/bin/python3 -I -c \"import ctypes\n"
                 "libc = ctypes.CDLL(None)\n"
                 "print(libc.umount2(b'scripts', 2), libc.mount(b'none', b'scripts', b'', 32, b''))\"; cat scripts/data.txt",
        "-1 -1\nfirst");
}

TEST_P(IsolatedTrees, ThePathOfTheHostIsNowhere)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start(spec_of(world, make_tree(world)));
        const auto seen = shell(world, *box,
            "cat /proc/self/mountinfo /proc/self/mounts; tr '\\0' '\\n' < /proc/1/cmdline; cat /proc/1/environ 2>/dev/null; ls -la / /tmp");
        for (const std::string word : {"secret-place", "caisson-runtime", "with:all", "/tmp/tree"})
            EXPECT_EQ(seen.find(word), std::string::npos) << word << " in\n" << seen;
        EXPECT_NE(seen.find(" /sandbox/scripts ro,nosuid,nodev"), std::string::npos) << seen;
        EXPECT_EQ(seen.find("workspace"), std::string::npos) << seen;
        world.destroy(*box);
    });
}

TEST_P(IsolatedTrees, TakeNothingOfTheDisk)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start(spec_of(world, make_tree(world)));
        const auto made = shell(world, *box, "i=0; while true > f$i; do i=$((i+1)); done 2>/dev/null; echo $i");
        EXPECT_EQ(made, std::to_string(world.spec().limits.inodes));
        EXPECT_TRUE(box->disk()->inodes_exhausted);
        world.destroy(*box);
    });
}

TEST_P(IsolatedTrees, OneThatIsNotThereIsAFailedStart)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto created = world.run(world.rt().create(spec_of(world, world.data_dir() + "/nothing")));
        ASSERT_TRUE(created.has_value());
        const auto started = world.run(world.rt().start(**created));
        ASSERT_TRUE(started.has_error());
        EXPECT_NE(started.error().detail.find("tree: No such file or directory"), std::string::npos) << started.error().detail;
        world.destroy(**created);
    });
}

TEST(MockTrees, AreRecorded)
{
    runtime_world world(mock_as_is);
    auto spec = world.spec();
    spec.work_directory = "/sandbox";
    spec.trees.push_back({"/somewhere", "scripts"});
    const auto box = world.start(spec);
    EXPECT_EQ(box->work_directory(), "/sandbox");
    const auto* asked = static_cast<mock_runtime&>(world.rt()).asked(box->id());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->trees.front().host_path, "/somewhere");
    const auto id = box->id();
    world.destroy(*box);
    EXPECT_EQ(static_cast<mock_runtime&>(world.rt()).asked(id), nullptr);
}

std::string name_of(const ::testing::TestParamInfo<runtime_case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Runtimes, SandboxTrees,
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_user, docker_root, docker_over_stdio, gvisor,
        process_as_is, process_user),
    name_of);
INSTANTIATE_TEST_SUITE_P(
    Runtimes, IsolatedTrees, ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_user), name_of);

}    // namespace

}    // namespace caisson::testing

#include "tests/core/protocol/agent_link_fixture.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/// What a program is started with: files, arguments, limits, groups; and what keeps it from starting.
namespace caisson::protocol {
namespace {

class AgentStart : public AgentLink { };

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_P(AgentStart, PutsFiles)
{
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    const auto large = counted(1 << 20);
    link->put_file(1, "a/b/run.sh", 0755, shared_bytes(std::string("#!/bin/sh\ncat a/large; echo ran\n")));
    link->put_file(1, "a/large", 0444, shared_bytes(large));
    link->put_file(1, "empty", 0600, {});
    auto request = shell("exec a/b/run.sh");
    request.cwd = agent->work();
    acknowledge_all(sink, 1);
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.complete(); });
    EXPECT_TRUE(sink.out == large + "ran\n");
    struct stat about{};
    ASSERT_EQ(::stat((agent->work() + "/a/large").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0444u);
    ASSERT_EQ(::stat((agent->work() + "/empty").c_str(), &about), 0);
    EXPECT_EQ(about.st_size, 0);
}

TEST_P(AgentStart, MakesDirectories)
{
    const auto work = std::filesystem::path(agent->work());
    std::filesystem::create_directory(work / "there");
    std::ofstream(work / "there/kept") << "kept";
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->put_file(1, "out/files", S_IFDIR | 0750, {});
    link->put_file(1, "out", S_IFDIR | S_ISUID | S_IWOTH | 0755, {});
    link->put_file(1, "there", S_IFDIR | 0700, {});
    link->spawn(1, shell("true"), {});
    run_until([&] { return sink.complete(); });
    ASSERT_FALSE(sink.failed.has_value());
    const auto mode_of = [&](const char* path) {
        struct stat about{};
        EXPECT_EQ(::stat((work / path).c_str(), &about), 0) << path;
        return about.st_mode;
    };
    EXPECT_EQ(mode_of("out/files"), S_IFDIR | 0750u);
    EXPECT_EQ(mode_of("out"), S_IFDIR | 0757u) << "the mode is that of the last order, without setuid";
    EXPECT_EQ(mode_of("there"), S_IFDIR | 0700u);
    EXPECT_EQ(text_of(work / "there/kept"), "kept");
}

struct directory_case {
    std::string_view name;
    std::string_view path;
    std::string_view bytes;
    int code;
};

TEST_P(AgentStart, RefusesWhatIsNoDirectory)
{
    const auto work = std::filesystem::path(agent->work());
    std::ofstream(work / "file") << "x";
    std::filesystem::create_directory_symlink("/tmp", work / "link");
    const directory_case cases[] = {{"a_file", "file", "", ENOTDIR}, {"below_a_file", "file/sub", "", ENOTDIR},
        {"a_link", "link", "", ENOTDIR}, {"with_bytes", "new", "x", EINVAL}, {"up", "..", "", EINVAL}};
    exec_number number = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        auto& sink = new_sink();
        link->attach(++number, sink, std::nullopt);
        link->put_file(number, std::string(c.path), S_IFDIR | 0755, shared_bytes(std::string(c.bytes)));
        link->spawn(number, shell("true"), {});
        ASSERT_TRUE(run_until([&] { return sink.failed.has_value(); }));
        EXPECT_EQ(sink.failed->first, c.code) << std::strerror(sink.failed->first);
        link->forget(number);
    }
    EXPECT_EQ(text_of(work / "file"), "x");
    EXPECT_FALSE(std::filesystem::exists(work / "new"));
}

struct path_case {
    std::string_view name;
    std::string_view path;
    int code;
};

TEST_P(AgentStart, RefusesPathsThatLeadOut)
{
    const auto work = std::filesystem::path(agent->work());
    std::filesystem::create_directory_symlink("/tmp", work / "link");
    std::filesystem::create_directory(work / "dir");
    const std::string over_long = std::string(300, 'n');
    const path_case cases[] = {
        {"up", "../escaped", EINVAL},
        {"up_inside", "dir/../../escaped", EINVAL},
        {"absolute", "/tmp/escaped", EINVAL},
        {"through_a_link", "link/escaped", ENOTDIR},
        {"a_directory", "dir", EISDIR},
        {"empty", "", EINVAL},
        {"dot", "dir/.", EINVAL},
        {"over_long_name", over_long, ENAMETOOLONG},
    };
    exec_number number = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ++number;
        auto& sink = new_sink();
        link->attach(number, sink, std::nullopt);
        link->put_file(number, std::string(c.path), 0644, shared_bytes(std::string("x")));
        link->spawn(number, shell("echo ran"), {});
        ASSERT_TRUE(run_until([&] { return sink.failed.has_value(); }));
        EXPECT_EQ(sink.failed->second, "file " + std::string(c.path));
        EXPECT_EQ(sink.failed->first, c.code) << std::strerror(sink.failed->first);
        EXPECT_FALSE(sink.started.has_value());
        link->forget(number);
    }
    EXPECT_FALSE(std::filesystem::exists("/tmp/escaped"));
}

TEST_P(AgentStart, AFileTakesThePlaceOfALink)
{
    const auto work = std::filesystem::path(agent->work());
    std::ofstream(work / "target") << "kept";
    std::filesystem::create_symlink("target", work / "name");
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->put_file(1, "name", 0644, shared_bytes(std::string("new")));
    link->spawn(1, shell("true"), {});
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(text_of(work / "target"), "kept");
    EXPECT_EQ(text_of(work / "name"), "new");
    EXPECT_FALSE(std::filesystem::is_symlink(work / "name"));
}

struct failure_case {
    std::string_view name;
    void (*change)(spawn_request&);
    std::string_view step;
    int code;
};

TEST_P(AgentStart, SaysWhatFailed)
{
    const failure_case cases[] = {
        {"no_such_program", [](spawn_request& r) { r.argv = {"no-such-program"}; }, "execve", ENOENT},
        {"no_such_path", [](spawn_request& r) { r.argv = {"/no/such"}; }, "execve", ENOENT},
        {"a_directory", [](spawn_request& r) { r.argv = {"/usr"}; }, "execve", EACCES},
        {"empty_name", [](spawn_request& r) { r.argv = {""}; }, "execve", ENOENT},
        {"no_such_directory", [](spawn_request& r) { r.cwd = "/no/such"; }, "chdir", ENOENT},
        {"bad_limit", [](spawn_request& r) { r.rlimits = {{999, 1}}; }, "rlimit", EINVAL},
        {"bad_filter", [](spawn_request& r) { r.seccomp_filter = std::string(8, '\xff'); }, "seccomp", EINVAL},
        {"nul_in_an_argument", [](spawn_request& r) { r.argv.push_back(std::string("a\0b", 3)); }, "arguments", EINVAL},
        {"over_long_argument", [](spawn_request& r) { r.argv.push_back(std::string(200'000, 'a')); }, "execve", E2BIG},
        {"too_much_altogether", [](spawn_request& r) { r.argv.resize(20, std::string(100'000, 'a')); }, "spawn", E2BIG},
    };
    exec_number number = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ++number;
        auto& sink = new_sink();
        link->attach(number, sink, std::nullopt);
        auto request = shell("true");
        c.change(request);
        link->spawn(number, std::move(request), {});
        ASSERT_TRUE(run_until([&] { return sink.complete(); }));
        ASSERT_TRUE(sink.failed.has_value());
        EXPECT_EQ(sink.failed->second, c.step);
        EXPECT_EQ(sink.failed->first, c.code) << std::strerror(sink.failed->first);
        link->forget(number);
    }
}

TEST_P(AgentStart, PassesLargeArguments)
{
    auto& sink = new_sink();
    auto request = shell("printf '%s\\n' \"$@\" | wc -c");
    request.argv.push_back("sh");
    for (int i = 0; i < 6; ++i)
        request.argv.push_back(std::string(131'000, static_cast<char>('a' + i)));
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, std::to_string(6 * 131'001) + "\n");
}

TEST_P(AgentStart, FindsProgramsInTheGivenPath)
{
    const auto work = std::filesystem::path(agent->work());
    std::filesystem::create_directories(work / "bin");
    std::filesystem::create_directories(work / "other/tool");    // a directory of the name is passed over
    std::ofstream(work / "bin/tool") << "echo without an interpreter line: $1\n";
    std::filesystem::permissions(work / "bin/tool", std::filesystem::perms::all);
    auto& sink = new_sink();
    auto request = shell("");
    request.argv = {"tool", "x"};
    request.env = {{"PATH", "/no/such:" + (work / "other").string() + ":" + (work / "bin").string()}};
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "without an interpreter line: x\n");
}

TEST_P(AgentStart, SetsLimits)
{
    auto& sink = new_sink();
    auto request = shell("ulimit -Sn; ulimit -Hn; ulimit -Hc");
    request.rlimits = {{RLIMIT_NOFILE, 99}, {RLIMIT_CORE, 0}};
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "99\n99\n0\n");
}

TEST_P(AgentStart, BoundsItsOwnMemoryAndNotItsPrograms)
{
    rlimit own{};
    ASSERT_EQ(::getrlimit(RLIMIT_DATA, &own), 0);
    auto& sink = new_sink();
    run_to_end(sink, shell("ulimit -Sd; ulimit -Hd; grep 'data size' /proc/$PPID/limits | cut -c27-35"));
    const auto most = own.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(own.rlim_max / 1024);
    EXPECT_EQ(sink.out, most + "\n" + most + "\n268435456\n");
}

TEST_P(AgentStart, InstallsTheFilter)
{
    // All system calls are allowed but uname(2) on x86-64, which gets EPERM.
    struct instruction {
        std::uint16_t code;
        std::uint8_t jump_true;
        std::uint8_t jump_false;
        std::uint32_t value;
    };
    const instruction filter[] = {{0x20, 0, 0, 0}, {0x15, 0, 1, 63}, {0x06, 0, 0, 0x00050001}, {0x06, 0, 0, 0x7fff0000}};
    auto& sink = new_sink();
    auto request = shell("uname; echo $?");
    request.seccomp_filter.assign(reinterpret_cast<const char*>(filter), sizeof(filter));
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "1\n");
}

/// Everything that was written to a pipe whose write ends are closed, or a failure.
std::string rest_of(const unique_fd& pipe)
{
    std::string all;
    for (;;) {
        char some[100];
        const auto got = ::read(pipe.get(), some, sizeof(some));
        EXPECT_GE(got, 0) << "somebody still holds it open";
        if (got <= 0)
            return all;
        all.append(some, static_cast<std::size_t>(got));
    }
}

TEST_P(AgentStart, TheChildJoinsItsGroups)
{
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const unique_fd written(ends[0]);
    unique_fd group(ends[1]);
    for (exec_number number = 1; number <= 3; ++number) {
        auto& sink = new_sink();
        link->attach(number, sink, std::nullopt);
        link->spawn(number, shell("ls /proc/self/fd | wc -l"), {group.get(), group.get()});
        run_until([&] { return sink.complete(); });
        EXPECT_EQ(sink.out, "4\n");
        link->forget(number);
    }
    group.reset();
    EXPECT_EQ(rest_of(written), GetParam() != agent_process::transport::pipes ? "000000" : "");
}

TEST_P(AgentStart, AGroupThatCannotBeJoinedStopsTheStart)
{
    const unique_fd unwritable(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("true"), {unwritable.get()});
    run_until([&] { return sink.complete(); });
    if (GetParam() != agent_process::transport::pipes)
        EXPECT_EQ(sink.failed, std::pair(EBADF, std::string("cgroup")));
    else
        EXPECT_TRUE(sink.exited.has_value()) << "pipes carry no descriptors";
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentStart,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

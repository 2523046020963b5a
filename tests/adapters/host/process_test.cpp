#include "adapters/host/process_spawner.hpp"

#include "adapters/host/launcher.hpp"
#include "tests/adapters/host/scratch_directory.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <set>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson {

namespace {

using caisson::testing::run_task;

/// Runs a shell command whose output goes to a file.
class ProcessSpawner : public ::testing::Test {
protected:
    result<process_handle> spawn(const std::string& command, std::vector<int> more = {})
    {
        output.reset(::open((scratch.path() + "/out").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        spawn_options options{.path = "/bin/sh", .argv = {"sh", "-c", command}, .environment = {"A=b"}};
        options.descriptors.add(null.get());
        options.descriptors.add(output.get());
        options.descriptors.add(output.get());
        for (const int fd : more)
            options.descriptors.add(fd);
        return spawn_process(options);
    }
    std::string text() const
    {
        std::ifstream in(scratch.path() + "/out");
        return {std::istreambuf_iterator<char>(in), {}};
    }
    int run(const std::string& command, std::vector<int> more = {})
    {
        auto process = spawn(command, std::move(more));
        return run_task(context, process->wait()).value_or(-1);
    }

    caisson::testing::scratch_directory scratch;
    asio::io_context context;
    unique_fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    unique_fd output;
};

TEST_F(ProcessSpawner, TellsHowItEnded)
{
    EXPECT_EQ(run("exit 7"), 7 << 8);
    EXPECT_EQ(run("kill -9 $$"), SIGKILL);
}

TEST_F(ProcessSpawner, GivesACleanEnvironmentSessionAndDirectory)
{
    EXPECT_EQ(run("/usr/bin/env | grep -v -e ^PWD -e ^_= -e ^SHLVL -e ^OLDPWD; pwd; cut -d' ' -f6 /proc/self/stat; echo $$"), 0);
    std::istringstream lines(text());
    std::string environment;
    std::string directory;
    std::string session;
    std::string pid;
    lines >> environment >> directory >> session >> pid;
    EXPECT_EQ(environment, "A=b");
    EXPECT_EQ(directory, "/");
    EXPECT_EQ(session, pid);
}

TEST_F(ProcessSpawner, GivesNoOtherDescriptors)
{
    const unique_fd leaky(::open("/dev/null", O_RDONLY));    // as some libraries open theirs
    EXPECT_EQ(run("ls /proc/$$/fd; true"), 0);
    EXPECT_EQ(text(), "0\n1\n2\n");
}

TEST_F(ProcessSpawner, PlacesDescriptorsThatOverlap)
{
    // The child's 3 is this process's low number and the other way round.
    const unique_fd low(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(run("readlink /proc/$$/fd/3 /proc/$$/fd/4 /proc/$$/fd/5", {null.get(), low.get(), null.get()}), 0);
    EXPECT_EQ(text(), "/dev/null\n/dev/zero\n/dev/null\n");
}

TEST_F(ProcessSpawner, SaysWhatCannotBeStarted)
{
    const auto process = spawn_process({.path = "/nonexistent", .argv = {"x"}});
    ASSERT_TRUE(process.has_error());
    EXPECT_EQ(process.error().code, errc::runtime_unavailable);
    EXPECT_NE(process.error().detail.find("/nonexistent"), std::string::npos);
}

TEST_F(ProcessSpawner, FindsARunningOneAgainButNotOneWithItsNumber)
{
    auto process = spawn("exec sleep 1000");
    ASSERT_TRUE(process.has_value());
    const auto identity = process->identity();
    EXPECT_TRUE(process_handle::open(identity));
    EXPECT_FALSE(process_handle::open({identity.pid, identity.start_ticks + 1}));
    EXPECT_TRUE(process->alive());
    process->send(SIGKILL);
    EXPECT_EQ(run_task(context, process->wait()), SIGKILL);
    EXPECT_FALSE(process->alive());
    EXPECT_FALSE(process_handle::open(identity));
    EXPECT_EQ(run_task(context, process->wait()), std::nullopt) << "it was reaped";
}

TEST_F(ProcessSpawner, SurvivesTheContextWhileWaiting)
{
    auto process = spawn("exec sleep 1000");
    {
        asio::io_context short_lived;
        asio::co_spawn(short_lived, process->wait(), [](std::exception_ptr, std::optional<int>) { FAIL() << "it runs on"; });
        short_lived.poll();
    }
    process->send(SIGKILL);
    run_task(context, process->wait());
}

TEST_F(ProcessSpawner, ListsDescendants)
{
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    auto process = spawn("sleep 1000 & sleep 1000 & echo >&3; wait", {pipe->write.get()});
    const auto pid = process->identity().pid;
    char newline = 0;
    ASSERT_EQ(::read(pipe->read.get(), &newline, 1), 1) << "when both were forked";
    EXPECT_EQ(children_of(pid).size(), 2U);
    EXPECT_EQ(descendants_of(pid).size(), 2U);
    for (const pid_t each : descendants_of(pid))
        ::kill(each, SIGKILL);
    process->send(SIGKILL);
    run_task(context, process->wait());
}

/// caisson-launch itself.
class Launcher : public ProcessSpawner {
protected:
    launch_request request(const std::string& command)
    {
        output.reset(::open((scratch.path() + "/out").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        launch_request wanted{
            .launch_path = std::string(CAISSON_BINARY_DIR) + "/caisson-launch", .executable = "/bin/sh", .argv = {"sh", "-c", command}};
        for (const int fd : {null.get(), output.get(), output.get()})
            wanted.descriptors.add(fd);
        return wanted;
    }
    std::string failure(launch_request wanted)
    {
        const auto process = run_task(context, launch(time, workers, forks, std::move(wanted)));
        return process.has_error() ? process.error().detail : "no failure";
    }
    std::string output_of(launch_request wanted)
    {
        auto process = run_task(context, launch(time, workers, forks, std::move(wanted)));
        if (process.has_error())
            return process.error().detail;
        run_task(context, process->wait());
        return text();
    }
    system_timers time;
    worker_pool workers{"launch", 1};
    fork_server forks;
};

TEST_F(Launcher, BecomesTheProgramWithOnlyItsDescriptors) { EXPECT_EQ(output_of(request("ls /proc/$$/fd; true")), "0\n1\n2\n"); }

TEST_F(Launcher, SetsLimits)
{
    auto wanted = request("ulimit -n; ulimit -c");
    wanted.rlimits = {{RLIMIT_NOFILE, 77}, {RLIMIT_CORE, 0}};
    EXPECT_EQ(output_of(std::move(wanted)), "77\n0\n");
}

TEST_F(Launcher, MountsAPrivateTmpfsThatTheHostDoesNotSee)
{
    auto wanted = request("stat -f -c '%T %b %c' /tmp; stat -c '%a %n' /tmp/shm /tmp/tmp /tmp/work; id -u");
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    const auto page_size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (::geteuid() == 0)
        wanted.uid = 700'001;
    const auto uid = wanted.uid.value_or(::geteuid());
    const auto mounts_before = std::filesystem::exists("/tmp/work");
    const auto seen = output_of(std::move(wanted));
    if (seen.find("user namespace") != std::string::npos)
        GTEST_SKIP() << "this host does not let ordinary users make user namespaces";
    EXPECT_EQ(seen, "tmpfs " + std::to_string((1 << 20) / page_size) + " 14\n1777 /tmp/shm\n1777 /tmp/tmp\n755 /tmp/work\n" +
                        std::to_string(uid) + "\n");
    EXPECT_EQ(std::filesystem::exists("/tmp/work"), mounts_before);
}

struct refusal_case {
    const char* name;
    void (*spoil)(whole_sandbox&);
    const char* want;
};
void PrintTo(const refusal_case& c, std::ostream* out) { *out << c.name; }
class WholeSandboxRefused : public Launcher, public ::testing::WithParamInterface<refusal_case> { };

/// Before anything is made; whoever runs the tests.
TEST_P(WholeSandboxRefused, WithTheReason)
{
    auto wanted = request("");
    const int descriptor = wanted.descriptors.add(null.get());
    whole_sandbox made{.work = "/workspace",
        .links = {{"bin", "usr/bin"}},
        .places = {"data/set"},
        .roots = {"etc"},
        .agent = "agent",
        .masks = {"keys"},
        .hides = {"acpi"},
        .seccomp = descriptor,
        .info = descriptor};
    GetParam().spoil(made);
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    wanted.uid = 700'001;
    wanted.trees = {"/usr", "/usr", "/usr", "/usr"};
    wanted.sandbox = std::move(made);
    EXPECT_EQ(failure(std::move(wanted)), std::string("the launcher failed: ") + GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, WholeSandboxRefused,
    ::testing::Values(
        refusal_case{"work_below_a_directory", [](auto& s) { s.work = "/home/work"; }, "the place of work is not right below the root"},
        refusal_case{"work_is_relative", [](auto& s) { s.work = "work"; }, "the place of work is not right below the root"},
        refusal_case{"place_leads_out", [](auto& s) { s.places = {"data/../../etc"}; }, "a place is not a relative path"},
        refusal_case{"place_is_absolute", [](auto& s) { s.places = {"/etc"}; }, "a place is not a relative path"},
        refusal_case{"place_ends_with_a_slash", [](auto& s) { s.places = {"data/"}; }, "a place is not a relative path"},
        refusal_case{"place_in_another", [](auto& s) { s.places = {"a/b", "a"}; }, "a place lies in another one"},
        refusal_case{"no_tree_for_the_agent", [](auto& s) { s.places = {"a", "b", "c"}; }, "something of the sandbox is missing"},
        refusal_case{"agent_elsewhere", [](auto& s) { s.agent = "../agent"; }, "the agent's file is not a plain name"},
        refusal_case{"link_elsewhere", [](auto& s) { s.links = {{"etc/x", "usr"}}; }, "an option's value begins with no plain name"},
        refusal_case{"root_elsewhere", [](auto& s) { s.roots = {"../etc"}; }, "a directory of the root is not a plain name"},
        refusal_case{"mask_elsewhere", [](auto& s) { s.masks = {"sys/kernel"}; }, "what is masked is not a plain name"},
        refusal_case{"hidden_elsewhere", [](auto& s) { s.hides = {".."}; }, "what is hidden is not a plain name"},
        refusal_case{"too_many_masks", [](auto& s) { s.masks.assign(17, "keys"); }, "an option is given too often"},
        refusal_case{"no_filter", [](auto& s) { s.seccomp = 99; }, "an option names a descriptor that is not open"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Launcher, GivesViewsInodesOfTheirOwn)
{
    // In a subshell: with views there is a new time namespace, and Linux 6.1 refuses vfork until a fork has entered it.
    auto wanted = request("(stat -c %d /usr /tmp/view/usr /proc/sys /tmp/proc/sys $null; cat /tmp/view/usr/bin/env | cmp - "
                          "/usr/bin/env && echo same); :");
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    wanted.views = {"usr"};
    const bool root = ::geteuid() == 0;    // only root has device nodes and a proc besides
    if (root)
        wanted.uid = 700'001;
    wanted.environment = {root ? "null=/tmp/dev/null" : "null=/dev/null"};
    struct stat null_of_host{};
    ASSERT_EQ(::stat("/dev/null", &null_of_host), 0);
    const auto text = output_of(std::move(wanted));
    if (text.find("user namespace") != std::string::npos)
        GTEST_SKIP() << "this host does not let ordinary users make user namespaces";
    std::istringstream seen(text);
    dev_t usr = 0;
    dev_t usr_view = 0;
    dev_t system = 0;
    dev_t system_view = 0;
    dev_t null_device = 0;
    std::string contents;
    seen >> usr >> usr_view >> system >> system_view >> null_device >> contents;
    EXPECT_EQ(contents, "same");
    EXPECT_NE(usr, usr_view);
    EXPECT_EQ(system != system_view, root);
    EXPECT_EQ(null_device != null_of_host.st_dev, root);
}

TEST_F(Launcher, MakesDevicesForRoot)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may";
    auto wanted = request("(ls /tmp/dev /tmp/dev/pts | tr '\\n' ' '; echo x >/tmp/dev/null && head -c 2 /tmp/dev/zero | wc -c; readlink "
                          "/tmp/dev/ptmx; echo x >/tmp/dev/shm/x && cat /tmp/shm/x; touch /tmp/dev/x 2>&1 | grep -c 'Read-only'); :");
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    wanted.views = {"usr"};
    wanted.uid = 700'001;
    EXPECT_EQ(output_of(std::move(wanted)), "/tmp/dev: core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero  "
                                            "/tmp/dev/pts: ptmx 2\npts/ptmx\nx\n1\n");
}

TEST_F(Launcher, ShowsTreesRightBelowTheRootOfAWholeSandboxReadOnly)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may";
    auto wanted = request("sed -n 's|^.* /\\(shown\\) \\([^ ]*\\) .*|\\1 \\2|p' /proc/self/mountinfo; cat /shown/file");
    const auto tree = scratch.path() + "/tree";
    std::filesystem::create_directory(tree);
    std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
    std::filesystem::copy_file("/bin/sh", tree + "/agent");
    const unique_fd filter(::memfd_create("filter", MFD_CLOEXEC));
    constexpr sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    ASSERT_EQ(::pwrite(filter.get(), &allow, sizeof allow, 0), static_cast<ssize_t>(sizeof allow));
    auto info = make_pipe();
    ASSERT_TRUE(info);
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    wanted.views = {"usr"};
    const auto shown = scratch.path() + "/shown";
    std::filesystem::create_directory(shown);
    std::ofstream(shown + "/file") << "text\n";
    wanted.uid = 700'001;
    wanted.trees = {shown, tree};
    wanted.sandbox = whole_sandbox{.work = "/workspace",
        .links = {{"bin", "usr/bin"}, {"lib", "usr/lib"}, {"lib64", "usr/lib64"}},
        .roots = {"shown"},
        .agent = "agent",
        .seccomp = wanted.descriptors.add(filter.get()),
        .info = wanted.descriptors.add(info->write.get())};
    EXPECT_EQ(output_of(std::move(wanted)), "shown ro,nosuid,nodev,relatime\ntext\n");
}

TEST_F(Launcher, LeavesAsManyInodesWithViewsAsWithout)
{
    auto wanted = request("(stat -f -c %d /tmp; true); :");    // for the time namespace, as above
    wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
    wanted.views = {"usr"};
    if (::geteuid() == 0)
        wanted.uid = 700'001;
    const auto seen = output_of(std::move(wanted));
    if (seen.find("user namespace") != std::string::npos)
        GTEST_SKIP() << "this host does not let ordinary users make user namespaces";
    EXPECT_EQ(seen, "10\n");
}

TEST_F(Launcher, RefusesViewsThatAreNoPlainNames)
{
    for (const std::string name : {"", "..", "usr/bin", "a:b", "a,b"}) {
        auto wanted = request("true");
        wanted.tmpfs = {.bytes = 1 << 20, .inodes = 10};
        wanted.views = {name};
        EXPECT_NE(failure(std::move(wanted)).find("a view is not a plain name"), std::string::npos) << name;
    }
}

TEST_F(Launcher, TellsTheStepThatFailed)
{
    auto wanted = request("true");
    wanted.join = {null.get()};
    EXPECT_EQ(failure(wanted), "no failure") << "the null device takes everything";
    const unique_fd read_only(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    wanted.join = {read_only.get()};
    EXPECT_EQ(failure(wanted), "the launcher failed: join cgroup: Bad file descriptor");
    wanted = request("true");
    wanted.rlimits = {{.resource = 9999, .value = 1}};
    EXPECT_EQ(failure(wanted), "the launcher failed: an unknown resource limit");
    wanted = request("true");
    wanted.uid = 0;
    EXPECT_EQ(failure(wanted), "the launcher failed: the uid must not be 0");
    wanted = request("true");
    wanted.executable = "/etc/passwd";
    EXPECT_EQ(failure(wanted), "the launcher failed: execve: Permission denied");
    wanted = request("true");
    wanted.executable = "/nonexistent";
    EXPECT_EQ(failure(wanted), "/nonexistent: No such file or directory");
}

}    // namespace

}    // namespace caisson

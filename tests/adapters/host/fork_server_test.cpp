#include "adapters/host/fork_order.hpp"
#include "adapters/host/launcher.hpp"
#include "tests/adapters/host/fork_server_fixture.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <iterator>
#include <sstream>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace caisson {

namespace {

using caisson::testing::ForkServer;
using caisson::testing::run_task;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(ForkServer, MakesChildrenOfThisProcessWithWhatTheyAreGivenOnly)
{
    const unique_fd leaky(::open("/dev/null", O_RDONLY));
    const auto wanted = order(
        "cut -d' ' -f4,6 /proc/$$/stat; echo $$; ls /proc/$$/fd; pwd; /usr/bin/env | grep -v -e ^PWD -e ^_= -e ^SHLVL -e ^OLDPWD; exit 7");
    for (const std::string word : {"first", "second"}) {
        auto process = forks->spawn(wanted);
        ASSERT_TRUE(process.has_value()) << word;
        const auto pid = std::to_string(process->identity().pid);
        EXPECT_EQ(run_task(context, process->wait()), 7 << 8) << word;
        EXPECT_EQ(text(), std::to_string(::getpid()) + " " + pid + "\n" + pid + "\n0\n1\n2\n/\nA=b\n") << word;
        std::filesystem::resize_file(scratch.path() + "/out", 0);
    }
    EXPECT_EQ(servers().size(), 1U) << "one serves all";
}

TEST_F(ForkServer, TellsOfSignalsAsOfAnyChild) { EXPECT_EQ(run(order("kill -9 $$")), SIGKILL); }

TEST_F(ForkServer, TellsTheLaunchersFailures)
{
    auto wrong = order("true");
    auto status = make_pipe();
    ASSERT_TRUE(status);
    wrong.argv = {"caisson-launch", "--status-fd", std::to_string(wrong.descriptors.add(status->write.get())), "--uid", "x"};
    const auto ended = run(wrong);
    EXPECT_EQ(ended, 125 << 8);
    char told[200]{};
    EXPECT_GT(::read(status->read.get(), told, sizeof told - 1), 0);
    EXPECT_STREQ(told, "an option's value is not a number\n");
}

TEST_F(ForkServer, KeepsNothingOfAnOrder)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may read its memory";
    const std::string marker = "a-secret-of-" + std::to_string(::getpid());
    auto wanted = order("tr '\\0' '\\n' < /proc/$$/cmdline | tail -n 1");
    wanted.argv.push_back(marker);
    wanted.environment.push_back("SECRET=" + marker);
    EXPECT_EQ(run(wanted), 0);
    EXPECT_EQ(text(), marker + "\n") << "it was there";
    ASSERT_EQ(servers().size(), 1U);
    const auto pid = servers().front();
    EXPECT_EQ(run(order("true")), 0) << "the order before was answered for and forgotten";
    EXPECT_GT(count_in_memory(pid, "caisson-launch"), 0U) << "its memory can be read";
    EXPECT_EQ(count_in_memory(pid, marker), 0U);
    EXPECT_EQ(descriptors_of(pid).size(), 4U) << "stdio and the socket";
}

TEST_F(ForkServer, RunsFromACopyThatNobodyElseMayOpen)
{
    ASSERT_TRUE(forks->keeps_program_apart(launch_path));
    EXPECT_EQ(run(order("true")), 0) << "it serves";
    ASSERT_EQ(servers().size(), 1U);
    struct stat copy{};
    struct stat file{};
    ASSERT_EQ(::stat(("/proc/" + std::to_string(servers().front()) + "/exe").c_str(), &copy), 0);
    ASSERT_EQ(::stat(launch_path.c_str(), &file), 0);
    EXPECT_EQ(copy.st_mode & 07777, 0500U);
    EXPECT_EQ(copy.st_uid, ::geteuid());
    EXPECT_EQ(copy.st_size, file.st_size);
    EXPECT_NE(std::pair(copy.st_dev, copy.st_ino), std::pair(file.st_dev, file.st_ino));
}

TEST_F(ForkServer, EntersItsHomeBeforeItServesAndAgainWhenItIsBegunAnew)
{
    const auto place = scratch.path() + "/cgroup.procs";
    const auto open_place = [&](int how) {
        std::vector<unique_fd> home;
        home.emplace_back(::open(place.c_str(), how | O_CREAT | O_CLOEXEC, 0600));
        return home;
    };
    forks.emplace(open_place(O_WRONLY | O_APPEND));
    EXPECT_TRUE(forks->has_home());
    EXPECT_EQ(run(order("true")), 0);
    ASSERT_EQ(servers().size(), 1U);
    const auto first = std::to_string(servers().front());
    EXPECT_EQ(testing::text_of(place), first);
    forks->end();
    EXPECT_THAT(servers(), IsEmpty());
    EXPECT_EQ(run(order("true")), 0);
    ASSERT_EQ(servers().size(), 1U);
    EXPECT_EQ(testing::text_of(place), first + std::to_string(servers().front()));

    forks.emplace(open_place(O_RDONLY));
    auto wanted = order("true");
    wanted.must_be_forked = true;
    const auto refused = forks->spawn(wanted);
    ASSERT_TRUE(refused.has_error());
    EXPECT_THAT(refused.error().detail, HasSubstr("cannot be begun"));
    EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(ForkServer, IsBegunAnewWhenItWasKilled)
{
    EXPECT_EQ(run(order("true")), 0);
    ASSERT_EQ(servers().size(), 1U);
    const auto first = servers().front();
    auto handle = process_handle::open_running(first);
    ASSERT_TRUE(handle);
    handle->send(SIGKILL);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(first), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(run(order("echo goes on")), 0);
    EXPECT_EQ(text(), "goes on\n");
    ASSERT_EQ(servers().size(), 1U);
    EXPECT_NE(servers().front(), first);
    EXPECT_EQ(::kill(first, 0), -1) << "it was reaped";
}

/// Stops at the end of the system call `number` of a process, and kills it there. Tells by `watching` when it will.
void kill_after(pid_t pid, long number, std::promise<void>* watching)
{
    const bool is_seized = ::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD) == 0;
    int status = 0;
    const bool is_stopped = is_seized && ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 && ::waitpid(pid, &status, __WALL) == pid;
    watching->set_value();
    ASSERT_TRUE(is_stopped) << std::strerror(errno);
    constexpr int at_call = SIGTRAP | 0x80;
    int entered = 0;
    while (WIFSTOPPED(status)) {
        struct __ptrace_syscall_info call{};
        if (WSTOPSIG(status) == at_call && ::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) > 0) {
            entered += call.op == PTRACE_SYSCALL_INFO_ENTRY && static_cast<long>(call.entry.nr) == number ? 1 : 0;
            if (entered > 0 && call.op == PTRACE_SYSCALL_INFO_EXIT) {
                ::kill(pid, SIGKILL);
                return;
            }
        }
        ASSERT_EQ(::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr), 0);
        ASSERT_EQ(::waitpid(pid, &status, __WALL), pid);
    }
    FAIL() << "it ended before that";
}

TEST_F(ForkServer, KilledBeforeItsAnswerLeavesNoProcess)
{
    const auto before = children_of(::getpid());    // of other tests
    EXPECT_EQ(run(order("true")), 0);
    ASSERT_EQ(servers().size(), 1U);
    const auto pid = servers().front();
    const auto wanted = order("sleep 1000");
    result<process_handle> made = error{errc::internal, "not asked"};
    std::promise<void> watching;
    std::thread tracer([pid, &watching] { kill_after(pid, SYS_clone, &watching); });
    watching.get_future().wait();
    made = forks->spawn(wanted);
    tracer.join();
    ASSERT_TRUE(made.has_error());
    EXPECT_THAT(made.error().detail, HasSubstr("does not answer"));
    EXPECT_EQ(children_of(::getpid()), before);
    EXPECT_EQ(run(order("echo next")), 0);
    EXPECT_EQ(text(), "next\n");
}

TEST_F(ForkServer, EndsWithAnOwnerThatIsKilled)
{
    const pid_t owner = ::fork();
    if (owner == 0) {
        fork_server forks_of_owner;
        ::_exit(forks_of_owner.keeps_program_apart(launch_path) && ::pause() != 0 ? 0 : 1);
    }
    std::vector<pid_t> below;
    while (below.empty() && ::kill(owner, 0) == 0) {
        below = children_of(owner);
        std::this_thread::yield();
    }
    ASSERT_EQ(below.size(), 1U);
    const auto served = process_handle::open_running(below.front());
    ASSERT_TRUE(served);
    ::kill(owner, SIGKILL);
    ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
    run_task(context, served->wait());
    EXPECT_FALSE(served->alive());
}

TEST_F(ForkServer, EndsWithItsOwnerWhoseChildrenRunOn)
{
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    EXPECT_EQ(run(order("true")), 0);
    EXPECT_EQ(servers().size(), 1U);
    auto wanted = order("read line <&4; echo $line");
    wanted.descriptors.add(pipe->read.get());
    auto process = forks->spawn(wanted);
    ASSERT_TRUE(process.has_value());
    forks.reset();
    EXPECT_EQ(::write(pipe->write.get(), "still here\n", 11), 11);
    EXPECT_EQ(run_task(context, process->wait()), 0);
    EXPECT_THAT(servers(), IsEmpty());
    EXPECT_EQ(text(), "still here\n");
}

TEST_F(ForkServer, GivesWayWhereAnOrderIsTooLarge)
{
    auto wanted = order("echo ${#1}");
    wanted.argv.emplace_back("sh");
    wanted.argv.emplace_back(most_order_bytes, 'x');
    EXPECT_EQ(run(wanted), 0);
    EXPECT_EQ(text(), std::to_string(most_order_bytes) + "\n");
    EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(ForkServer, TakesAsManyDescriptorsAsAMessageMay)
{
    auto wanted = order("ls /proc/$$/fd; true");
    while (wanted.descriptors.sources().size() < most_order_descriptors)
        wanted.descriptors.add(null.get());
    EXPECT_EQ(run(wanted), 0);
    const auto listed = text();
    EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), most_order_descriptors - 1) << "all but what was executed";
}

TEST_F(ForkServer, SaysWhatCannotBeStarted)
{
    const auto process = forks->spawn({.path = "/nonexistent/caisson-launch", .argv = {"x"}});
    ASSERT_TRUE(process.has_error());
    EXPECT_EQ(process.error().code, errc::runtime_unavailable);
    EXPECT_THAT(process.error().detail, HasSubstr("/nonexistent/caisson-launch"));
    EXPECT_FALSE(forks->keeps_program_apart("/nonexistent/caisson-launch"));
}

TEST_F(ForkServer, KnowsAtOnceAProgramThatCannotServe)
{
    EXPECT_FALSE(forks->keeps_program_apart("/bin/true")) << "it ends without a word";
    EXPECT_THAT(servers(), IsEmpty());
}

TEST_F(ForkServer, DoesNotGiveWayWhereItMustNot)
{
    auto wanted = order("true");
    wanted.must_be_forked = true;
    EXPECT_EQ(run(wanted), 0);
    wanted.argv.emplace_back(most_order_bytes, 'x');
    const auto large = forks->spawn(wanted);
    ASSERT_TRUE(large.has_error());
    EXPECT_THAT(large.error().detail, HasSubstr("too large"));
    const auto missing = forks->spawn({.path = "/nonexistent/caisson-launch", .argv = {"x"}, .must_be_forked = true});
    ASSERT_TRUE(missing.has_error());
    EXPECT_THAT(missing.error().detail, HasSubstr("cannot be begun"));
}

TEST_F(ForkServer, MakesProcessOneOfNamespacesOfItsOwn)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may make namespaces";
    const std::string look = "echo $$; cd /proc/self/ns; readlink pid ipc uts";
    const auto seen = [&](bool is_first) {
        std::filesystem::remove(scratch.path() + "/out");
        auto wanted = order(look);
        wanted.must_be_forked = is_first;
        auto process = forks->spawn(wanted);
        EXPECT_TRUE(process.has_value());
        const auto pid = process->identity().pid;
        EXPECT_THAT(children_of(::getpid()), ::testing::Contains(pid)) << "and yet this process's child";
        EXPECT_EQ(run_task(context, process->wait()), 0);
        std::istringstream words(text());
        std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
        EXPECT_EQ(found.size(), 4U);
        EXPECT_EQ(found.at(0), is_first ? "1" : std::to_string(pid));
        return found;
    };
    const auto first = seen(true);
    const auto other = seen(true);
    const auto none = seen(false);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_NE(first.at(i), none.at(i));
    EXPECT_EQ(other.size(), first.size());
    EXPECT_EQ(none.at(1), std::filesystem::read_symlink("/proc/self/ns/pid").string());
}

TEST_F(ForkServer, ServesThreadsOneAfterTheOther)
{
    constexpr int threads = 4;
    constexpr int each_many = 25;
    const auto wanted = order("exit 3");
    std::vector<std::vector<process_handle>> made(threads);
    std::vector<std::thread> all;
    all.reserve(threads);
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            for (int many = 0; many < each_many; ++many)
                if (auto process = forks->spawn(wanted); process.has_value())
                    made[static_cast<std::size_t>(i)].push_back(std::move(*process));
        });
    for (auto& each : all)
        each.join();
    for (auto& of_thread : made) {
        EXPECT_EQ(of_thread.size(), static_cast<std::size_t>(each_many));
        for (auto& process : of_thread)
            EXPECT_EQ(run_task(context, process.wait()), 3 << 8);
    }
}

}    // namespace

}    // namespace caisson

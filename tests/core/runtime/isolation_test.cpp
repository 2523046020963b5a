#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/host/seccomp_filter.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <fstream>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace caisson::testing {

namespace {

/// What a program in a bubblewrap sandbox must not be able to do, as root's sandbox and as an ordinary user's. Every
/// case runs a program with the payload's filter, as an execution does.
class BubblewrapIsolation : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }

    /// What `argv` prints in a fresh sandbox, without the last newline.
    void expect_output(std::vector<std::string> argv, const std::string& want)
    {
        in_world(GetParam(), [&](runtime_world& world) {
            const auto box = world.start();
            auto request = world.request(argv);
            request.seccomp_filter = rest_of_payload_filter();
            const auto outcome = world.run_program(*box, std::move(request));
            const auto text = outcome.out.substr(0, outcome.out.find_last_not_of('\n') + 1);
            EXPECT_EQ(text, want) << outcome.err;
            world.destroy(*box);
        });
    }
    void expect_shell(const std::string& program, const std::string& want) { expect_output({"/bin/sh", "-c", program}, want); }
    void expect_python(const std::string& program, const std::string& want)
    {
        expect_output({"/usr/bin/python3", "-I", "-c", program}, want);
    }
};

/// Where the launcher has it in itself no file of it is there.
TEST_P(BubblewrapIsolation, TheAgentIsMountedReadOnlyIfItIs)
{
    const bool is_shown = std::string(GetParam().name) != bubblewrap_root.name;
    expect_shell(
        "ls /.caisson | grep -v empty; "
        "while read -r _ _ _ _ place flags _; do case $place,$flags in /.caisson/agent,ro,*nosuid,*nodev,*) echo read-only;; esac; "
        "done </proc/self/mountinfo",
        is_shown ? "agent\nread-only" : "");
}

/// What starts a program is what that finds as its own executable in the moment of execve.
TEST_P(BubblewrapIsolation, WhatStartsItIsNoFileOfTheHosts)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        world.run_program(*box, {"/bin/sh", "-c", "echo '#!/proc/self/exe' >s; chmod +x s"});
        for (const std::string path : {"/proc/self/exe", "/proc/1/exe", "/proc/thread-self/exe", "/workspace/s"}) {
            const auto outcome = world.run_program(*box, {path});
            const bool own_copy = std::string(GetParam().name) != bubblewrap_root.name && !path.starts_with("/proc/1/");
            if (own_copy)    // the agent's file, which says how it is to be used
                EXPECT_TRUE(outcome.exit || outcome.start_failure) << path;
            else
                EXPECT_EQ(outcome.start_failure.value_or(std::pair(0, "")).first, EACCES) << path;
        }
        world.destroy(*box);
    });
}

TEST_P(BubblewrapIsolation, TheAgentShowsItsNameAndNothingElse)
{
    expect_shell(
        "for each in exe maps mem environ auxv io stack syscall pagemap; do cat /proc/1/$each >/dev/null 2>&1 && echo $each; done; "
        "readlink /proc/1/exe /proc/1/cwd /proc/1/root; ls /proc/1/fd /proc/1/map_files /proc/1/ns/ 2>/dev/null | grep -v :; "
        "cat /proc/self/exe >/dev/null && echo its own; cat /proc/1/comm; tr -d '\\0' </proc/1/cmdline | grep -c -e launch -e /tmp -e "
        "build",
        "its own\nagent\n0");
}

TEST_P(BubblewrapIsolation, HostFilesAreNotThere)
{
    // In the world's own directory, which the sandbox's mounts come nowhere near.
    in_world(GetParam(), [](runtime_world& world) {
        const auto canary = world.data_dir() + "/canary";
        std::ofstream(canary) << "secret";
        const auto box = world.start();
        const auto outcome =
            world.run_program(*box, {"/bin/sh", "-c", "cat " + canary + " /proc/1/root" + canary + "; ls / /tmp | grep -vE 'lib32|^var$'"});
        EXPECT_EQ(outcome.out.find("secret"), std::string::npos);
        EXPECT_EQ(outcome.out, "/:\nbin\ndev\netc\nlib\nlib64\nproc\nsbin\ntmp\nusr\nworkspace\n\n/tmp:\n");
        world.destroy(*box);
    });
}

TEST_P(BubblewrapIsolation, WritesOnlyWhereItMay)
{
    expect_shell("for d in / /usr /usr/bin /bin /etc /dev /proc /proc/sys /.caisson /workspace /tmp /dev/shm; do (: > $d/.w) 2>/dev/null "
                 "&& echo $d; done",
        "/workspace\n/tmp\n/dev/shm");
}

TEST_P(BubblewrapIsolation, KernelKnobsAreReadOnly)
{
    expect_shell("for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sys/kernel/modprobe "
                 "/proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces; do "
                 "[ -c $f ] || ( : >> $f ) 2>/dev/null && [ ! -c $f ] && echo $f; done; echo done",
        "done");
}

TEST_P(BubblewrapIsolation, MasksAreEmpty)
{
    expect_shell(
        "for f in kcore keys key-users timer_list kallsyms cmdline locks; do cat /proc/$f 2>/dev/null | head -c 10; done; ls /proc/acpi "
        "/proc/scsi 2>/dev/null | grep -v : ; echo done",
        "done");
}

TEST_P(BubblewrapIsolation, IsNobodySpecial)
{
    expect_shell("id -u; id -g; hostname; pwd; grep -hE '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status | tr -d '\\t' | grep -v filters",
        "1000\n1000\nsandbox\n/workspace\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\n"
        "CapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2");
}

TEST_P(BubblewrapIsolation, TheHostUidIsNeverRoot)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        world.run_program(*box, world.echo("the agent runs"));
        const auto pid = boost::json::parse(box->runtime_state()).at("agent").at("pid").to_number<pid_t>();
        for (const char* file : {"/uid_map", "/gid_map"}) {
            std::ifstream map("/proc/" + std::to_string(pid) + file);
            std::uint32_t inside = 0;
            std::uint32_t outside = 0;    // as this process's namespace has it
            std::uint32_t count = 0;
            map >> inside >> outside >> count;
            EXPECT_EQ(inside, 1000U);
            EXPECT_TRUE(outside >= 700'000 || outside == ::geteuid()) << outside;
            EXPECT_NE(outside, 0U);
            EXPECT_EQ(count, 1U);
            EXPECT_FALSE(map >> inside) << "one line";
        }
        world.destroy(*box);
    });
}

TEST_P(BubblewrapIsolation, OnlyThreeDescriptors)
{
    expect_python("import os\nprint(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:-1])", "[0, 1, 2]");
}

TEST_P(BubblewrapIsolation, OnlyItsOwnProcesses)
{
    expect_python("import os\nprint(len([p for p in os.listdir('/proc') if p.isdigit()]) <= 2)", "True");
}

TEST_P(BubblewrapIsolation, OnlyTheEnvironmentItWasGiven) { expect_output({"/usr/bin/env"}, "PATH=/usr/bin:/bin"); }

TEST_P(BubblewrapIsolation, MountsTellNothingOfTheHost)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto outcome = world.run_program(*box, {"/usr/bin/cat", "/proc/self/mountinfo", "/proc/self/cgroup"});
        EXPECT_EQ(outcome.out.find("caisson-runtime"), std::string::npos) << outcome.out;
        EXPECT_EQ(outcome.out.find(box->id().str()), std::string::npos) << outcome.out;
        EXPECT_NE(outcome.out.find(" /workspace "), std::string::npos);
        world.destroy(*box);
    });
}

TEST_P(BubblewrapIsolation, HasNoNetwork)
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    expect_python("import socket\nfor where in (('127.0.0.1', " + std::to_string(ntohs(address.sin_port)) +
                      "), ('192.0.2.1', 80)):\n try: socket.create_connection(where, 2)\n except OSError as e: print(e.errno)",
        "111\n101");
    ::close(listener);
}

TEST_P(BubblewrapIsolation, NamespacesAndMountsAreRefused)
{
    expect_shell("unshare -Ur true 2>/dev/null || echo user; unshare -m true 2>/dev/null || echo mount; mount -t tmpfs x /tmp 2>/dev/null "
                 "|| echo tmpfs; "
                 "chroot / true 2>/dev/null || echo chroot",
        "user\nmount\ntmpfs\nchroot");
}

TEST_P(BubblewrapIsolation, DangerousCallsAreRefused)
{
    // x86_64 numbers, with arguments that the kernel would otherwise take or refuse with another errno.
    expect_python(R"(
import ctypes, platform
if platform.machine() != 'x86_64': print('skip'); raise SystemExit
libc = ctypes.CDLL(None, use_errno=True)
calls = {'keyctl': (250, 0, -3, 1), 'add_key': (248, b'user', b'x', b'y', 1, -2), 'bpf': (321, 0, 0, 0), 'io_uring_setup': (425, 1, 0),
         'userfaultfd': (323, 1), 'perf_event_open': (298, 0, 0, -1, -1, 0), 'ptrace': (101, 0, 0, 0, 0), 'unshare': (272, 0x10000000),
         'setns': (308, -1, 0), 'process_vm_readv': (310, 1, 0, 0, 0, 0, 0), 'open_by_handle_at': (304, -1, 0, 0), 'clone3': (435, 0, 0),
         'mount': (165, 0, 0, 0, 0, 0), 'pivot_root': (155, 0, 0), 'kexec_load': (246, 0, 0, 0, 0), 'personality': (135, 0x0400000),
         'personality_high': (135, 0x80400000), 'prlimit64_of_1': (302, 1, 0, ctypes.c_char_p(bytes(16)), 0), 'sched_setaffinity_of_1': (203, 1, 8, bytes(8)),
         'setpriority_of_1': (141, 0, 1, 5), 'setpriority_of_user': (141, 2, 0, 5), 'ioprio_set_of_1': (251, 1, 1, 0), 'x32_getpid': (0x40000027,),
         'tiocsti': (16, 0, 0x5412, b'x'), 'tiocsti_high': (16, 0, 0x100005412, b'x'), 'clone_newuser': (56, 0x10000000 | 17, 0, 0, 0, 0)}
for name, args in calls.items():
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    r = libc.syscall(*args)
    if r == 0 and name == 'clone_newuser': libc._exit(0)
    e = ctypes.get_errno()
    print(name, r, e)
)",
        "keyctl -1 38\nadd_key -1 38\nbpf -1 1\nio_uring_setup -1 38\nuserfaultfd -1 1\nperf_event_open -1 1\nptrace -1 1\nunshare -1 "
        "1\nsetns -1 1\n"
        "process_vm_readv -1 1\nopen_by_handle_at -1 1\nclone3 -1 38\nmount -1 1\npivot_root -1 1\nkexec_load -1 1\npersonality -1 1\n"
        "personality_high -1 1\nprlimit64_of_1 -1 1\nsched_setaffinity_of_1 -1 1\nsetpriority_of_1 -1 1\nsetpriority_of_user -1 1\n"
        "ioprio_set_of_1 -1 1\nx32_getpid -1 38\ntiocsti -1 1\ntiocsti_high -1 1\nclone_newuser -1 1");
}

TEST_P(BubblewrapIsolation, OrdinaryCallsWork)
{
    expect_python("import os, resource, socket, subprocess, threading\n"
                  "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
                  "os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 1)\n"
                  "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
                  "print(subprocess.run(['/bin/echo', 'child'], capture_output=True, text=True).stdout.strip())\n"
                  "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n"
                  "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()\n"
                  "os.memfd_create('x'); m, s = os.openpty(); print(os.isatty(s))",
        "thread\nchild\nb'x'\nTrue");
}

/// And stays so: /proc is not written (Landlock), and what root has set needs rights to be lowered.
TEST_P(BubblewrapIsolation, ItIsTheFirstToEndWhereTheHostHasNoMemory)
{
    expect_shell("(echo 0 >/proc/self/oom_score_adj) 2>/dev/null; cat /proc/self/oom_score_adj /proc/1/oom_score_adj", "900\n900");
}

TEST_P(BubblewrapIsolation, WhatTheHostHasOneNumberOfIsRefusedOrBounded)
{
    expect_python("import ctypes, fcntl, os, socket, struct\n"
                  "c = ctypes.CDLL(None, use_errno=True)\n"
                  "def said(what, action):\n"
                  "  try: action()\n"
                  "  except OSError as e: return print(what, os.strerror(e.errno))\n"
                  "  print(what, 'reached')\n"
                  "context = ctypes.c_long(0)\n"
                  "print('asynchronous', c.syscall(206 if os.uname().machine == 'x86_64' else 0, 8, ctypes.byref(context)) < 0)\n"
                  "code = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0))\n"
                  "program = struct.pack('HxxxxxxQ', 1, ctypes.addressof(code))\n"
                  "said('filter', lambda: socket.socket(1, 2).setsockopt(1, 26, program))\n"
                  "label = struct.pack('16sIBBHHHI', b'\\0' * 15 + b'\\1', 0, 0, 255, 1, 60, 60, 0)\n"
                  "try: six = socket.socket(10, 2)\n"
                  "except OSError: six = None\n"    // a kernel without IPv6
                  "if not six: print('label Protocol not available')\n"
                  "else: said('label', lambda: six.setsockopt(41, 32, label))\n"
                  "said('discipline', lambda: fcntl.ioctl(os.openpty()[1], 0x5423, struct.pack('i', 2)))\n"
                  "said('bridge', lambda: fcntl.ioctl(socket.socket(2, 2), 0x89a0, b'br0'))\n"
                  "said('upper protocol', lambda: socket.socket(2, 1).setsockopt(6, 31, b'tls\\0'))\n",
        "asynchronous True\nfilter Operation not permitted\nlabel Protocol not available\ndiscipline Operation not permitted\n"
        "bridge Inappropriate ioctl for device\nupper protocol No such file or directory");
}

TEST_P(BubblewrapIsolation, TerminalsAreBoundedWhereTheLauncherMadeThem)
{
    const bool is_bounded = std::string(GetParam().name) != bubblewrap_user.name;    // bwrap gives devpts no maximum
    if (!is_bounded)
        return;
    expect_python("import os\nheld = []\ntry:\n  while len(held) < 200: held.append(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))\n"
                  "except OSError: pass\nprint(len(held))",
        "64");
}

TEST_P(BubblewrapIsolation, SocketFamiliesAreByList)
{
    expect_python("import socket\nbad = []\n"
                  "for f, t, p in ((17, 3, 0), (40, 1, 0), (38, 5, 0), (16, 3, 9), (44, 3, 0), (31, 3, 0), (2, 3, 1), (10, 3, 58), (30, 5, "
                  "0), (29, 3, 0)):\n"
                  " try: socket.socket(f, t, p).close(); bad.append(f)\n except OSError: pass\nprint(bad)",
        "[]");
}

TEST_P(BubblewrapIsolation, TheAgentIsOutOfReach)
{
    expect_shell("kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; head -c 1 /proc/1/mem; ls /proc/1/fd /proc/1/cwd/ /proc/1/root/; "
                 "(: > /.caisson/agent) ; echo alive",
        "alive");
}

TEST_P(BubblewrapIsolation, TheDiskIsBoundedInBytesAndFiles)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        world.run_program(*box, world.echo("the agent runs"));
        ASSERT_TRUE(box->disk());
        EXPECT_FALSE(box->disk()->bytes_exhausted || box->disk()->inodes_exhausted);
        const auto bytes = world.run_program(*box, {"/bin/sh", "-c", "head -c 8M /dev/zero > f 2>/dev/null; stat -c %s f"});
        EXPECT_EQ(bytes.out, "4194304\n") << "4 MiB over all writable places";
        EXPECT_TRUE(box->disk()->bytes_exhausted);
        const auto files =
            world.run_program(*box, {"/bin/sh", "-c", "rm f; for i in $(seq 100); do true > $i; done 2>/dev/null; ls | wc -l"});
        EXPECT_EQ(files.out, "64\n") << files.err;
        EXPECT_TRUE(box->disk()->inodes_exhausted);
        world.destroy(*box);
    });
}

TEST_P(BubblewrapIsolation, ANewSandboxFindsNothingOfTheOneBefore)
{
    in_world(GetParam(), [](runtime_world& world) {
        const std::vector<std::string> look{
            "/bin/sh", "-c", "ls -A /workspace /tmp /dev/shm | grep -c mark; for d in /workspace /tmp /dev/shm; do : > $d/mark; done"};
        for (int round = 0; round < 2; ++round) {
            const auto box = world.start();
            EXPECT_EQ(world.run_program(*box, look).out, "0\n");
            world.destroy(*box);
        }
    });
}

TEST(BubblewrapHostUid, IsEachSandboxsOwnAndHeldByIt)
{
    if (const auto reason = cannot_run(bubblewrap_root))
        GTEST_SKIP() << *reason;
    in_world(bubblewrap_root, [](runtime_world& world) {
        const auto uid_of = [](sandbox& box) { return boost::json::parse(box.runtime_state()).at("uid").to_number<uid_t>(); };
        auto first = world.start();
        const auto second = world.start();
        const auto uid = uid_of(*first);
        EXPECT_NE(uid, uid_of(*second));
        EXPECT_GE(uid, 700'000U);
        const auto id = first->id();
        const auto state = first->runtime_state();
        first.reset();
        // The sandbox itself holds its uid, with no server's help.
        uid_allocator other(world.uid_lock_dir(), uid, uid);
        EXPECT_TRUE(other.acquire({"other", "/", id, ""}).has_error());
        auto found = world.run(world.rt().recover(id, state));
        ASSERT_TRUE(found.has_value());
        world.destroy(**found);
        EXPECT_TRUE(other.acquire({"other", "/", id, ""}).has_value());
        world.destroy(*second);
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(Runtimes, BubblewrapIsolation,
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_user),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing

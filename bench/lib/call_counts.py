"""System calls of a run in a ready sandbox, from the request to the next sandbox that is ready, counted by strace in all processes."""

import collections
import json
import os
import re
import subprocess
import time
from pathlib import Path

from bench_setup import Bench
from pool_rows import wait_for
from processes import Failed

GROUPS = {
    "files": "open openat openat2 creat close close_range stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink "
             "readlinkat getdents64 mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mknod mknodat chmod "
             "fchmod fchmodat chown fchown fchownat lchown truncate ftruncate fallocate utimensat umask chdir fchdir getcwd fcntl flock dup dup2 "
             "dup3 pipe pipe2 ioctl lseek",
    "data": "read write readv writev pread64 pwrite64 preadv pwritev sendto sendmsg recvfrom recvmsg splice tee sendfile copy_file_range",
    "syncs": "fsync fdatasync sync_file_range syncfs msync",
    "sockets": "socket socketpair bind listen accept accept4 connect shutdown getsockopt setsockopt getsockname getpeername eventfd2 signalfd4 "
               "timerfd_create epoll_create1 inotify_init1 inotify_add_watch memfd_create",
    "processes": "clone clone3 fork vfork execve execveat wait4 waitid exit exit_group kill tkill tgkill pidfd_open pidfd_send_signal setns unshare",
    "mounts": "mount umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount",
    "memory": "brk mmap munmap mprotect mremap",
}
# How often somebody waits, and is woken, depends on who is faster. Memory is given back (madvise) once a second, not once a run.
BY_TIME = set("futex epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6 nanosleep clock_nanosleep restart_syscall sched_yield epoll_ctl "
             "timerfd_settime clock_gettime gettimeofday madvise".split())
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names.split()}
ROLES = {"caisson-launch": "launcher", "bwrap": "bwrap", "agent": "agent", "caisson-agent": "agent", "busybox": "program"}    # all else: the server
LINE = re.compile(r"^\d+<([^>]*)>\s+([\d.]+) (\w+)\(")
# By what comes before the names of their counts: a run, and one that looks for files that the program left.
PROGRAMS = {"": {"command": ["/bin/busybox", "true"]}, "collecting.": {"command": ["/bin/busybox", "true"], "collect": ["*"]}}
READY, WARM_UP, ROUNDS, RUNS, SERVERS = 2, 5, 3, 8, 3
# glibc's heap grows in large steps and never shrinks: else, where its end happens to lie decides whether each run moves it (mallopt(3)).
HEAP = {"MALLOC_TOP_PAD_": str(16 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
CALM_BYTES = 4096    # of the trace within a look: some forty calls


def why_not():
    """Why it cannot be done here; empty if it can."""
    if os.geteuid() != 0:
        return "only root can trace all processes of a sandbox"
    try:
        tried = subprocess.run(["/usr/bin/strace", "-f", "-o", os.devnull, "/bin/true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except OSError as failure:
        return f"strace cannot be started: {failure}"
    return "" if tried.returncode == 0 else f"this system does not let processes be traced: {tried.stderr.decode(errors='replace').strip()}"


class TracedBench(Bench):
    """Its server, and all that the server starts, is traced into a file."""

    def server_process(self, *given):
        """The server is this process's child, not strace's (-D), so that it can be ended as ever."""
        self.trace = self.path("trace")
        return super().server_process(*given)

    def background(self, argv, name, env=None, reads_line=False):
        trace = ["/usr/bin/strace", "-D", "-f", "-qq", "-ttt", "-Y", "-s", "0", "-e", "signal=none", "-o", self.trace]
        return super().background([*trace, *argv], name, {**(os.environ if env is None else env), **HEAP}, reads_line)

    def server_options(self):
        """Without the look at the host's compilers that a start is followed by, and with sandboxes of one kind only, none of them prepared."""
        settings = (f"pool.idle={READY}", f"pool.max={READY}", "pool.warm_interpreters=false", "compile.cache_bytes=0",
                    "runtimes.bubblewrap.max_prepared=0")
        return [word for each in settings for word in ("--set", each)]


def per_run(root, built):
    """"server.files" and so on to calls per run: the least of the rounds of several servers, since what comes now and then only adds."""
    counted = [of_one_server(root, built) for _ in range(SERVERS)]
    return {name: min(one.get(name, 0) for one in counted) for name in sorted(set().union(*counted))}


def of_one_server(root, built):
    with TracedBench(root, quick=True, built=built) as bench:
        wait_for(bench, READY)
        wait_until_quiet(bench)
        client = bench.kept()
        for _ in range(WARM_UP):
            run_once(bench, client, PROGRAMS[""])
        rounds = {prefix: [one_round(bench, client, program) for _ in range(ROUNDS)] for prefix, program in PROGRAMS.items()}
        client.close()
        bench.server.stop()
        return {prefix + name: count for prefix, times in rounds.items() for name, count in least_within(bench.trace, times).items()}


def least_within(trace, rounds):
    counted = counts_within(trace, rounds)
    names = sorted({name for one in counted for name in one})
    return {name: min(one[name] for one in counted) / RUNS for name in names}


def one_round(bench, client, program):
    begin = time.time()
    for _ in range(RUNS):
        run_once(bench, client, program)
    return begin, time.time()


def run_once(bench, client, program):
    """And until the sandbox is gone and the next one is ready. Nobody is asked, as that would be counted."""
    before = sandboxes_of(bench)
    answer = client.ask("POST", "/v1/executions", program)
    if answer["status"] != "success" or "claim_ms" not in answer["stages"]:
        raise Failed(f"this was no run in a ready sandbox: {answer}")
    wait_until_quiet(bench, before)


def run_folders(data):
    """Where sandboxes of the server with this data may have their run directories."""
    instance = json.loads((data / "instance.json").read_text())["id"]
    return [data / "run", Path("/run/caisson/run") / instance, Path("/dev/shm/caisson-run") / instance]


def sandboxes_of(bench):
    return {each.name for folder in run_folders(bench.path("server-data")) for each in folder.glob("sbx_*")}


def wait_until_quiet(bench, before=None, seconds=60, looks=10):
    """Until there are so many directories of sandboxes as are kept, one of those of `before` gone, and during some looks in a row
    hardly anything called: a directory is there long before its sandbox is ready, and the used one's may stay for a while."""
    deadline, called, same = time.monotonic() + seconds, 0, 0
    while same < looks:
        now = sandboxes_of(bench)
        if time.monotonic() > deadline:
            raise Failed(f"the pool does not come to rest: {sorted(now)}, before the run {sorted(before or ())}")
        last, called = called, bench.trace.stat().st_size
        calm = called - last < CALM_BYTES and len(now) == READY and now != before
        same = same + 1 if calm else 0
        time.sleep(0.04)


def counts_within(trace, rounds):
    """A Counter of each round."""
    found = [collections.Counter() for _ in rounds]
    with open(trace, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            matched = LINE.match(line)
            if not matched or matched.group(3) in BY_TIME:
                continue
            program, at, call = matched.groups()
            name = f"{ROLES.get(program, 'server')}.{GROUP_OF.get(call, 'others')}"
            for (begin, end), counter in zip(rounds, found):
                if begin <= float(at) < end:
                    counter[name] += 1
    if not all(found):
        raise Failed("the trace has no calls of a round")
    return found

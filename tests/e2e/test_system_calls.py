"""What the filter of system calls answers: what the kernel would, so that libraries go on; in sandboxes made for a run and in ready ones."""

import pytest

from harness.comparison import cold_and_ready, first_that
from harness.server import READY


@pytest.fixture(scope="module")
def pair(contract, request):
    """A server that makes each sandbox for its program, and one that has them ready."""
    with cold_and_ready("bubblewrap", contract, request.getfixturevalue, READY) as servers:
        yield dict(zip(("cold", "ready"), servers))


@pytest.fixture(params=["cold", "ready"])
def run(pair, request):
    """Runs a program and gives its record."""
    server = pair[request.param]
    if request.param == "cold":
        return server.api.run
    return lambda **what: first_that(lambda record: "claim_ms" in record["stages"], server, **what)


def of_c(body, *headers):
    included = "".join(f"#include <{each}>\n" for each in ("errno.h", "stdio.h", "string.h", "unistd.h", *headers))
    return {"language": "c", "code": f"#define _GNU_SOURCE\n{included}static void *nothing(void *p) {{ sleep(9); return p; }}\n"
                                     f"int main(void) {{\n(void)nothing;\n{body}\nreturn 0; }}\n"}


def of_python(code):
    return {"language": "python", "code": "import os, sys, threading\n" + code}


THREADS = "sched.h", "pthread.h", "sys/resource.h", "sys/syscall.h"
OWN_POLICY = """int policy; struct sched_param p;
pthread_getschedparam(pthread_self(), &policy, &p);
puts(strerror(pthread_setschedparam(pthread_self(), policy, &p)));"""
OTHER_THREAD = """pthread_t other; pthread_create(&other, NULL, nothing, NULL);
struct sched_param p = {0};
puts(strerror(pthread_setschedparam(other, SCHED_BATCH, &p)));
puts(strerror(pthread_setschedparam(other, SCHED_IDLE, &p)));
cpu_set_t set; sched_getaffinity(0, sizeof set, &set);
puts(strerror(pthread_setaffinity_np(other, sizeof set, &set)));
puts(strerror(pthread_setaffinity_np(pthread_self(), sizeof set, &set)));
p.sched_priority = 1;
puts(strerror(pthread_setschedparam(other, SCHED_FIFO, &p)));
puts(strerror(pthread_setschedparam(pthread_self(), SCHED_RR, &p)));"""
NICE = """int me = gettid(), now = getpriority(PRIO_PROCESS, 0);
int done = setpriority(PRIO_PROCESS, me, now + 2);
printf("%d %d\\n", done, getpriority(PRIO_PROCESS, 0) - now);
done = setpriority(PRIO_PROCESS, me, now + 1);
printf("%d %s\\n", done, strerror(errno));
printf("%d\\n", nice(1) - now);
struct { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long runtime, deadline, period; } a = {48, 0, 0, now + 4};
done = syscall(SYS_sched_setattr, me, &a, 0);
printf("%d %d\\n", done, getpriority(PRIO_PROCESS, 0) - now);
a.policy = SCHED_DEADLINE; a.runtime = 1 << 20; a.deadline = a.period = 1 << 30; a.nice = 0;
done = syscall(SYS_sched_setattr, 0, &a, 0);
printf("%d %s\\n", done, strerror(errno));"""
CHILD = """import resource
child = os.posix_spawn('/usr/bin/sleep', ['sleep', '9'], {})
os.sched_setscheduler(child, os.SCHED_IDLE, os.sched_param(0)); print(os.sched_getscheduler(child) == os.SCHED_IDLE)
os.sched_setaffinity(child, os.sched_getaffinity(0)); os.setpriority(os.PRIO_PROCESS, child, 19)
resource.prlimit(child, resource.RLIMIT_NOFILE, (9, 9)); print(resource.prlimit(child, resource.RLIMIT_NOFILE))
os.kill(child, 9); os.wait()"""
AGENT = """import resource
for what in (lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)), lambda: os.sched_setparam(1, os.sched_param(0)),
             lambda: os.sched_setaffinity(1, {0}), lambda: os.setpriority(os.PRIO_PROCESS, 1, 19), lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
             lambda: os.setpriority(os.PRIO_USER, 1000, 19), lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))):
    try: what(); print('REACHED')
    except PermissionError: pass
print(os.sched_getscheduler(1), os.getpriority(os.PRIO_PROCESS, 1) == os.getpriority(os.PRIO_PROCESS, 0))"""
ZMQ = """import zmq
c = zmq.Context()
a = c.socket(zmq.PAIR); b = c.socket(zmq.PAIR)
port = a.bind_to_random_port('tcp://127.0.0.1'); b.connect(f'tcp://127.0.0.1:{port}')
b.send(b'ok'); print(a.recv().decode()); a.close(); b.close(); c.term()"""
SOCKETS = """import errno, socket
for family, kind, protocol in ((2, 3, 1), (2, 2, 1), (2, 1, 262), (2, 5, 0), (2, 1, 300), (2, 99, 0), (40, 1, 0), (999, 1, 0), (16, 3, 9)):
    try: socket.socket(family, kind, protocol); print('opened')
    except OSError as e: print(errno.errorcode[e.errno])
try: socket.socketpair(2, 1, 132)
except OSError as e: print(errno.errorcode[e.errno])"""
TOLD = "EPERM", "EPROTONOSUPPORT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EINVAL", "EINVAL", "EAFNOSUPPORT", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ENOTSUP"
UNSHARE = """import ctypes
c = ctypes.CDLL(None, use_errno=True)
for flags in (0, 0x200 | 0x400, 0x10000000, 0x400 | 0x40000000, 0x1000):
    print(c.unshare(flags), ctypes.get_errno())"""

CASES = {
    "the_policy_that_holds": (of_c(OWN_POLICY, *THREADS), "Success\n"),
    "other_threads": (of_c(OTHER_THREAD, *THREADS), "Success\n" * 4 + "Operation not permitted\n" * 2),
    "less_priority": (of_c(NICE, *THREADS), "0 2\n-1 Permission denied\n3\n0 4\n-1 Operation not permitted\n"),
    "children": (of_python(CHILD), "True\n(9, 9)\n"),
    "the_agent": (of_python(AGENT), "0 True\n"),
    "zeromq": (of_python(ZMQ), "ok\n"),
    "sockets": (of_python(SOCKETS), "".join(f"{each}\n" for each in TOLD)),
    "unshare": (of_python(UNSHARE), "0 0\n0 0\n-1 1\n-1 1\n-1 22\n"),
    "memfd_of_all_flags": (of_c('memfd_create("", ~0u); puts(strerror(errno));', "sys/mman.h"), "Invalid argument\n"),
    "memfd_of_huge_pages": (of_c('memfd_create("", MFD_HUGETLB); puts(strerror(errno));', "sys/mman.h"), "Cannot allocate memory\n"),
    "handles": (of_python("import ctypes, errno\nc = ctypes.CDLL(None, use_errno=True)\n"
                          "print(c.name_to_handle_at(-100, b'/', 0, 0, 0), errno.errorcode[ctypes.get_errno()])"), "-1 ENOTSUP\n"),
    "tools": ({"shell": "chrt --batch 0 true && chrt --idle 0 true && taskset -p -c 0 $$ >/dev/null && renice -n 19 -p $$ >/dev/null && ionice -c 3 -p $$ &&"
                        " prlimit --pid $$ --nofile=50:50 && setarch -R true && nice -n 19 true && ulimit -c 0 && ulimit -n"}, "50\n"),
}

LEAK = '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { setvbuf(stdout, malloc(4096), _IOFBF, 4096); char *p = malloc(10); p[0] = 1; p = NULL; puts("ran"); }'
SANITIZED = {
    "address": "gcc -fsanitize=address a.c -o a && ./a",
    "leak": "gcc -fsanitize=leak a.c -o a && ./a",
    "clang": "clang-19 -fsanitize=address,undefined a.c -o a && ./a",
    "own_options": "gcc -fsanitize=address a.c -o a && ASAN_OPTIONS=abort_on_error=1 ./a",
}


@pytest.mark.parametrize("name", CASES)
def test_calls_are_answered_as_by_the_kernel(run, name):
    request, wanted = CASES[name]
    record = run(**request, limits={"wall_ms": 30_000})
    assert (record["stdout"], record["exit_code"]) == (wanted, 0), record["stderr"]


@pytest.mark.parametrize("name", SANITIZED)
def test_sanitizers_run_programs_to_their_end(run, name):
    record = run(shell=SANITIZED[name], files={"a.c": LEAK}, limits={"wall_ms": 30_000, "memory_bytes": 1 << 30})
    assert (record["stdout"], record["exit_code"]) == ("ran\n", 0), record["stderr"]


def test_options_of_sanitizers_are_the_requests_where_it_has_some(run):
    record = run(shell="echo $ASAN_OPTIONS $LSAN_OPTIONS", env={"ASAN_OPTIONS": "a=1", "LSAN_OPTIONS": "b=2"})
    assert record["stdout"] == "a=1 b=2\n"


def test_an_address_that_is_misused_is_still_found(run):
    record = run(shell="gcc -g -fsanitize=address a.c -o a && ./a", limits={"wall_ms": 30_000, "memory_bytes": 1 << 30},
                 files={"a.c": "#include <stdlib.h>\nint main(int n, char **v) { char *p = malloc(1); free(p); return p[n - 1]; }"})
    assert "heap-use-after-free" in record["stderr"] and record["exit_code"] != 0, record["stderr"]

"""Wall time and CPU time."""

import re

from .row import End, Row, python, shell

WALL = {"wall_ms": 1_500}
# From the limit to SIGKILL a second is given, and a slow host takes its time.
AT_WALL = {"wall_ms": (1_500, 30_000), "cpu_ms": (0, 1_200)}

SPIN = "import sys\nprint('on', flush=True)\nwhile True: pass"
# The time is that of hashing: threads that hash run at once.
THREADS = """
import hashlib, threading
for _ in range(2): threading.Thread(target=hashlib.pbkdf2_hmac, args=('sha256', b'x', b'y', 10**9)).start()
print('on', flush=True)
"""
CHILDREN = """
import os, time
print('on', flush=True)
for _ in range(2):
    if os.fork() == 0:
        while True: pass
for _ in range(2): os.wait()
print('done')
"""
# Prints what the kernel counted for it and its child, in ms.
COUNTED = """
import os
def burn(until):
    while sum(os.times()[:2]) < until: pass
if os.fork() == 0:
    burn(0.2)
    os._exit(0)
os.wait()
burn(0.3)
print(round(sum(os.times()[:4]) * 1000))
"""
OWN_CPU_LIMIT = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_CPU, (1, resource.getrlimit(resource.RLIMIT_CPU)[1]))
def told(*_):
    print('caught', flush=True)
    sys.exit(3)
if sys.argv[1] == 'catch': signal.signal(signal.SIGXCPU, told)
print('on', flush=True)
while True: pass
"""
CPU_LIMIT = {"cpu_ms": 400, "cpus": 2, "wall_ms": 60_000}


def counted_is_reported(_, record):
    """The group counts at least what the program saw, and of its end and start no more than a moment."""
    own, reported = int(record["stdout"]), record["usage"]["cpu_ms"]
    assert own - 20 <= reported <= own * 1.5 + 300, (own, reported)


def spun_out(name, request, **groups):
    """At the group's limit as a whole; else each process at its own, which setrlimit(2) counts in whole seconds, two behind."""
    return Row(
        name, request,
        End("cpu_limit", signal=9, stdout="on\n", error="limits.cpu_ms (400 ms)", usage={"cpu_ms": (400, 2_500)}),
        End("cpu_limit", stdout="on\n", usage={"cpu_ms": (1_500, 9_000)}, **groups),
    )


ROWS = [
    Row("wall_sleeper", shell("echo before; exec sleep 600", limits=WALL),
        End("wall_limit", signal=15, stdout="before\n", error="limits.wall_ms (1500 ms)", usage=AT_WALL)),
    Row("wall_ignores_sigterm", shell("trap '' TERM; echo deaf; while :; do sleep 60; done", limits=WALL),
        End("wall_limit", signal=9, stdout="deaf\n", usage={"wall_ms": (2_500, 30_000)})),
    Row("wall_says_goodbye", shell("trap 'echo bye; exit 7' TERM; echo before; sleep 600 & wait", limits=WALL),
        End("wall_limit", exit=7, stdout="before\nbye\n", usage=AT_WALL)),
    Row("wall_exits_0_when_told", shell("trap 'exit 0' TERM; sleep 600 & wait", limits=WALL), End("wall_limit", exit=0)),
    Row("wall_waits_for_a_deaf_child", shell("(trap '' TERM; exec setsid sleep 600) & echo before; wait", limits=WALL),
        End("wall_limit", signal=15, stdout="before\n", usage=AT_WALL)),
    Row("wall_stopped", shell("echo before; kill -STOP $$; echo never", limits=WALL), End("wall_limit", signal=9, stdout="before\n")),
    Row("wall_in_a_terminal", shell("echo before; exec sleep 600", limits=WALL, pty={"cols": 80, "rows": 24}),
        End("wall_limit", signal=15, stdout="before\r\n", usage=AT_WALL)),
    Row("sleep_is_no_cpu_time", shell("sleep 1; echo awake", limits={"cpu_ms": 500}),
        End(stdout="awake\n", usage={"wall_ms": (1_000, 30_000), "cpu_ms": (0, 499)})),
    spun_out("cpu_spinner", python(SPIN, limits=CPU_LIMIT), signal=9),
    spun_out("cpu_of_threads", python(THREADS, limits=CPU_LIMIT), signal=9),
    Row("cpu_of_children", python(CHILDREN, limits=CPU_LIMIT),
        End("cpu_limit", signal=9, stdout="on\n", usage={"cpu_ms": (400, 2_500)}),
        End("cpu_limit", exit=0, stdout="on\ndone\n", usage={"cpu_ms": (3_000, 9_000)})),
    Row("cpu_is_counted", python(COUNTED, limits={"cpus": 2}),
        End(stdout=re.compile(r"\d+\n"), usage={"cpu_ms": (480, 5_000)}, look=counted_is_reported),
        # gVisor counts for itself, also while its host lets it wait.
        whole=End(stdout=re.compile(r"\d+\n"), usage={"cpu_ms": (50, 5_000)})),
    Row("cpu_limit_of_its_own", python(OWN_CPU_LIMIT, "die", limits={"cpus": 2}), End("signaled", signal=24, stdout="on\n")),
    Row("cpu_limit_of_its_own_caught", python(OWN_CPU_LIMIT, "catch", limits={"cpus": 2}), End(exit=3, stdout="on\ncaught\n")),
]

"""Processes and threads."""

from .row import End, Row, python, shell

FORKS = """
import os, sys
children = []
try:
    while len(children) < int(sys.argv[1]):
        pid = os.fork()
        if pid == 0:
            os.read(0, 1)
            os._exit(0)
        children.append(pid)
    print('all')
except BlockingIOError:
    print('refused')
print(len(children))
for pid in children:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
"""
THREADS = """
import threading
threading.stack_size(65536)
done = threading.Event()
count = 0
try:
    while True:
        threading.Thread(target=done.wait, daemon=True).start()
        count += 1
except RuntimeError:
    print('refused', count)
done.set()
"""
OPEN = {"stdin_open": True}

# Twice the CPU time that it can have until the wall limit: without that both would end it at one moment.
BOMB = {"pids": 32, "wall_ms": 2_000, "cpus": 0.5, "cpu_ms": 2_000}

ROWS = [
    Row("pids_met_and_it_goes_on", python(FORKS, 100, limits={"pids": 8}, **OPEN),
        End(stdout="refused\n7\n", hit=["pids"], usage={"pids_peak": (8, 8)}),
        End(stdout="refused\n7\n")),
    Row("pids_exactly_enough", python(FORKS, 7, limits={"pids": 8}, **OPEN),
        End(stdout="all\n7\n", usage={"pids_peak": (8, 8)}),
        End(stdout="all\n7\n")),
    Row("pids_of_threads", python(THREADS, limits={"pids": 16}),
        End(stdout="refused 15\n", hit=["pids"], usage={"pids_peak": (16, 16)}),
        End(stdout="refused 15\n")),
    Row("pids_of_a_fork_bomb", shell("f() { f | f & }; f 2>/dev/null & exec sleep 600", limits=BOMB),
        End("wall_limit", signal=15, hit=["pids"], stderr=None, usage={"pids_peak": (32, 32)}),
        End("wall_limit", signal=15, stderr=None)),
    Row("pids_of_one", python(FORKS, 1, limits={"pids": 1}, **OPEN),
        End(stdout="refused\n0\n", hit=["pids"], usage={"pids_peak": (1, 1)}),
        End(stdout="refused\n0\n")),
]
# Under a fork bomb gVisor's kernel runs out of threads of the host, and ends.
OVER = {"pids_of_a_fork_bomb": [End("wall_limit", signal=15, stderr=None), End("wall_limit", signal=15, hit=["pids"], stderr=None),
                                End("lost", hit=["pids"], stderr=None, error="limits.pids")]}
for row in ROWS:
    row.needs = "pids"
    row.whole = OVER.get(row.name, row.rlimits)

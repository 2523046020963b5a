"""Memory: of the leader, of children, of files, and of all together."""

import re
from dataclasses import replace

from .row import MIB, End, Row, python, shell

LIMITS = {"memory_bytes": 64 * MIB, "disk_bytes": 8 * MIB}
SLACK = 2 * MIB  # what the kernel lets a process have past the limit so that it can die
MOST = (64 + 8) * MIB + SLACK
FULL = {"memory_peak_bytes": (48 * MIB, MOST)}
OWN = 64 * MIB  # more for a kernel of the sandbox's own, and the agent
MEMORY_ERROR = re.compile(r"(?s).*MemoryError\n")

# Takes memory for good, a MiB at a time; `print` first.
HOG = "import sys\nprint('before', flush=True)\nkeep = []\nwhile True: keep.append(b'x' * (1 << 20))"
HOG_QUIET = "keep = []\nwhile True: keep.append(bytes([120]) * (1 << 20))"  # to be quoted
TOUCH = "keep = b'x' * (int(__import__('sys').argv[1]) << 20)\nprint(len(keep) >> 20)"
LINES = """
import os
os.write(1, b''.join(b'%07d\\n' % i for i in range(20000)))
keep = []
while True: keep.append(b'x' * (1 << 20))
"""
FILES = """
import sys
def fill(path, count):
    with open(path, 'wb', 0) as file:
        for _ in range(count): file.write(b'x' * (1 << 20))
fill('/dev/shm/a', 30)
fill('/tmp/b', 30)
print('written', flush=True)
keep = b'x' * (int(sys.argv[1]) << 20)
print('kept')
"""
BROOD = """
import os
print('before', flush=True)
for _ in range(4):
    if os.fork() == 0:
        keep = b'x' * (30 << 20)
        os.read(0, 1)
        os._exit(0)
os.read(0, 1)
print('after')
"""
THEN = f"python3 -c '{HOG_QUIET}' 2>/dev/null; "

ROWS = [
    Row("memory_of_the_leader", python(HOG, limits=LIMITS),
        End("memory_limit", signal=9, hit=["memory"], stdout="before\n", error="limits.memory_bytes (67108864 bytes)", usage=FULL),
        End(exit=1, stdout="before\n", stderr=MEMORY_ERROR)),
    Row("memory_and_all_it_printed", python(LINES, limits=LIMITS),
        End("memory_limit", signal=9, hit=["memory"], stdout="".join(f"{i:07d}\n" for i in range(20000)), usage={"output_bytes": (160_000, 160_000)}),
        End(exit=1, stdout="".join(f"{i:07d}\n" for i in range(20000)), stderr=MEMORY_ERROR)),
    # The group ends as a whole: on cgroup v2 by the kernel, on v1 by the server, which sees it within 50 ms.
    Row("memory_of_a_child_and_the_leader_goes_on", shell("echo before; " + THEN + "sleep 600", limits={**LIMITS, "wall_ms": 8_000}),
        End("memory_limit", signal=9, hit=["memory"], stdout="before\n", stderr=None, usage=FULL),
        End("wall_limit", signal=15, stdout="before\n")),
    # What ended the leader was it itself, unless the group's end was faster.
    Row("memory_of_a_child_and_the_leader_exits", shell(THEN + "exit 0", limits=LIMITS),
        [End(exit=0, hit=["memory"], stderr=None, usage=FULL), End("memory_limit", signal=9, hit=["memory"], stderr=None, usage=FULL)],
        End(exit=0)),
    Row("memory_that_fits", python(TOUCH, 40, limits=LIMITS),
        End(stdout="40\n", usage={"memory_peak_bytes": (40 * MIB, MOST)})),
    Row("memory_of_many_children", python(BROOD, limits={**LIMITS, "wall_ms": 15_000}, stdin_open=True),
        End("memory_limit", signal=9, hit=["memory"], stdout="before\n", usage=FULL),
        # Each process has a limit of its own there, and none of them reaches it.
        End("wall_limit", signal=15, stdout="before\n")),
    # Files lie in memory: the group holds memory_bytes and disk_bytes together, whichever of them is used.
    Row("memory_of_files_is_the_disks", python(FILES, 1, limits={"memory_bytes": 24 * MIB, "disk_bytes": 80 * MIB}),
        End(stdout="written\nkept\n", usage={"memory_peak_bytes": (61 * MIB, 104 * MIB + SLACK)}),
        End(stdout="written\nkept\n")),
    Row("memory_beyond_with_no_files", python(TOUCH, 90, limits={"memory_bytes": 64 * MIB, "disk_bytes": 64 * MIB}),
        End(stdout="90\n", usage={"memory_peak_bytes": (90 * MIB, 128 * MIB + SLACK)}),
        End(exit=1, stderr=MEMORY_ERROR)),
    Row("memory_of_files_and_of_its_own", python(FILES, 90, limits={"memory_bytes": 64 * MIB, "disk_bytes": 64 * MIB}),
        End("memory_limit", signal=9, hit=["memory"], stdout="written\n", usage={"memory_peak_bytes": (100 * MIB, 128 * MIB + SLACK)}),
        End(exit=1, stdout="written\n", stderr=MEMORY_ERROR)),
]


MISSING = "; its sandbox did not tell its end, so the last of its output may be missing"


def over(stdout, memory=72 * MIB):
    """The sandbox ends as a whole, its kernel and the agent with it."""
    return End("memory_limit", hit=["memory"], stdout=stdout, error=MISSING, usage={"memory_peak_bytes": (memory // 2, memory + OWN + SLACK)})


def over_at_once(stdout):
    """The same right after the output: what the agent had not read by then is lost, and nothing else. test_containers.py has what was read."""
    def beginning(_, record):
        assert stdout.startswith(record["stdout"]), record["stdout"][-100:]

    return replace(over(None), look=beginning)


def all_told(_, record):
    assert MISSING not in record["error"], record["error"]


WHOLE = {
    "memory_of_the_leader": over_at_once("before\n"),
    "memory_and_all_it_printed": over_at_once("".join(f"{i:07d}\n" for i in range(20000))),
    # Where the host's kernel ends another process of the sandbox's than its kernel, that one still tells the leader's end.
    "memory_of_a_child_and_the_leader_goes_on": [over("before\n"),
                                                 replace(over("before\n"), signal=9, stderr=None, error="", look=all_told)],
    "memory_of_a_child_and_the_leader_exits": over(""),
    "memory_that_fits": End(stdout="40\n", usage={"memory_peak_bytes": (40 * MIB, MOST + OWN)}),
    "memory_of_many_children": over("before\n"),
    "memory_of_files_is_the_disks": End(stdout="written\nkept\n", usage={"memory_peak_bytes": (61 * MIB, 104 * MIB + OWN + SLACK)}),
    "memory_beyond_with_no_files": End(stdout="90\n", usage={"memory_peak_bytes": (90 * MIB, 128 * MIB + OWN + SLACK)}),
    # Within what the kernel is given, unless it takes that itself.
    "memory_of_files_and_of_its_own": [End(stdout="written\nkept\n", usage={"memory_peak_bytes": (100 * MIB, 128 * MIB + OWN + SLACK)}),
                                       over("written\n", 128 * MIB)],
}
for row in ROWS:
    row.needs = "memory"
    row.whole = WHOLE[row.name]

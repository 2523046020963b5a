"""Programs of a ready sandbox: a process waits there in the execution's group and becomes the program, whatever that is. Nothing that a program
can see or do, and nothing in its record, tells it from one that was started cold."""

import os
import re
import signal
from pathlib import Path

import pytest

from harness.comparison import check_same, cold_and_ready, first_that, ready
from harness.containers import PYTHON
from harness.leaks import process_table
from harness.server import pool_of
from harness.waiting import until

WAITS = "caisson-waits"
# All that a shell can tell of its start, but for numbers of processes.
LOOK = r"""
echo "$0" "$#" "$@"; pwd; umask; env | grep -v EXECUTION_ID | sort; ls /proc/self/fd | wc -l; ls -A . /tmp /dev/shm
set -- $(cat /proc/$$/stat); echo "session $(( $6 == $$ )) group $(( $5 == $$ )) nice ${19} terminal $(( $7 != 0 ))"
grep -E '^(SigBlk|SigIgn|SigCgt|Cap|NoNewPrivs|Seccomp|Threads|TracerPid)' /proc/self/status
cat /proc/$$/limits /proc/$$/oom_score_adj; set -- /proc/[0-9]*; echo "processes $#"
for each in 0 1 2; do readlink /proc/$$/fd/$each | sed 's/[0-9]*\]$//'; done
[ -t 0 ] && stty -a < /dev/tty; cat; echo said >&2; exit 3
"""
PDEATH = ("import ctypes\nsignal = ctypes.c_int()\nctypes.CDLL(None).prctl(2, ctypes.byref(signal))\n"
          "print(signal.value, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))")
PROGRAMS = {
    "shell": {"shell": LOOK, "stdin": "given\nmore"},
    "arguments": {"command": ["bash", "-c", LOOK, "name", "", "two words", "ü", "*"]},
    "environment": {"shell": "env | grep -v EXECUTION_ID", "env": {"A": "b", "LINES": "a\nb", "PATH": "/bin:/usr/bin"}},
    "directory": {"shell": "pwd; ls", "cwd": "sub", "files": {"sub/x": "text"}},
    "own_script": {"command": ["sh", "run.sh"], "files": {"run.sh": "echo ran"}},
    "limits": {"shell": "ulimit -a; exec true", "limits": {"open_files": 77, "file_bytes": 1 << 20, "pids": 6}},
    "one_process": {"command": ["true"], "limits": {"pids": 1}},
    "terminal": {"shell": LOOK, "pty": {"cols": 91, "rows": 17}},
    "exit": {"command": ["sh", "-c", "exit 77"]},
    "signalled": {"command": ["sh", "-c", "kill -SEGV $$"]},
    "death_signal": {"command": ["python3", "-c", PDEATH]},
    "descendants": {"shell": "sleep 0.6 & (sleep 0.3; echo late) & echo first; wait"},
    "large_arguments": {"command": ["sh", "-c", "echo $#; printf %s \"$@\" | wc -c", "sh", *["x" * 60_000] * 2]},
    "stopped_by_time": {"shell": "trap 'echo asked; exit 4' TERM; sleep 5 & wait", "limits": {"wall_ms": 1_500}},
    "no_such_program": {"command": ["no-such-program"]},
    "a_directory": {"command": ["/usr"]},
    "not_executable": {"command": ["./run.sh"], "files": {"run.sh": "#!/no/such\n"}},
    "no_such_directory": {"command": ["true"], "cwd": "missing"},
}
HOST_PROGRAMS = {
    "static": {"command": ["busybox", "sh", "-c", "echo $0 $1; exit 6", "a", "b"]},
    "node": {"language": "javascript", "code": "console.log(process.argv.slice(2), process.stdin.isTTY, process.cwd()); process.exit(9)"},
    "compiled": {"language": "c", "code": "#include <stdio.h>\nint main(void) { puts(\"OK\"); return 8; }"},
}


def groups_of(pid, server):
    """Those of the server's control groups in which it is, without the one that all sandboxes share (blkio of cgroup v1)."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return []
    found = [line.split(":", 2) for line in lines]
    return [path for _, controllers, path in found if server.instance() in path and controllers != "blkio"]


def waiting(server):
    """Its processes that wait for their program."""
    return {pid for pid, (_, state, name) in process_table().items() if name == WAITS and state != "Z" and groups_of(pid, server)}


def warm(server, **request):
    """The record of a run by what waited."""
    return first_that(lambda record: "claim_ms" in record["stages"], server, **request)


@pytest.fixture(scope="module", params=["bubblewrap", "docker"])
def both(request, contract):
    """A server that makes each sandbox for its program, and one that has them ready."""
    with cold_and_ready(request.param, contract, request.getfixturevalue, {**pool_of(0), "CAISSON_POOL_MAX": "2"}) as servers:
        yield request.param, *servers


@pytest.fixture
def pooled(new_server):
    server = new_server(**pool_of(1))
    until(lambda: ready(server) == 1, what="a ready sandbox")
    return server


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_sees_and_how_it_ends(both, name):
    runtime, cold, pool = both
    request = {**PROGRAMS[name], **({"image": PYTHON} if runtime == "docker" else {})}
    expected = cold.api.run(**request)
    record = warm(pool, **request)
    check_same(record, expected)
    assert record["stages"].keys() - {"claim_ms"} == expected["stages"].keys() - {"start_ms", "agent_ms"}
    assert "interpreter" not in record["stages"]


@pytest.mark.parametrize("name", HOST_PROGRAMS)
@pytest.mark.parametrize("both", ["bubblewrap"], indirect=True)
def test_programs_of_this_host(both, name):
    _, cold, pool = both
    check_same(warm(pool, **HOST_PROGRAMS[name]), cold.api.run(**HOST_PROGRAMS[name]))


def test_what_waited_is_the_program_and_in_its_group(both):
    runtime, _, pool = both
    request = {"command": ["sleep", "30"], **({"image": PYTHON} if runtime == "docker" else {})}
    warm(pool, command=["true"])
    before = until(lambda: waiting(pool), what="a process that waits")
    one = pool.api.start(**request)
    became = until(lambda: [pid for pid in before if process_table().get(pid, ("", "", ""))[2] == "sleep"], what="its process")
    own = groups_of(became[0], pool)
    assert own and all(re.search(r"/sbx_[0-9a-z]{26}(/work)?$", path) for path in own), "where only limits are set it is the sandbox's own"
    pool.api.cancel(one)
    assert pool.api.ended(one)["status"] == "cancelled"


def test_what_it_uses_is_counted(pooled):
    record = warm(pooled, command=["python3", "-c", "x = bytearray(50 << 20)\nfor i in range(3000000): pass"])
    assert record["usage"]["memory_peak_bytes"] > 50 << 20
    assert record["usage"]["cpu_ms"] > 0
    until(lambda: ready(pooled) == 1, what="a ready sandbox")
    little = warm(pooled, command=["true"])
    assert little["usage"]["cpu_ms"] < 100
    assert little["usage"]["memory_peak_bytes"] < 8 << 20


def test_one_that_is_killed_while_it_waits(pooled):
    for pid in waiting(pooled):
        os.kill(pid, signal.SIGKILL)
    record = pooled.api.run(shell="echo fine")
    assert "claim_ms" in record["stages"]
    assert record["stdout"] == "fine\n"


def test_one_that_is_stopped_while_it_waits(pooled):
    """It is given up after a while, and nothing of the program ran."""
    for pid in waiting(pooled):
        os.kill(pid, signal.SIGSTOP)
    record = pooled.api.run(shell="echo once >> file; cat file", limits={"wall_ms": 20_000})
    assert "claim_ms" in record["stages"]
    assert record["stdout"] == "once\n"


def test_nothing_waits_when_the_server_has_stopped(pooled):
    assert waiting(pooled)
    pooled.stop()
    assert not waiting(pooled)

"""Programs that misbehave in one way each: the right verdict, nothing left behind (the fixture looks), the next run unaffected."""

import os
import time
from pathlib import Path

import pytest

from harness.leaks import descendants, process_table


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def next_run_is_fine(api):
    assert api.run(command=["echo", "ok"])["stdout"] == "ok\n"


def test_the_wall_limit_ends_a_sleeper(api):
    began = time.monotonic()
    record = api.run(command=["sleep", "600"], limits={"wall_ms": 500})
    assert (record["status"], record["verdict"]) == ("timeout", "wall_limit") and "500" in record["error"]
    assert 450 <= record["duration_ms"] < 5_000 and time.monotonic() - began < 15
    next_run_is_fine(api)


def test_the_wall_limit_ends_one_that_ignores_sigterm(api):
    record = api.run(shell="trap '' TERM; echo deaf; while :; do sleep 60; done", limits={"wall_ms": 1_500})
    assert record["verdict"] == "wall_limit" and record["status"] == "timeout" and record["stdout"] == "deaf\n"


def test_what_it_said_on_sigterm_is_kept(api):
    record = api.run(shell="trap 'echo cleaning up; exit 0' TERM; sleep 600 & wait", limits={"wall_ms": 1_500})
    assert record["verdict"] == "wall_limit" and record["stdout"] == "cleaning up\n"


def test_cancel_ends_one_that_ignores_everything(api):
    one = api.start(shell="trap '' TERM INT HUP QUIT; echo deaf; while :; do sleep 60; done")
    next(e for e in api.follow(one) if e["kind"] == "output")
    api.cancel(one)
    assert api.ended(one)["verdict"] == "cancelled"


def test_the_cpu_limit_ends_a_spinner(api, runtime):
    record = api.run(shell="while :; do :; done", limits={"cpu_ms": 300, "wall_ms": 20_000, "cpus": 1})
    if runtime["execution_usage"]:
        assert (record["status"], record["verdict"]) == ("timeout", "cpu_limit"), record
        assert 300 <= record["usage"]["cpu_ms"] < 3_000
    else:
        assert record["verdict"] in ("cpu_limit", "signaled", "wall_limit") and record["degraded"]


def test_a_grandchild_that_holds_stdout_does_not_hold_the_run(api):
    began = time.monotonic()
    record = api.run(shell="sleep 600 & echo leader done", limits={"wall_ms": 30_000})
    assert record["status"] == "success" and record["stdout"] == "leader done\n"
    assert time.monotonic() - began < 15


def test_a_daemon_that_left_its_session_ends_with_the_run(api):
    record = api.run(language="python", code="""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2): os.close(fd)
        time.sleep(600)
    os._exit(0)
os.wait()
print("left")
""")
    assert record["status"] == "success" and record["stdout"] == "left\n"


def test_closing_stdout_early_is_no_end(api):
    record = api.run(shell="exec 1>&-; echo still here >&2; exit 5")
    assert record["exit_code"] == 5 and record["stderr"] == "still here\n"
    one = api.start(shell="exec 1>&- 2>&-; read x; exit 6", stdin_open=True)
    assert api.show(one, wait_ms=300)["status"] in ("queued", "running")
    api.stdin(one, "\n")
    assert api.ended(one)["exit_code"] == 6


def test_a_terminal_that_nobody_holds_open_is_no_end(api):
    record = api.run(shell="exec <&- >&- 2>&-; sleep 0.1; echo again >/dev/tty; sleep 0.1; exit 7", pty={})
    assert (record["verdict"], record.get("exit_code"), record["stdout"]) == ("exited", 7, "again\r\n"), record
    for _ in range(10):    # it closes its terminal, and then ends
        assert api.run(command=["cat"], pty={}, limits={"wall_ms": 10_000})["verdict"] == "exited"


def test_a_program_that_never_reads_its_input(api):
    record = api.run(command=["true"], stdin="x" * 10_000_000)
    assert record["status"] == "success"


def test_a_fork_bomb_meets_the_pids_limit(api, runtime):
    record = api.run(shell="f() { f | f & }; f; sleep 600", limits={"wall_ms": 3_000, "pids": 64})
    assert record["status"] in ("timeout", "success", "failed")
    if runtime["enforces"]["pids"]:
        assert "pids" in record["limits_hit"] and record["usage"]["pids_peak"] <= 64 + 1
    else:
        assert "pids" in record["degraded"]
    next_run_is_fine(api)


def test_four_gigabytes_meet_the_memory_limit(api, runtime):
    if not runtime["enforces"]["memory"]:
        assert any("memory" in each["control"] for each in runtime["degraded"])
        return
    record = api.run(language="python", code="x = bytearray(4 << 30)\nprint(len(x))", limits={"memory_bytes": 128 << 20})
    assert (record["status"], record["verdict"]) == ("failed", "memory_limit") and "memory" in record["limits_hit"]
    assert record["stdout"] == "" and "134217728" in record["error"]
    next_run_is_fine(api)


def test_memory_is_told_from_a_kill_by_hand(api):
    record = api.run(shell="kill -KILL $$")
    assert record["verdict"] == "signaled" and record["limits_hit"] == []


def test_a_child_that_dies_of_memory_is_told(api, runtime):
    if not runtime["enforces"]["memory"]:
        return
    record = api.run(shell="python3 -c 'x = bytearray(4 << 30)'; echo after $?", limits={"memory_bytes": 128 << 20})
    assert "memory" in record["limits_hit"]


def test_a_full_disk_is_not_the_end_of_memory(api, runtime):
    record = api.run(shell="head -c 50000000 /dev/zero > big; echo status $?", limits={"disk_bytes": 8 << 20, "file_bytes": 8 << 20})
    assert record["status"] == "success" and "status 1" in record["stdout"], record
    assert record["verdict"] == "exited" and "memory" not in record["limits_hit"]
    if runtime["enforces"]["disk"]:
        record = api.run(shell="for i in 1 2 3 4; do head -c 4000000 /dev/zero > f$i || echo full; done", limits={"disk_bytes": 8 << 20})
        assert "full" in record["stdout"] and "disk" in record["limits_hit"]


def test_too_many_files_meet_the_inode_limit(api, runtime):
    record = api.run(shell="i=0; while [ $i -lt 500 ] && : > f$i; do i=$((i+1)); done 2>/dev/null; echo $i", limits={"inodes": 100})
    if runtime["enforces"]["disk"]:
        assert int(record["stdout"]) <= 100 and "inodes" in record["limits_hit"]


def test_a_file_has_a_largest_size(api):
    record = api.run(shell="trap '' XFSZ; head -c 5000000 /dev/zero > big; wc -c < big", limits={"file_bytes": 1 << 20})
    assert record["stdout"].strip() == str(1 << 20)


def test_open_files_are_bounded(api):
    record = api.run(language="python", code="""
import os
n = 0
try:
    while True: os.open("/dev/null", 0); n += 1
except OSError: print(n)
""", limits={"open_files": 64})
    assert 32 < int(record["stdout"]) < 64


def test_the_processes_of_a_sandbox_see_only_themselves(api):
    record = api.run(shell="ls -d /proc/[0-9]* | wc -l; cat /proc/1/comm")
    count, name = record["stdout"].split()
    assert int(count) <= 5 and "agent" in name


ISOLATION = [
    ("no_network", "import socket\ntry: socket.create_connection(('127.0.0.1', PORT), 2); print('REACHED')\nexcept OSError: print('fine')", "fine\n"),
    ("no_capabilities", "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('Cap')])", "['" + "', '".join(["0" * 16] * 5) + "']\n"),
    ("no_new_privileges", "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('NoNewPrivs')])", "['1']\n"),
    ("filtered_calls", "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('Seccomp:')])", "['2']\n"),
    ("root_is_read_only", "import errno\nfor p in ('/x', '/etc/x', '/usr/x', '/dev/x', '/proc/sys/kernel/core_pattern'):\n    try: open(p, 'w'); print('WROTE', p)\n    except OSError as e: pass\nprint('fine')", "fine\n"),
    ("no_host_files", "import os\nprint([p for p in ('/root', '/home', '/var', '/srv', '/work', '/sys/fs') if os.path.exists(p) and os.listdir(p)])", "[]\n"),
    ("no_new_user_namespace", "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))", "-1\n"),
    ("no_ptrace_of_the_agent", "import ctypes\nprint(ctypes.CDLL(None).ptrace(16, 1, 0, 0))", "-1\n"),
]


@pytest.mark.parametrize("code, wanted", [pytest.param(c, w, id=n) for n, c, w in ISOLATION])
def test_isolation(api, code, wanted):
    record = api.run(language="python", code=code.replace("PORT", str(api.address[1])))
    assert record["stdout"] == wanted, (record["stdout"], record["stderr"])


def test_nothing_of_a_sandbox_is_root_on_the_host(server):
    one = server.api.start(command=["cat"], stdin_open=True)
    server.api.stdin(one, "x")
    next(e for e in server.api.follow(one) if e["kind"] == "output")
    ours = [pid for pid in descendants(server.pid, process_table()) if name_of(pid) == "cat"]
    uids = [int(line.split()[1]) for pid in ours for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("Uid:")]
    assert len(uids) == 1 and 0 not in uids
    assert os.getuid() != 0 or uids[0] > 65_536, "as root each sandbox has a host uid of its own"
    server.api.stdin(one, "", eof=True)
    server.api.ended(one)


def test_the_agent_cannot_be_killed_from_inside(api):
    record = api.run(shell="kill -KILL 1; kill -STOP 1; kill -TERM 1; echo alive")
    assert record["stdout"] == "alive\n" and record["status"] == "success"


def test_sixteen_at_once(api):
    ids = [api.start(shell=f"echo {i}; exit {i}") for i in range(16)]
    for i, one in enumerate(ids):
        record = api.ended(one)
        assert (record["stdout"], record["exit_code"]) == (f"{i}\n", i)

"""The same server without rights. What the kernel does not let it enforce is said, not hidden."""

import os

import pytest

from harness import events as tools
from harness.leaks import Baseline


@pytest.fixture
def server(ordinary_server, request):
    ordinary_server.api.run(command=["true"])
    before = Baseline(ordinary_server)
    yield ordinary_server
    if request.node.report_call.passed:
        before.compare()


def test_it_runs_and_says_what_is_degraded(server):
    assert os.stat(f"/proc/{server.pid}").st_uid != 0
    record = server.api.run(language="python", code="print('hello')", files={"a/b": "c"}, stdin="x")
    assert record["stdout"] == "hello\n", record
    answer = server.api.get("/v1/runtimes").value
    host = next(each for each in answer["items"] if each["name"] == answer["default"])
    assert host["available"] and host["isolates"]
    assert set(record["degraded"]) == {each["control"] for each in host["degraded"]}
    for control, enforced in host["enforces"].items():
        assert enforced or control in {each["control"] for each in host["degraded"]}, control
    for each in host["degraded"]:
        assert each["reason"] and each["remedy"], each


def test_the_wall_limit_cancel_and_signals_hold(server):
    record = server.api.run(shell="trap '' TERM; while :; do sleep 60; done", limits={"wall_ms": 500})
    assert record["verdict"] == "wall_limit"
    one = server.api.start(shell="trap '' TERM; echo on; while :; do sleep 60; done")
    next(e for e in server.api.follow(one) if e["kind"] == "output")
    server.api.cancel(one)
    assert server.api.ended(one)["verdict"] == "cancelled"


def test_what_the_leader_leaves_behind_ends(server):
    record = server.api.run(shell="sleep 600 & setsid sleep 601 & echo leader")
    assert record["stdout"] == "leader\n"


def test_disk_and_files_are_bounded(server):
    record = server.api.run(shell="head -c 50000000 /dev/zero > big; echo status $?", limits={"disk_bytes": 8 << 20, "file_bytes": 8 << 20})
    assert "status 1" in record["stdout"] and record["verdict"] == "exited"


def test_a_fork_bomb_ends(server):
    record = server.api.run(shell="f() { f | f & }; f; sleep 600", limits={"wall_ms": 3_000, "pids": 64})
    assert record["status"] in ("timeout", "failed", "success")
    assert server.api.run(command=["echo", "ok"])["stdout"] == "ok\n"


def test_runs_go_on_over_a_restart(server):
    one = server.api.start(shell="echo before; read x; echo after $x", stdin_open=True)
    next(e for e in server.api.follow(one) if e["kind"] == "output")
    server.restart()
    server.api.stdin(one, "now\n", eof=True)
    assert server.api.ended(one)["stdout"] == "before\nafter now\n"
    assert tools.joined(server.api.log(one)) == b"before\nafter now\n"


def test_the_command_line_works(server):
    done = server.cli("run", "-l", "python", "-c", "print(6 * 7)")
    assert (done.returncode, done.stdout) == (0, b"42\n"), done.stderr
    doctor = server.cli("doctor", "--data", server.data)
    assert doctor.returncode == 0 and b"bubblewrap" in doctor.stdout, doctor

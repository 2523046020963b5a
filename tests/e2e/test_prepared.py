"""Sandboxes that are prepared before they are asked for: taken by runs for which none is ready, as good as others, and gone with their server."""

import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.leaks import named_directories
from harness.server import BINARY, ORDINARY_USER, prepared
from harness.waiting import until

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root: control groups and uids of sandboxes")


def count(server):
    return server.kept_sandboxes()[1]


def full(server, number):
    until(lambda: count(server) == number, what=f"{number} prepared sandboxes")


def names(server):
    """Of all sandboxes of which something is on the host."""
    found = named_directories([server.folder, *server.run_folders(), "/sys/fs/cgroup"])
    return {part for path in found if server.instance() in path or str(server.folder) in path for part in path.split("/") if part.startswith("sbx_")}


@pytest.fixture
def preparing(new_server):
    server = new_server(**prepared(4))
    full(server, 4)
    return server


def test_runs_take_them_and_others_come(preparing):
    waiting = names(preparing)
    assert len(waiting) == 4
    for _ in range(6):
        record = preparing.api.run(shell="cat /tmp/x x 2>/dev/null; echo y | tee /tmp/x x; id -u", limits={"memory_bytes": 64 << 20})
        assert record["stdout"] == "y\n1000\n" and "start_ms" in record["stages"]
    full(preparing, 4)
    until(lambda: len(names(preparing)) == 4, what="the end of all that was used")
    assert not names(preparing) & waiting, "each was used, the oldest first"


def test_as_many_are_prepared_as_were_asked_for_lately(new_server):
    server = new_server(**prepared(12))
    full(server, 4)
    with ThreadPoolExecutor(20) as clients:
        assert all(record["status"] == "success" for record in clients.map(lambda _: server.api.run(command=["true"]), range(20)))
    until(lambda: count(server) > 4, what="more than the least")
    assert count(server) <= 12


@needs_root
def test_limits_are_those_of_the_run(preparing):
    allocate = "import sys\nx = bytearray(int(sys.argv[1]) << 20)\nprint('had it')"

    def run(megabytes, limit):
        body = {"command": ["/usr/bin/python3", "-c", allocate, str(megabytes)], "limits": {"memory_bytes": limit << 20, "disk_bytes": 1 << 20}}
        return preparing.api.run(**body)

    usual = 512    # MiB
    assert run(usual // 4, usual // 8)["verdict"] == "memory_limit"
    assert run(usual + 64, usual + 256)["stdout"] == "had it\n"
    record = preparing.api.run(shell="for i in $(seq 20); do sleep 5 & done; wait", limits={"pids": 5, "wall_ms": 2_000})
    assert "pids" in record["limits_hit"]


@needs_root
def test_what_a_killed_server_had_prepared_is_swept(preparing):
    left = names(preparing)
    preparing.process.send_signal(signal.SIGKILL)
    preparing.process.wait()
    preparing.process = None
    assert names(preparing) == left
    preparing.start()
    full(preparing, 4)
    until(lambda: not names(preparing) & left, what="the sweep")
    assert preparing.api.run(shell="echo well")["stdout"] == "well\n"
    full(preparing, 4)
    until(lambda: len(names(preparing)) == 4, what="the end of the one that was used")


def test_a_server_that_stops_leaves_none(preparing):
    preparing.stop()
    assert names(preparing) == set()


def test_one_that_somebody_removed_is_not_used(preparing):
    for top in filter(Path.exists, preparing.run_folders()):
        for each in top.iterdir():
            shutil.rmtree(each)
    for _ in range(5):
        assert preparing.api.run(shell="echo well")["stdout"] == "well\n"
    full(preparing, 4)
    until(lambda: len(names(preparing)) == 4, what="the end of all that was spoiled")


def test_an_ordinary_user_has_them_too(new_server):
    server = new_server(user=ORDINARY_USER, **prepared(4))
    full(server, 4)
    assert server.api.run(shell="echo well")["stdout"] == "well\n"
    full(server, 4)


def test_few_uids_are_left_to_what_runs(new_server):
    server = new_server("--set", "runtimes.bubblewrap.uid_count=7", **prepared(4))
    assert server.api.run(shell="echo well")["stdout"] == "well\n"
    assert count(server) == 0


@pytest.mark.parametrize("value, words", [("257", "from 0 to 256"), ("-1", "from 0 to 256"), ("many", "an integer")])
def test_a_wrong_number_is_named(tmp_path, value, words):
    done = subprocess.run([BINARY, "serve", "--data", tmp_path / "data", "--set", f"runtimes.bubblewrap.max_prepared={value}"],
                          capture_output=True, timeout=30, cwd="/")
    assert done.returncode != 0
    assert b"runtimes.bubblewrap.max_prepared" in done.stderr and words.encode() in done.stderr, done.stderr

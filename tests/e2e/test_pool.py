"""Sandboxes that are kept ready: used once each, bounded, replaced, and gone with their server."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.containers import BASH, PYTHON, ContainerServer
from harness.leaks import control_groups, descendants, named_directories, process_table
from harness.server import new_folder, pool_of
from harness.waiting import until


def ready(server, runtime=None):
    return sum(each["ready_sandboxes"] for each in server.api.get("/v1/runtimes")["items"] if runtime in (None, each["name"]))


def full(server, count, runtime=None):
    until(lambda: ready(server, runtime) == count, what=f"{count} ready sandboxes")


def some(server, runtime):
    """How many follows from how fast they were asked for."""
    until(lambda: ready(server, runtime) > 0, what="a ready sandbox")


def from_pool(record):
    stages = record["stages"]
    assert ("claim_ms" in stages) != ("start_ms" in stages)
    return "claim_ms" in stages


def agents(server):
    table = process_table()
    return sorted(pid for pid in descendants(server.pid, table) if pid in table and table[pid][2] in ("agent", "caisson-agent"))


def traces(server):
    found = named_directories([server.folder, *server.run_folders(), "/sys/fs/cgroup"])
    return {path for path in found if server.instance() in path or str(server.folder) in path}


@pytest.fixture
def pooled(new_server):
    server = new_server(**pool_of(3))
    full(server, 3)
    return server


def test_each_is_used_once(pooled):
    write = "cat leftover /tmp/leftover /dev/shm/leftover 2>/dev/null; echo x | tee leftover /tmp/leftover /dev/shm/leftover; env | grep -c LEFT"
    seen = set()
    for _ in range(6):
        full(pooled, 3)
        record = pooled.api.run(shell=write)
        assert from_pool(record)
        assert record["stdout"] == "x\n0\n"
        seen.add(record["execution_id"])
    assert len(seen) == 6
    full(pooled, 3)


def test_limits_are_those_of_the_request(pooled):
    full(pooled, 3)
    memory = pooled.api.run(language="python", code="x = bytearray(400 << 20)", limits={"memory_bytes": 64 << 20})
    assert from_pool(memory)
    assert (memory["status"], memory["verdict"]) == ("failed", "memory_limit")
    pids = pooled.api.run(shell="for i in $(seq 20); do sleep 5 & done; wait", limits={"pids": 5, "wall_ms": 2_000})
    assert from_pool(pids)
    assert "pids" in pids["limits_hit"]
    more = pooled.api.run(language="python", code="x = bytearray(900 << 20); print(len(x))", limits={"memory_bytes": 1 << 30})
    assert from_pool(more)
    assert more["stdout"] == f"{900 << 20}\n"
    less_cpu = pooled.api.run(shell="exit 3", limits={"cpus": 0.1})
    more_cpu = pooled.api.run(shell="exit 4", limits={"cpus": 2})
    assert from_pool(less_cpu) and less_cpu["exit_code"] == 3
    assert from_pool(more_cpu) and more_cpu["exit_code"] == 4


def test_another_disk_is_not_served_by_it(pooled):
    record = pooled.api.run(shell="head -c 3000000 /dev/zero > big; ls -l big", limits={"disk_bytes": 2 << 20})
    assert not from_pool(record)
    assert "disk" in record["limits_hit"]


def test_many_at_once(pooled):
    with ThreadPoolExecutor(16) as pool:
        records = list(pool.map(lambda number: pooled.api.run(shell=f"echo {number}"), range(40)))
    assert [record["stdout"] for record in records] == [f"{number}\n" for number in range(40)]
    full(pooled, 3)


def test_one_that_is_killed_is_replaced(pooled):
    before = agents(pooled)
    os.kill(before[0], signal.SIGKILL)
    until(lambda: before[0] not in agents(pooled) and len(agents(pooled)) == len(before), what="another agent")
    full(pooled, 3)
    assert from_pool(pooled.api.run(shell="true"))


def test_nothing_is_left_when_the_server_stops(pooled):
    assert traces(pooled)
    pooled.stop()
    assert not traces(pooled)


def test_what_a_killed_server_kept_is_swept(pooled):
    running = pooled.api.start(shell="sleep 3; echo survived")
    full(pooled, 3)
    before = traces(pooled)
    pooled.kill()
    pooled.start()
    full(pooled, 3)
    assert pooled.api.ended(running)["stdout"] == "survived\n"
    full(pooled, 3)
    until(lambda: not before & traces(pooled), what="the end of what the killed server kept")
    pooled.stop()
    assert not traces(pooled)


def test_it_can_be_switched_off(new_server):
    server = new_server()
    assert not from_pool(server.api.run(shell="true"))
    assert not from_pool(server.api.run(shell="true"))
    assert ready(server) == 0


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
def test_containers(contract, engine, images, runtime):
    with new_folder() as folder:
        server = ContainerServer(folder, contract, engine, runtime, env={**pool_of(0), "CAISSON_POOL_MAX": "2"})
        try:
            server.start()
            first, second = (server.api.run(shell="echo hi") for _ in range(2))
            assert not from_pool(first)
            some(server, runtime)
            third = server.api.run(shell="cat leftover; echo hi | tee leftover")
            assert from_pool(third)
            assert third["stdout"] == "hi\n"
            assert third["image"] == PYTHON
            assert third["image_digest"] == second["image_digest"]
            some(server, runtime)
            killed = set(server.containers())
            server.kill()
            server.start()
            until(lambda: not killed & set(server.containers()), what="the end of what the killed server kept")
            server.stop()
            assert not server.containers()
        finally:
            server.discard()


MOVED = "caisson-moved:1"


def test_the_next_run_is_in_what_a_name_stands_for_by_then(contract, engine, images):
    """Also where containers of the image before are ready, and the name was looked up a moment ago."""
    with new_folder() as folder:
        server = ContainerServer(folder, contract, engine, "docker", allowed=[MOVED], env={**pool_of(0), "CAISSON_POOL_MAX": "4"})

        def run():
            return server.api.run(command=["/bin/sh", "-c", "exit 0"], image=MOVED)

        try:
            engine.docker("tag", PYTHON, MOVED)
            server.start()
            first = [run() for _ in range(2)][1]
            some(server, "docker")
            second = run()
            assert from_pool(second)
            engine.docker("tag", BASH, MOVED)
            third = run()
            assert first["image_digest"] == second["image_digest"] != third["image_digest"]
            engine.docker("rmi", MOVED)
            fourth = run()
            assert fourth["status"] == "failed" and fourth["verdict"] != "exited"
            server.stop()
        finally:
            engine.docker("rmi", MOVED, check=False)
            server.discard()

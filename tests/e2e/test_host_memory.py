"""The host's memory: no more is promised than the bound says, all sandboxes together have a limit, and where the kernel ends a program for
want of memory elsewhere, its end says so."""

import os
import re
from pathlib import Path

import pytest

from harness.leaks import files_of_groups
from harness.waiting import until

MIB = 1 << 20
FEW = ("--set", f"executions.max_memory_bytes={1024 * MIB}")
# Takes so much and says so, then more when it is told.
TAKES = """
import sys
kept = [bytearray(20 << 20)]
print("has", flush=True)
sys.stdin.readline()
kept.append(bytearray(60 << 20))
print("has more", flush=True)
"""


def asking(memory, disk=16):
    return {"memory_bytes": memory * MIB, "disk_bytes": disk * MIB, "wall_ms": 60_000}


def status(api, one):
    return api.show(one)["status"]


def test_what_does_not_fit_waits_its_turn(new_server):
    api = new_server(*FEW, "--set", "executions.max_running=8").api
    first, second = (api.start(command=["cat"], stdin_open=True, limits=asking(300, 200)) for _ in range(2))
    third = api.start(shell="echo third", limits=asking(64))
    shown = api.show(third)
    assert shown["queue_position"] == 1 and "executions.max_memory_bytes" in shown["waits_for"]
    until(lambda: status(api, first) == status(api, second) == "running")
    assert status(api, third) == "queued"
    api.stdin(first, "", eof=True)
    assert api.ended(third)["stdout"] == "third\n"
    assert status(api, second) == "running"
    api.cancel(second)


def test_what_never_fits_is_refused_by_name(new_server):
    api = new_server(*FEW).api
    most = 1024 // 3 * MIB
    for limit in ("memory_bytes", "disk_bytes"):
        refused = api.post("/v1/executions", {"command": ["true"], "limits": {limit: most + 1}})
        assert refused.status == 400 and f"limits.{limit}" in refused.value["message"] and str(most) in refused.value["message"]
        assert api.run(command=["true"], limits={limit: most})["status"] == "success"


def test_by_default_it_follows_from_the_hosts(new_server):
    api = new_server(CAISSON_EXECUTIONS_MAX_MEMORY_BYTES="").api
    of_host = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    refused = api.post("/v1/executions", {"command": ["true"], "limits": {"memory_bytes": 1 << 50}})
    most = int(re.findall("[0-9]+", refused.value["message"])[-1])
    assert refused.status == 400 and 16 * MIB <= most <= min(of_host // 4, 16 << 30), refused.value
    assert api.run(command=["true"])["status"] == "success"


def test_a_restart_counts_what_runs(new_server):
    server = new_server(*FEW, "--set", "executions.max_running=8")
    held = server.api.start(command=["cat"], stdin_open=True, limits=asking(340, 340))
    until(lambda: status(server.api, held) == "running")
    waiting = server.api.start(shell="echo after", limits=asking(300, 100))
    server.restart()
    assert (status(server.api, held), status(server.api, waiting)) == ("running", "queued")
    server.api.stdin(held, "", eof=True)
    assert server.api.ended(held)["status"] == "success"
    assert server.api.ended(waiting)["stdout"] == "after\n"


def memory_limit_files(instance):
    """Of the group of all sandboxes of a server, where this host counts memory by groups."""
    return files_of_groups(instance, "memory.max", "memory.limit_in_bytes")


@pytest.mark.skipif(os.getuid() != 0, reason="needs root: others may have no control groups")
def test_all_sandboxes_have_a_limit_together_and_the_end_of_a_program_says_who_lacked_memory(new_server, runtime):
    if "memory" in [each["control"] for each in runtime["degraded"]]:
        pytest.skip("this host has no memory controller")
    server = new_server(*FEW)
    (file,) = memory_limit_files(server.instance())
    assert int(file.read_text()) // MIB == 1024 + 1024 // 6
    one = server.api.start(language="python", code=TAKES, stdin_open=True, limits=asking(256))
    until(lambda: server.api.get(f"/v1/executions/{one}/logs").body == b"has\n")
    with_swap = file.with_name("memory.memsw.limit_in_bytes")
    files = (file, with_swap) if with_swap.exists() else (file,)
    for each in files:
        each.write_text(str(64 * MIB))    # as if the host had no more
    server.api.stdin(one, "more\n")
    record = server.api.ended(one)
    assert (record["status"], record["verdict"]) == ("interrupted", "lost"), record
    assert record["error"].startswith("the host, or the server's sandboxes together, had no memory left")
    assert "limits_hit" not in record or "memory" not in record["limits_hit"]
    small = server.api.run(shell="echo still here")
    assert small["stdout"] == "still here\n"
    for each in reversed(files):
        each.write_text(str(1024 * MIB))
    own = server.api.run(language="python", code="x = bytearray(80 << 20)", limits=asking(32))
    assert (own["verdict"], own["limits_hit"]) == ("memory_limit", ["memory"]), "its own limit is told as before"

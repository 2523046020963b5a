"""Rows about the server itself: its start, what it and an agent hold when idle, and what it finds again after it was killed."""

import json
import os
import signal
import socket
import statistics
import time

from machine import memory_of, wait_for_rest
from processes import Failed
from results import number

MOST_READY_MS = 150
MOST_IDLE_MB = 40
MOST_REATTACH_S = 3
LIVE = 1000
PATIENCE_S = 180


def start(bench, found):
    """Of servers with nothing to take up, until /ready says so; what they hold is looked at when the pool is full."""
    ready, idle = [], []
    for _ in range(bench.many(5, 2)):
        wait_for_rest()    # the server that runs all the time, and the one before, have nothing left to do
        with bench.other_server("start"):
            ready.append(bench.ready_ms)
            idle.append(memory_of(bench.server.pid)[0] * 2**20 / 1e6)
        bench.remove("start-data")
    took, holds = statistics.median(ready), statistics.median(idle)
    found.note(f"start of a server until /ready, over {len(ready)} starts: {number(min(ready))} to {number(max(ready))} ms")
    found.bound("ready after its start", f"within {MOST_READY_MS} ms", f"{number(took)} ms", took <= MOST_READY_MS)
    found.bound("server, idle", f"at most {MOST_IDLE_MB} MB resident", f"{number(holds)} MB", holds <= MOST_IDLE_MB)


def reattach(bench, found):
    """A server that is killed while a thousand programs run, and the next one: each of them is asked for something that only its agent can
    answer, over one connection; the time goes from the second server's start to the last answer."""
    count = bench.many(LIVE, LIVE // 10)
    sets = [f"executions.max_running={count}", "pool.enabled=false"]
    options = [word for each in sets for word in ("--set", each)]
    with bench.other_server("reattach", *options):
        try:
            ids = start_programs(bench, count)
            os.kill(bench.server.pid, signal.SIGKILL)
            bench.server.stop()
            begin = time.monotonic()
            bench.open_server("reattach", *options, patience=PATIENCE_S)
            take_answers(bench, ids)
            seconds = time.monotonic() - begin
        finally:
            bench.server.stop(PATIENCE_S)    # which ends them all
    nothing_left(bench, "reattach-data")
    found.bound(f"{count:,} live executions after the server was killed", f"all re-attached within {MOST_REATTACH_S} s of the next one's start",
                f"{number(seconds)} s", seconds <= MOST_REATTACH_S)


def nothing_left(bench, data):
    """What a server that has stopped leaves slows every later row down: no row is measured beside it."""
    instance = json.loads((bench.path(data) / "instance.json").read_text())["id"]
    left = [path for path, _, _ in os.walk("/sys/fs/cgroup") if f"/caisson-{instance}/" in path]
    if left:
        raise Failed(f"the server of {data} left {len(left)} control groups of sandboxes, such as {left[0]}: {bench.server.last_lines()}")


def start_programs(bench, count):
    body = {"command": ["/bin/busybox", "cat"], "stdin_open": True, "wait": False, "limits": {"wall_ms": 600_000, "memory_bytes": 16 << 20}}
    client = bench.kept()
    try:
        ids = [client.ask("POST", "/v1/executions", body)["execution_id"] for _ in range(count)]
        bench.server.wait_until(lambda: running(client) == count, PATIENCE_S)
    finally:
        client.close()
    return ids


def running(client):
    """How many programs run, by their records."""
    seen, cursor = 0, ""
    while cursor is not None:
        page = client.ask("GET", f"/v1/executions?status=running&limit=200{cursor}")
        seen += len(page["items"])
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    return seen


def take_answers(bench, ids):
    """A byte for the stdin of each: it is answered when the agent has it."""
    body = json.dumps({"data": "x"})
    host, port = bench.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as link:
        stream = link.makefile("rwb")
        for each in ids:    # all at once; the answers come in their order
            stream.write(request(bench, f"/v1/executions/{each}/stdin", body))
        stream.flush()
        for each in ids:
            status, answer = read_answer(stream)
            if status != 202:
                raise Failed(f"{each} was not found again: {status} {answer.decode(errors='replace')[:300]}")


def request(bench, target, body):
    return (f"POST {target} HTTP/1.1\r\nHost: {bench.address}\r\nAuthorization: Bearer {bench.key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def read_answer(stream):
    status = int(stream.readline().split()[1])
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return status, stream.read(length)

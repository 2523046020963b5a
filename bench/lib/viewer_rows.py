"""Rows about those who look on: how soon they see, how much, and what one costs."""

import base64
import contextlib
import os
import socket
import sqlite3
import time

import peers
from machine import memory_of, peak_memory_of
from pool_rows import microseconds
from processes import Failed
from results import against, in_turn, number

GIB = 2**30
MEBIBYTE = 2**20
MOST_P50_US, MOST_P99_US = 150, 2000    # from write(2) to the frame
LEAST_TIMES_DD = 0.5                    # what a viewer is shown against dd | dd
LEAST_TIMES_BLOB = 0.5                  # output of which all is kept against SQLite's own writing of blobs
MOST_GROWTH_MIB = 16                    # of the server with 1 GiB more than with 64 MiB
MOST_VIEWER_KB = 20
VIEWERS = 500
BLOB_BYTES, BLOBS_AT_ONCE = 256 * 1024, 16


def write_to_frame(bench, found):
    rounds, count, interval_us = bench.many(5, 2), bench.many(400, 200), 2000
    stamp = bench.program("stamp")
    body = {"shell": f"chmod +x stamp && exec ./stamp {count} {interval_us}", "files": {"stamp": {"base64": base64.b64encode(stamp.read_bytes()).decode()}}}
    relay = bench.relay([stamp, count, interval_us], "relay-stamp")

    def checked(answer):
        if len(answer["samples_ns"]) != count:
            raise Failed(f"{len(answer['samples_ns'])} of {count} lines came")
        return microseconds(answer)

    series = in_turn(rounds, {
        "caisson: sandbox, log, WebSocket": ("µs", lambda: checked(bench.view(body, "latency"))),
        "bare Beast relay of a pipe, no sandbox": ("µs", lambda: checked(bench.view_relay(relay, "latency"))),
    })
    found.compare("write-to-frame", "write(2) in the program to the frame at a viewer", series)
    ours = next(iter(series.values()))
    for what, measured, most in (("p50", ours.median(), MOST_P50_US), ("p99", ours.p99(), MOST_P99_US)):
        found.bound(f"write(2) to the frame, {what}", f"at most {most:,} µs", f"{number(measured)} µs", measured <= most)


def dd(size):
    return ["/usr/bin/dd", "if=/dev/zero", "bs=64k", f"count={size // 65536}", "status=none"]


def view(bench, size, limits):
    """All of so many bytes at one viewer."""
    answer = bench.view({"command": dd(size), "limits": {"cpus": os.cpu_count(), **limits}}, "throughput")
    if limits and answer["missing_bytes"]:
        raise Failed(f"bytes that are kept were not shown: {answer}")
    return answer


def rate(answer, size):
    if answer["shown_bytes"] + answer["missing_bytes"] != size:
        raise Failed(f"{answer} are not {size} bytes")
    return [answer["shown_bytes"] / 1e6 / (answer["wall_ns"] / 1e9)]


def throughput(bench, found):
    with bench.other_server("viewers"):
        flat_memory(bench, found)
        shown_live(bench, found)
        all_kept(bench, found)
        found.note(f"the server's highest RSS, after all of this output: {peak_memory_of(bench.server.pid):.1f} MiB")


def flat_memory(bench, found):
    """Before any other output, since the highest RSS never falls."""
    peaks = []
    for size in (64 * MEBIBYTE, GIB):
        view(bench, size, {})
        peaks.append(peak_memory_of(bench.server.pid))
    growth = peaks[1] - peaks[0]
    found.bound("memory while 1 GiB is shown", f"the server grows by at most {MOST_GROWTH_MIB} MiB more than with 64 MiB", f"{growth:.1f} MiB",
                growth <= MOST_GROWTH_MIB)


def shown_live(bench, found):
    rounds, shown = bench.many(5, 1), []

    def caisson():
        answer = view(bench, GIB, {})
        shown.append(answer["shown_bytes"] / GIB)
        return rate(answer, GIB)

    def pipe():
        size, seconds = peers.dd_pipe(GIB // 65536)
        return [size / 1e6 / seconds]

    relay = bench.relay(dd(GIB), "relay-dd")
    series = in_turn(rounds, {
        "caisson: 1 GiB, the first 16 MiB kept": ("MB/s", caisson),
        "dd into dd": ("MB/s", pipe),
        "bare Beast relay of a pipe, no sandbox": ("MB/s", lambda: rate(bench.view_relay(relay, "throughput"), GIB)),
    })
    found.compare("viewer-1gib", "output to one viewer, MB/s shown", series)
    found.note(f"of 1 GiB of which 16 MiB are kept the viewer was shown {min(shown) * 100:.1f} to {max(shown) * 100:.1f} %; "
               "what it was too slow for came as `truncated` events, and both together were checked to be each byte once, in order")
    times = against(series, "dd into dd")
    found.bound("1 GiB to one viewer, default limits", f"at least {LEAST_TIMES_DD} × dd into dd", f"{number(times)} ×", times >= LEAST_TIMES_DD)


def all_kept(bench, found):
    rounds, size = bench.many(5, 1), bench.many(GIB // 4, GIB // 16)
    peer = f"SQLite alone: blobs of {BLOB_BYTES >> 10} KiB, {BLOBS_AT_ONCE} in a transaction, FULL"
    series = in_turn(rounds, {
        f"caisson: {size >> 20} MiB, all of it kept": ("MB/s", lambda: rate(view(bench, size, {"max_output_bytes": size}), size)),
        peer: ("MB/s", lambda: [size / 1e6 / seconds_of_blobs(bench, size)]),
    })
    found.compare("viewer-kept", "output to one viewer, everything kept, MB/s", series)
    times = against(series, peer)
    found.bound("output of which everything is kept", f"at least {LEAST_TIMES_BLOB} × SQLite's own writing of blobs", f"{number(times)} ×",
                times >= LEAST_TIMES_BLOB)


def seconds_of_blobs(bench, size):
    table = bench.fresh_dir("blobs") / "blobs.db"
    blob = os.urandom(BLOB_BYTES)
    with contextlib.closing(sqlite3.connect(table, isolation_level=None)) as db:
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE kept (key INTEGER PRIMARY KEY, data BLOB)")
        begin = time.monotonic()
        for _ in range(size // BLOB_BYTES // BLOBS_AT_ONCE):
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO kept (data) VALUES (?)", [(blob,)] * BLOBS_AT_ONCE)
            db.execute("COMMIT")
        return time.monotonic() - begin


def memory_of_viewers(bench, found):
    """What many more viewers of one quiet run add to the server's RSS, all of whom have seen what there was."""
    count = bench.many(VIEWERS, VIEWERS // 5)
    with bench.other_server("idle-viewers"), contextlib.ExitStack() as all_of_them:
        run = bench.ask("POST", "/v1/executions", {"shell": "echo ready; sleep 60", "wait": False, "limits": {"wall_ms": 60_000}})["execution_id"]
        for _ in range(count // 10):    # what the first ones cost once
            all_of_them.enter_context(idle_viewer(bench, run))
        before = memory_of(bench.server.pid)[0]
        for _ in range(count):
            all_of_them.enter_context(idle_viewer(bench, run))
        each = (memory_of(bench.server.pid)[0] - before) * MEBIBYTE / count / 1000
        bench.call("POST", f"/v1/executions/{run}/cancel")
    found.note(f"memory of a viewer that waits: {each:.1f} KB of the server's RSS, over {count} WebSockets")
    found.bound("memory of a viewer", f"at most {MOST_VIEWER_KB} KB", f"{each:.1f} KB", each <= MOST_VIEWER_KB)


@contextlib.contextmanager
def idle_viewer(bench, run):
    """A WebSocket that has been sent what the program printed."""
    host, port = bench.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as link:
        link.sendall((f"GET /v1/executions/{run}/stream HTTP/1.1\r\nHost: {bench.address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
                      f"Authorization: Bearer {bench.key}\r\n\r\n").encode())
        came = b""
        while b"ready" not in came:
            piece = link.recv(65536)
            if not piece:
                raise Failed(f"a viewer was refused: {came.decode(errors='replace')[:300]}")
            came += piece
        yield

"""Rows about threads: saves by many clients, loading a large state, the latest checkpoint, lists of long threads."""

import json
import random
import sqlite3
import time

import peers
from processes import Failed
from results import against, in_turn, number

SAVES = 5_000             # a second, of 10 KB states from 64 clients
LEAST_TIMES_BLOB = 0.5    # loading a state of 1 MB against the blob from SQLite
LEAST_TIMES_GET = 0.8     # the latest checkpoint against a record of an execution
MOST_TIMES_SHORT = 2      # a page of a long thread against one of a short
PAGE = 200


def words(seed, size):
    """About `size` bytes of text that packs as text does."""
    draw = random.Random(seed)
    known = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(400)]
    out, length = [], 0
    while length < size:
        out.append(draw.choice(known))
        length += len(out[-1]) + 1
    return " ".join(out)[:size]


def state(seed, size):
    return {"messages": [{"role": "user", "content": words(f"{seed}-{part}", 500)} for part in range(size // 540)], "seed": seed}


def threads(bench, found):
    with bench.other_server("threads", "--set", "threads.max_bytes_per_tenant=100000000000"):
        bench.wait_for_runtime()
        saves(bench, found)
        load(bench, found)
        latest(bench, found)
        lists(bench, found)


def rate(answer):
    return [answer["requests"] / (answer["duration_us"] / 1e6)], answer["p99_us"] / 1e3


def saves(bench, found):
    rounds, seconds = bench.many(5, 2), bench.many(2, 1)
    body = bench.write("save.json", {"state": {**state("save", 10_000), "number": "NUMBER"}, "metadata": {"step": 1}})
    table = bench.path("plain.db")
    blob = body.read_bytes()

    def caisson():
        return rate(peers.wrk(bench, f"http://{bench.address}/v1/threads/", seconds, script="wrk-saves.lua", BENCH_BODY=str(body)))

    def plain():
        """Rows of the same size, 64 in a transaction: what a server could make of 64 clients at best with SQLite as it comes."""
        table.unlink(missing_ok=True)
        db = sqlite3.connect(table, isolation_level=None)
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE saved (key INTEGER PRIMARY KEY, data BLOB)")
        count, begin = 0, time.monotonic()
        while time.monotonic() < begin + seconds:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO saved (data) VALUES (?)", [(blob,)] * 64)
            db.execute("COMMIT")
            count += 64
        taken = time.monotonic() - begin
        db.close()
        return [count / taken]

    series = in_turn(rounds, {
        "caisson: 64 clients over REST": ("saves/s", caisson),
        "SQLite alone: the text as a blob, 64 in a transaction": ("saves/s", plain),
    })
    found.compare("thread-saves", f"durable saves of different states of {len(blob):,} bytes in 64 threads (p99 in ms)", series)
    ours = next(iter(series.values())).median()
    found.bound("saves of 10 KB states from 64 clients", f"at least {SAVES:,} a second", f"{number(ours)}", ours >= SAVES)


def load(bench, found):
    rounds, count, states = bench.many(5, 2), bench.many(40, 10), 20
    ids, table = [], bench.path("blobs.db")
    db = sqlite3.connect(table, isolation_level=None)
    db.executescript("PRAGMA journal_mode=WAL; CREATE TABLE saved (key INTEGER PRIMARY KEY, data BLOB)")
    for each in range(states):
        body = {"state": state(f"load-{each}", 1_000_000)}
        ids.append(bench.ask("POST", "/v1/threads/large/checkpoints", body)["id"])
        db.execute("INSERT INTO saved VALUES (?, ?)", (each, json.dumps(body["state"], separators=(",", ":")).encode()))
    client = bench.kept()

    def caisson():
        samples = []
        for each in range(count):
            begin = time.monotonic()
            size = len(client.get(f"/v1/threads/large/checkpoints/{ids[each % states]}/state"))
            samples.append((time.monotonic() - begin) * 1000)
            if size < 900_000:
                raise Failed(f"a state of {size} bytes")
        return samples

    def blob():
        samples = []
        for each in range(count):
            begin = time.monotonic()
            db.execute("SELECT data FROM saved WHERE key = ?", (each % states,)).fetchone()
            samples.append((time.monotonic() - begin) * 1000)
        return samples

    try:
        series = in_turn(rounds, {"caisson: GET …/state": ("ms", caisson), "SQLite alone: the text as a blob": ("ms", blob)})
    finally:
        client.close()
        db.close()
    found.compare("thread-load", "a state of 1 MB of text, one client, Python on both sides", series)
    times = 1 / against(series, "SQLite alone: the text as a blob")
    found.bound("load of a 1 MB state", f"at least {LEAST_TIMES_BLOB} × the speed of the blob from SQLite", f"{number(times)} ×", times >= LEAST_TIMES_BLOB)


def latest(bench, found):
    rounds, seconds = bench.many(5, 2), bench.many(2, 1)
    run = bench.ask("POST", "/v1/executions", {"command": ["/usr/bin/true"]})["execution_id"]
    bench.ask("POST", "/v1/threads/small/checkpoints", {"state": state("small", 1_100)})
    urls = {"caisson: GET …/checkpoints/latest": "/v1/threads/small/checkpoints/latest", "caisson: GET /v1/executions/{id}": f"/v1/executions/{run}"}
    series = in_turn(rounds, {name: ("req/s", lambda target=target: rate(peers.wrk(bench, f"http://{bench.address}{target}", seconds)))
                              for name, target in urls.items()})
    found.compare("thread-latest", "a checkpoint of 1 KB over 64 connections, wrk with 1 thread (p99 in ms)", series)
    ours, other = (one.median() for one in series.values())
    found.bound("the latest checkpoint", f"at least {LEAST_TIMES_GET} × GET /v1/executions/{{id}}", f"{number(ours / other)} ×", ours >= LEAST_TIMES_GET * other)


def lists(bench, found):
    rounds, count, long = bench.many(5, 2), bench.many(40, 10), bench.many(100_000, 5_000)
    body = bench.write("small.json", {"state": {"number": "NUMBER"}, "metadata": {"step": 1}})
    for name, length in (("long", long), ("short", PAGE)):
        bench.ask("PUT", f"/v1/threads/{name}", {"max_checkpoints": length})
        while bench.ask("GET", f"/v1/threads/{name}")["checkpoints"] < length:
            peers.wrk(bench, f"http://{bench.address}/v1/threads/{name}/checkpoints", 2, script="wrk-saves.lua", BENCH_BODY=str(body))
    client = bench.kept()

    def pages(name):
        samples = []
        for _ in range(count):
            begin = time.monotonic()
            page = client.get(f"/v1/threads/{name}/checkpoints?limit={PAGE}")
            samples.append((time.monotonic() - begin) * 1000)
            if len(json.loads(page)["items"]) != PAGE:
                raise Failed("a short page")
        return samples

    try:
        series = in_turn(rounds, {f"caisson: {PAGE} of {long:,}": ("ms", lambda: pages("long")), f"caisson: {PAGE} of {PAGE}": ("ms", lambda: pages("short"))})
    finally:
        client.close()
    found.compare("thread-list", f"a page of {PAGE} checkpoints, one client", series)
    ours, other = (one.median() for one in series.values())
    found.bound(f"list of {PAGE} of {long:,}", f"at most {MOST_TIMES_SHORT} × of {PAGE}", f"{number(ours / other)} ×", ours <= MOST_TIMES_SHORT * other)

"""Rows against go-judge: the same static true by its containers, which it keeps, and by sandboxes that are ready."""

import go_judge
from machine import wait_for_rest
from pool_rows import from_pool, milliseconds, pool_of
from results import Series, against, in_turn, number

TRUE = ["/bin/busybox", "true"]
CLIENTS = 16
NOT_SLOWER = "not slower than go-judge's"
PEER = "go-judge: POST /run, container in use"


def rows(bench, found):
    why_not = go_judge.why_not(bench)
    if why_not:
        for clients in ("one client", f"{CLIENTS} clients"):
            found.not_measured(f"run from the pool, {clients}", NOT_SLOWER, why_not)
        return
    with go_judge.GoJudge(bench) as peer:
        found.note(peer.what_it_is())
        one_client(bench, found, peer)
        many_clients(bench, found, peer)


def one_client(bench, found, peer):
    rounds, count = bench.many(5, 2), bench.many(50, 20)
    peer_body = go_judge.body(TRUE)
    with bench.other_server("against-one", *pool_of(count)):
        series = in_turn(rounds, {
            "caisson: POST, ready sandbox, recorded end": ("ms", lambda: milliseconds(from_pool(bench, {"command": TRUE}, count))),
            PEER: ("ms", lambda: milliseconds(bench.go_judge_load(peer.port, peer_body, count))),
        }, wait_for_rest)
    found.compare("go-judge", "true, static (busybox), from the pool, one client", series)
    times = against(series, PEER)
    found.bound("run from the pool, one client", NOT_SLOWER, f"{number(times)} ×", times <= 1)


def many_clients(bench, found, peer):
    """From a pool that is full at the begin; the row one-shot-16 has the one of the default size, which is made anew meanwhile."""
    rounds, count = bench.many(5, 2), bench.many(10, 4)
    peer_body = go_judge.body(TRUE)
    latencies = {}

    def rate(name, measure):
        answer = measure()
        latencies.setdefault(name, Series("ms")).add(milliseconds(answer))
        return [len(answer["samples_ns"]) / (answer["wall_ns"] / 1e9)]

    with bench.other_server("against-many", *pool_of(count * CLIENTS)):
        loads = {
            "caisson: POST, ready sandbox, recorded end": lambda: from_pool(bench, {"command": TRUE}, count, CLIENTS),
            PEER: lambda: bench.go_judge_load(peer.port, peer_body, count, CLIENTS),
        }
        series = in_turn(rounds, {name: ("runs/s", lambda name=name, load=load: rate(name, load)) for name, load in loads.items()}, wait_for_rest)
    found.compare("go-judge", f"the same, {CLIENTS} clients at once, rate", series)
    found.compare("", "latency of one of them", latencies)
    times = against(series, PEER)
    found.bound(f"run from the pool, {CLIENTS} clients", NOT_SLOWER, f"{number(1 / times)} ×", times >= 1)

"""What is measured. Each row takes the bench and adds to the results."""

import os
import statistics

import container_rows
import go_judge
import go_judge_rows
import kernel_time
import live_rows
import peers
import pool_rows
import skill_rows
import thread_rows
import viewer_rows
from machine import memory_of, sync_ms, wait_for_rest
from pool_rows import microseconds
from pool_rows import milliseconds as ms
from processes import Failed, run_json
from results import Series, against, between, in_turn, number

LEAST_TIMES_BWRAPS = 0.8    # the rate of 16 clients against that of bare bwraps
MOST_AGENT_MB = 1
LEAST_RECORDS = 20_000      # a second, durable, from 256 that wait
LEAST_TIMES_BEAST = 0.5     # GET of a record against the same bytes from a bare server
AT_ONCE = 16
LASTING = 4    # times as many runs each, for the rate that lasts
TRUE = ["/usr/bin/true"]
BUSYBOX = ["/bin/busybox", "true"]


def per_second(found):
    return [len(found["samples_ns"]) / (found["wall_ns"] / 1e9)]


def one_shot(bench, found):
    """In sandboxes that are made for their run."""
    with bench.other_server("cold", *pool_rows.COLD):
        one_shot_cold(bench, found)


def one_shot_cold(bench, found):
    rounds, count = bench.many(7, 2), bench.many(50, 20)
    wait_for_rest()    # a server that has just started looks for the host's languages and compilers
    for what, program in (("one-shot true, dynamic, one client", TRUE), ("one-shot true, static (busybox), one client", BUSYBOX)):
        stages = []

        def caisson(program=program, stages=stages):
            answer = bench.rest_load({"command": program}, count)
            stages.extend(answer["stages"])
            return ms(answer)

        bench.rest_load({"command": program}, 5)
        series = in_turn(rounds, {
            "caisson: POST, recorded end": ("ms", caisson),
            "bwrap --unshare-all": ("ms", lambda program=program: ms(bench.spawn_floor(peers.bubblewrap(program), count))),
            peers.GROUPED: ("ms", lambda program=program: ms(bench.spawn_floor(peers.bubblewrap(program), count, groups=True))),
            peers.SANDBOX: ("ms", lambda: ms(bench.sandbox_floor(count))),
            "posix_spawn on the host": ("ms", lambda program=program: ms(bench.spawn_floor(program, count))),
        })
        found.compare("one-shot", what, series)
        times = against(series, "bwrap --unshare-all")
        alone = between(series, peers.SANDBOX, "bwrap --unshare-all")
        grouped = between(series, peers.GROUPED, "bwrap --unshare-all")
        found.note(f"{what}: of {number(times)} × bwrap a control group with limits takes bwrap itself to {number(grouped)} ×, "
                   f"and all of the isolation, without an agent, a record or a client, to {number(alone)} ×")
        kernel_time.note(bench, found, what, rounds,
                         lambda program=program: bench.rest_load({"command": program}, count, pause_ms=kernel_time.PAUSE_MS))
        found.bound(what, f"at most {pool_rows.MOST_TIMES_BWRAP} × bwrap", f"{number(times)} ×", times <= pool_rows.MOST_TIMES_BWRAP)
        found.note(f"{what}: medians of the stages in ms as the server tells them: {pool_rows.stage_medians(stages)}")


def one_shot_16(bench, found):
    """As many at once as the peers have workers: the default, 2 for each core, is for programs that work for longer."""
    with bench.other_server("sixteen", "--set", f"executions.max_running={AT_ONCE}"):
        wait_for_rest()
        one_shot_at_once(bench, found)


def one_shot_at_once(bench, found):
    """Each load begins on a machine that rests: nobody pays for what another has left to be tidied up, or made ready again."""
    rounds, count, clients = bench.many(5, 2), bench.many(10, 4), AT_ONCE
    bench.rest_load({"command": TRUE}, count, clients)    # what is ready follows from what was asked for
    answers = {"latency": {}, "rate": {}}

    def both(name, measure):
        def run_once():
            answer = measure()
            answers["rate"].setdefault(name, Series("runs/s")).add(per_second(answer))
            return ms(answer)
        return "ms", run_once

    peer, grouped = "16 workers, bwrap each", "16 workers, bwrap each in a control group of its own, with limits"
    alone = "16 at once, each the sandbox alone"
    loads = {
        "caisson: 16 clients": lambda: bench.rest_load({"command": TRUE}, count, clients),
        peer: lambda: bench.spawn_floor(peers.bubblewrap(TRUE), count, clients),
        grouped: lambda: bench.spawn_floor(peers.bubblewrap(TRUE), count, clients, groups=True),
        alone: lambda: bench.sandbox_floor(count, clients),
    }
    with go_judge.if_possible(bench) as other:
        if other:
            loads[go_judge_rows.PEER] = lambda: bench.go_judge_load(other.port, go_judge.body(TRUE), count, clients)
        series = in_turn(rounds, dict((name, both(name, measure)) for name, measure in loads.items()), before=wait_for_rest)
    found.compare("one-shot-16", f"one-shot true by 16 at once, {count} each, pool of the default size, max_running 16, rate", answers["rate"])
    found.compare("", "the same, latency of one", series)
    in_groups, isolated = between(answers["rate"], grouped, peer), between(answers["rate"], alone, peer)
    found.note(f"one-shot true by 16 at once: bwraps in control groups with limits have {number(in_groups)} × the rate of bare ones, "
               f"and all of the isolation, without an agent, a record or a client, {number(isolated)} ×")
    times, at_rest = against(answers["rate"], peer), f"one-shot true by {clients} at once, {count} each, from rest"
    kernel_time.note(bench, found, at_rest, rounds, lambda: bench.rest_load({"command": TRUE}, count, clients))
    found.note(f"{at_rest}: the pool takes part, which has sandboxes ready before, and lets most of those that are used up wait until the machine rests again")
    found.bound(at_rest, f"at least {LEAST_TIMES_BWRAPS} × the rate of bare bwraps", f"{number(times)} ×", times >= LEAST_TIMES_BWRAPS)
    lasting_one_shots(bench, found, LASTING * count)


def lasting_one_shots(bench, found, count):
    """Many times what was ready at the begin, and nothing rests meanwhile: the pool is of little use."""
    what = f"one-shot true by {AT_ONCE} at once, {count} each, lasting"
    ours, peer = "caisson: 16 clients", "16 workers, bwrap each"
    series = in_turn(bench.many(5, 1), {
        ours: ("runs/s", lambda: per_second(bench.rest_load({"command": TRUE}, count, AT_ONCE))),
        peer: ("runs/s", lambda: per_second(bench.spawn_floor(peers.bubblewrap(TRUE), count, AT_ONCE))),
    }, before=wait_for_rest)
    found.compare("", what, series)
    kernel = kernel_time.note(bench, found, what, bench.many(2, 1), lambda: bench.rest_load({"command": TRUE}, count, AT_ONCE))
    times, budget = against(series, peer), 1000 * os.cpu_count() / (LEAST_TIMES_BWRAPS * series[peer].median())
    floor = f"the kernel alone takes {number(kernel)} ms" if kernel is not None and kernel > budget else None
    if kernel is not None:
        found.note(f"{what}: at {LEAST_TIMES_BWRAPS} × the rate of bare bwraps a run has {number(budget)} ms of all processors; the kernel alone takes {number(kernel)} ms of ours")
    found.bound(what, f"at least {LEAST_TIMES_BWRAPS} × the rate of bare bwraps", f"{number(times)} ×", times >= LEAST_TIMES_BWRAPS, floor)


def agent_exec(bench, found):
    rounds, count = bench.many(5, 2), bench.many(400, 150)
    memory = {}

    def by_agent(program):
        work = bench.fresh_dir("agent")
        answer = run_json([bench.program("agent-exec"), "--agent", bench.built / "caisson-agent", "--work", work, "--count", count, "--", *program])
        memory.update(answer["memory"])
        return microseconds(answer)

    for what, program in (("exec in a live sandbox, static true", [bench.program("true")]), ("exec in a live sandbox, dynamic true", TRUE)):
        found.compare("agent-exec", what, in_turn(rounds, {
            "caisson: the agent alone": ("µs", lambda program=program: by_agent(program)),
            "posix_spawn on the host": ("µs", lambda program=program: microseconds(bench.spawn_floor(program, count))),
        }))
    resident = memory["rss_bytes"] / 1e6
    found.bound("agent, idle", f"at most {MOST_AGENT_MB} MB resident", f"{number(resident)} MB", resident <= MOST_AGENT_MB)
    pss = f", PSS {memory['pss_bytes'] / 1024:,.0f} KiB" if "pss_bytes" in memory else ""
    found.note(f"memory of one idle agent after {count + 20} runs: RSS {memory['rss_bytes'] / 1024:,.0f} KiB{pss}")


def get_execution(bench, found):
    rounds, seconds = bench.many(5, 2), bench.many(2, 1)
    target = f"/v1/executions/{bench.example}"
    status, body = bench.call("GET", target)
    if status != 200:
        raise Failed(f"GET {target} answered {status}")
    urls = {
        "caisson: GET /v1/executions/{id}": f"http://{bench.address}{target}",
        "bare Beast, same bytes": peers.beast_hello(bench, body.decode()),
        "nginx, static file": peers.nginx(bench, body.decode()),
    }

    def measure(url):
        answer = peers.wrk(bench, url, seconds)
        return [answer["requests"] / (answer["duration_us"] / 1e6)], answer["p99_us"] / 1e3

    series = in_turn(rounds, {name: ("req/s", lambda url=url: measure(url)) for name, url in urls.items()})
    found.compare("get-64", f"{len(body)} bytes over 64 connections, wrk with 1 thread (p99 in ms)", series)
    times = against(series, "bare Beast, same bytes")
    found.bound("GET /v1/executions/{id}, 64 connections", f"at least {LEAST_TIMES_BEAST} × bare Beast", f"{number(times)} ×", times >= LEAST_TIMES_BEAST)


def durable_records(bench, found):
    rounds, length_ms = bench.many(5, 2), bench.many(1500, 700)

    def by(how, writers=64):
        answer = run_json([bench.program("records"), "--dir", bench.fresh_dir("records"), "--by", how, "--writers", writers, "--ms", length_ms])
        return per_second(answer), statistics.quantiles(ms(answer), n=100)[98]

    found.note(f"fdatasync(2) of 4 KiB in the data directory: median {number(sync_ms(bench.dir))} ms")
    series = in_turn(rounds, {
        "caisson: storage, 256 writers": ("rows/s", lambda: by("store", 256)),
        "plain SQLite loop, one transaction each": ("rows/s", lambda: by("loop")),
        "caisson: storage, 64 writers": ("rows/s", lambda: by("store")),
        "caisson: storage, 1 writer": ("rows/s", lambda: by("store", 1)),
    })
    found.compare("records", "durable execution records (FULL; p99 in ms)", series)
    ours = next(iter(series.values())).median()
    found.bound("durable records from 256 waiters", f"at least {LEAST_RECORDS:,} a second", f"{number(ours)}", ours >= LEAST_RECORDS)


def memory_text(rss_and_pss):
    rss, pss = rss_and_pss
    return f"RSS {rss:.1f} MiB" + (f", PSS {pss:.1f} MiB" if pss is not None else "")


def memory(bench, found):
    runs, clients = bench.many(1008, 208), 16
    bench.rest_load({"command": TRUE}, runs // clients, clients)
    found.note(f"memory of the server: idle {memory_text(bench.idle_memory)}; after {runs:,} runs and more "
               f"{memory_text(memory_of(bench.server.pid))}")


ALL = {
    "start": live_rows.start,
    "one-shot": one_shot,
    "one-shot-ready": pool_rows.one_shot_ready,
    "python-print": pool_rows.python_print,
    "go-judge": go_judge_rows.rows,
    "burst-100": pool_rows.burst,
    "one-shot-16": one_shot_16,
    "agent-exec": agent_exec,
    "write-to-frame": viewer_rows.write_to_frame,
    "records": durable_records,
    "get-64": get_execution,
    "memory": memory,
    "viewer-1gib": viewer_rows.throughput,
    "viewer-memory": viewer_rows.memory_of_viewers,
    "reattach-1000": live_rows.reattach,
    "skill-run": skill_rows.skill_run,
    "skill-upload": skill_rows.upload,
    "artifacts": skill_rows.artifacts,
    "queue-100": skill_rows.queue,
    "threads": thread_rows.threads,
    "containers": container_rows.containers,
}

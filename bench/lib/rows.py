"""What is measured. Each row takes the bench and adds to the results."""

import base64
import os
import statistics

import container_rows
import peers
import pool_rows
import skill_rows
import thread_rows
from machine import memory_of, peak_memory_of, sync_ms
from processes import Failed, run_json
from results import Series, in_turn, number

TRUE = ["/usr/bin/true"]
BUSYBOX = ["/bin/busybox", "true"]
GIB = 2**30


def ms(found):
    return [value / 1e6 for value in found["samples_ns"]]


def us(found):
    return [value / 1e3 for value in found["samples_ns"]]


def per_second(found):
    return [len(found["samples_ns"]) / (found["wall_ns"] / 1e9)]


def stage_medians(stages):
    names = sorted({name for one in stages for name in one}, key=list(stages[-1]).index) if stages else []
    return ", ".join(f"{name.removesuffix('_ms')} {number(statistics.median(one[name] for one in stages if name in one))}" for name in names)


def one_shot(bench, found):
    """In sandboxes that are made for their run."""
    with bench.other_server("cold", *pool_rows.COLD):
        one_shot_cold(bench, found)


def one_shot_cold(bench, found):
    rounds, count = bench.many(5, 2), bench.many(50, 20)
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
            "posix_spawn on the host": ("ms", lambda program=program: ms(bench.spawn_floor(program, count))),
        })
        found.compare("one-shot", what, series)
        times = skill_rows.against(series, "bwrap --unshare-all")
        found.bound(what, f"at most {pool_rows.MOST_TIMES_BWRAP} × bwrap", f"{number(times)} ×", times <= pool_rows.MOST_TIMES_BWRAP)
        found.note(f"{what}: medians of the stages in ms as the server tells them: {stage_medians(stages)}")


def one_shot_16(bench, found):
    rounds, count, clients = bench.many(5, 2), bench.many(10, 4), 16
    answers = {"latency": {}, "rate": {}}

    def both(name, measure):
        def run_once():
            answer = measure()
            answers["rate"].setdefault(name, Series("runs/s")).add(per_second(answer))
            return ms(answer)
        return "ms", run_once

    body = {"command": TRUE}
    series = in_turn(rounds, dict((name, both(name, measure)) for name, measure in {
        "caisson: 16 clients": lambda: bench.rest_load(body, count, clients),
        "16 workers, bwrap each": lambda: bench.spawn_floor(peers.bubblewrap(TRUE), count, clients),
    }.items()))
    found.compare("one-shot-16", "one-shot true by 16 at once, rate", answers["rate"])
    found.compare("", "the same, latency of one", series)


def agent_exec(bench, found):
    rounds, count = bench.many(5, 2), bench.many(400, 150)
    memory = {}

    def by_agent(program):
        work = bench.fresh_dir("agent")
        answer = run_json([bench.program("agent-exec"), "--agent", bench.built / "caisson-agent", "--work", work, "--count", count, "--", *program])
        memory.update(answer["memory"])
        return us(answer)

    for what, program in (("exec in a live sandbox, static true", [bench.program("true")]), ("exec in a live sandbox, dynamic true", TRUE)):
        found.compare("agent-exec", what, in_turn(rounds, {
            "caisson: the agent alone": ("µs", lambda program=program: by_agent(program)),
            "posix_spawn on the host": ("µs", lambda program=program: us(bench.spawn_floor(program, count))),
        }))
    pss = f", PSS {memory['pss_bytes'] / 1024:,.0f} KiB" if "pss_bytes" in memory else ""
    found.note(f"memory of one idle agent after {count + 20} runs: RSS {memory['rss_bytes'] / 1024:,.0f} KiB{pss}")


def write_to_frame(bench, found):
    rounds, count, interval_us = bench.many(5, 2), bench.many(400, 200), 2000
    stamp = bench.program("stamp")
    body = {"shell": f"chmod +x stamp && exec ./stamp {count} {interval_us}", "files": {"stamp": {"base64": base64.b64encode(stamp.read_bytes()).decode()}}}
    relay = bench.relay([stamp, count, interval_us], "relay-stamp")

    def checked(answer):
        if len(answer["samples_ns"]) != count:
            raise Failed(f"{len(answer['samples_ns'])} of {count} lines came")
        return us(answer)

    found.compare("write-to-frame", "write(2) in the program to the frame at a viewer", in_turn(rounds, {
        "caisson: sandbox, log, WebSocket": ("µs", lambda: checked(bench.view(body, "latency"))),
        "bare Beast relay of a pipe, no sandbox": ("µs", lambda: checked(bench.view_relay(relay, "latency"))),
    }))


def viewer_throughput(bench, found):
    rounds, total, kept = bench.many(5, 1), GIB, bench.many(GIB // 4, GIB // 16)
    shown = []

    def dd(size):
        return ["/usr/bin/dd", "if=/dev/zero", "bs=64k", f"count={size // 65536}", "status=none"]

    def rate(answer, size):
        if answer["shown_bytes"] + answer["missing_bytes"] != size:
            raise Failed(f"{answer} are not {size} bytes")
        return [answer["shown_bytes"] / 1e6 / (answer["wall_ns"] / 1e9)]

    def caisson(size, limits):
        answer = bench.view({"command": dd(size), "limits": {"cpus": os.cpu_count(), **limits}}, "throughput")
        if limits and answer["missing_bytes"]:
            raise Failed(f"bytes that are kept were not shown: {answer}")
        if not limits:
            shown.append(answer["shown_bytes"] / size)
        return rate(answer, size)

    def pipe():
        size, seconds = peers.dd_pipe(total // 65536)
        return [size / 1e6 / seconds]

    relay = bench.relay(dd(total), "relay-dd")
    found.compare("viewer-1gib", "output to one viewer, MB/s shown", in_turn(rounds, {
        "caisson: 1 GiB, the first 16 MiB kept": ("MB/s", lambda: caisson(total, {})),
        "dd into dd": ("MB/s", pipe),
        "bare Beast relay of a pipe, no sandbox": ("MB/s", lambda: rate(bench.view_relay(relay, "throughput"), total)),
        f"caisson: {kept >> 20} MiB, all of it kept": ("MB/s", lambda: caisson(kept, {"max_output_bytes": kept})),
    }))
    found.note(f"of 1 GiB of which 16 MiB are kept the viewer was shown {min(shown) * 100:.1f} to {max(shown) * 100:.1f} %; "
               "what it was too slow for came as `truncated` events, and both together were checked to be each byte once, in order")
    found.note(f"the server's highest RSS, after all of this: {peak_memory_of(bench.server.pid):.1f} MiB")


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


def durable_records(bench, found):
    rounds, length_ms = bench.many(5, 2), bench.many(1500, 700)

    def by(how, writers=64):
        answer = run_json([bench.program("records"), "--dir", bench.fresh_dir("records"), "--by", how, "--writers", writers, "--ms", length_ms])
        return per_second(answer), statistics.quantiles(ms(answer), n=100)[98]

    found.note(f"fdatasync(2) of 4 KiB in the data directory: median {number(sync_ms(bench.dir))} ms")
    found.compare("records", "durable execution records (FULL; p99 in ms)", in_turn(rounds, {
        "caisson: storage, 64 writers": ("rows/s", lambda: by("store")),
        "plain SQLite loop, one transaction each": ("rows/s", lambda: by("loop")),
        "caisson: storage, 1 writer": ("rows/s", lambda: by("store", 1)),
    }))


def memory_text(rss_and_pss):
    rss, pss = rss_and_pss
    return f"RSS {rss:.1f} MiB" + (f", PSS {pss:.1f} MiB" if pss is not None else "")


def memory(bench, found):
    wanted = bench.many(1000, 200)
    if bench.runs < wanted:
        clients = 16
        bench.rest_load({"command": TRUE}, -(-(wanted - bench.runs) // clients), clients)
    found.note(f"memory of the server: idle {memory_text(bench.idle_memory)}; after {bench.runs:,} runs "
               f"{memory_text(memory_of(bench.server.pid))}; it was ready {bench.ready_ms:.0f} ms after its start")


ALL = {
    "one-shot": one_shot,
    "one-shot-ready": pool_rows.one_shot_ready,
    "burst-100": pool_rows.burst,
    "one-shot-16": one_shot_16,
    "agent-exec": agent_exec,
    "write-to-frame": write_to_frame,
    "records": durable_records,
    "get-64": get_execution,
    "memory": memory,
    "viewer-1gib": viewer_throughput,
    "skill-run": skill_rows.skill_run,
    "skill-upload": skill_rows.upload,
    "artifacts": skill_rows.artifacts,
    "queue-100": skill_rows.queue,
    "threads": thread_rows.threads,
    "containers": container_rows.containers,
}

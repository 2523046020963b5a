"""Rows about skills: a run, an upload, what a run leaves behind, and a queue that is full."""

import io
import json
import os
import time
import zipfile
from datetime import datetime

import peers
from machine import memory_of, peak_memory_of, wait_for_rest
from pool_rows import from_pool, milliseconds, stage_medians
from processes import Failed, run
from results import against, in_turn, number

ECHO = """#!/bin/bash
printf '{"echo":%s}' "$SANDBOX_INPUT" >"$SANDBOX_OUTPUT"
"""
MANIFEST = "---\nname: {name}\nversion: 1.0.0\ndescription: for the benchmark\nlang: bash\n---\nNothing to say.\n"
MEBIBYTE = 2**20
MOST_TIMES_ONE_SHOT = 1.3    # a skill's run against the same program as a one-shot execution
MOST_GROWTH_MIB = 16         # of the server while it takes a large package
LEAST_TIMES_TAR = 0.5        # the speed of collecting against tar to a file
LOOK_EVERY_S = 0.005
MANY_EVERY_S = 30


def package(name, program, more=()):
    """A zip archive with a manifest, main.sh and `more`: names and contents, stored as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("SKILL.md", MANIFEST.format(name=name))
        archive.writestr("main.sh", program)
        for path, content in more:
            archive.writestr(path, content)
    return out.getvalue()


def push(bench, archive):
    return bench.ask("POST", "/v1/skills", archive, "application/zip")


def skill_run(bench, found):
    """Both from the pool: of each kind more are ready than one load takes, so that none is made during one. Neither asks for limits, so
    that neither's claim has any to change."""
    rounds, count = bench.many(9, 3), 20
    given = {"text": "hello"}
    peer = "one-shot execution of the same program"
    bodies = {
        "caisson: skill": {"skill": "bench-echo", "input": given},
        peer: {
            "command": ["/bin/bash", "main.sh"], "files": {"main.sh": ECHO},
            "env": {"SANDBOX_INPUT": json.dumps(given), "SANDBOX_OUTPUT": "output.json"}},
    }
    at_once, most = 3 * count, 8 * count
    settings = ("pool.idle=0", f"pool.max={most}", f"pool.max_bytes={most * 8 << 20}")
    with bench.other_server("skill-run", *(word for each in settings for word in ("--set", each))):
        push(bench, package("bench-echo", ECHO))
        stages = {name: [] for name in bodies}
        asked = []

        def ask_for_many():
            """As many of a kind are kept as were asked for within one second of the last minute."""
            if not asked or time.monotonic() - asked[-1] > MANY_EVERY_S:
                for body in bodies.values():
                    bench.rest_load(body, at_once, 16)
                asked.append(time.monotonic())

        def measure(name):
            ask_for_many()
            answer = from_pool(bench, bodies[name], count, ready=4 * count)
            stages[name].extend(answer["stages"])
            return milliseconds(answer)

        series = in_turn(rounds, {name: ("ms", lambda name=name: measure(name)) for name in bodies})
    found.compare("skill-run", "a skill in bash that echoes its input, from the pool, one client", series)
    for name in bodies:
        found.note(f"skill-run, {name.removeprefix('caisson: ')}: medians of the stages in ms as the server tells them: {stage_medians(stages[name])}")
    times = against(series, peer)
    found.bound("run of a skill (echo) from the pool", f"at most {MOST_TIMES_ONE_SHOT} × the one-shot execution of its program", f"{number(times)} ×",
                times <= MOST_TIMES_ONE_SHOT)


def upload(bench, found):
    small, large = 5 * MEBIBYTE, 49 * MEBIBYTE
    first, _ = growth_by(bench, "bench-small", small)    # what any upload costs: buffers, caches, code that is read in
    more, speed = growth_by(bench, "bench-large", large)
    found.note(f"upload of a package of {large / MEBIBYTE:.0f} MiB: {number(speed)} MB/s from the first byte to 201 (received, checked, hashed, "
               f"stored durably); the server's highest RSS grew by {first:.1f} MiB with one of {small / MEBIBYTE:.0f} MiB, and by {more:.1f} MiB "
               "more with this one")
    found.bound(f"upload of {large / MEBIBYTE:.0f} MiB with memory flat", f"the server grows by at most {MOST_GROWTH_MIB} MiB more than with "
                f"{small / MEBIBYTE:.0f} MiB", f"{more:.1f} MiB", more <= MOST_GROWTH_MIB)


def growth_by(bench, name, size):
    """MiB that the server's highest RSS grows by with the upload of a package of so many bytes, and its MB/s."""
    archive = package(name, "true\n", [(f"data/{number_of_part}.bin", os.urandom(size // 7)) for number_of_part in range(7)])
    before, peak = memory_of(bench.server.pid)[0], peak_memory_of(bench.server.pid)
    begin = time.monotonic()
    push(bench, archive)
    seconds = time.monotonic() - begin
    return max(0.0, peak_memory_of(bench.server.pid) - max(peak, before)), len(archive) / 1e6 / seconds


def artifacts(bench, found):
    """Each from rest: how fast one run's files are collected, not what the machine does beside."""
    rounds, samples = bench.many(5, 2), bench.many(3, 1)
    for what, count, size in (("1,000 artifacts of 4 KiB", 1000, 4096), ("200 MB in 10 artifacts", 10, 20_000_000)):
        # It says when it ends by the clock that all processes of the host have in common (CLOCK_MONOTONIC).
        make = (f"import os, time\nos.mkdir('o')\nfor i in range({count}): open(f'o/{{i:04}}', 'wb').write(os.urandom({size}))\n"
                "os.write(1, str(time.monotonic()).encode())\nos._exit(0)")
        body = {"language": "python", "code": make, "collect": ["o/**"], "limits": {"disk_bytes": 256 * MEBIBYTE, "cpus": os.cpu_count()}}

        def caisson(body=body, count=count, size=size):
            wait_for_rest()    # the next sandbox is made, and what was removed is tidied up
            answer = bench.ask("POST", "/v1/executions", body)
            seconds = time.monotonic() - float(answer["stdout"])
            if answer["status"] != "success" or answer["artifacts"]["files"] != count:
                raise Failed(f"{answer['status']}, {answer.get('artifacts')}, {answer.get('error')}")
            bench.call("DELETE", f"/v1/executions/{answer['execution_id']}")
            return count * size / 1e6 / seconds

        def again(one):
            return [one() for _ in range(samples)]

        source = bench.fresh_dir("tar-source")
        for each in range(count):
            (source / f"{each:04}").write_bytes(os.urandom(size))

        def tar(sync, source=source, count=count, size=size):
            wait_for_rest()
            target = bench.path("out.tar")
            begin = time.monotonic()
            run(["/bin/tar", "-cf", target, "-C", source, "."])
            if sync:
                run(["/bin/sync", target])
            seconds = time.monotonic() - begin
            target.unlink()
            return count * size / 1e6 / seconds

        series = in_turn(rounds, {
            "caisson: collected, hashed, stored durably": ("MB/s", lambda one=caisson: again(one)),
            "tar to a file": ("MB/s", lambda tar=tar: again(lambda: tar(False))),
            "tar to a file, and sync": ("MB/s", lambda tar=tar: again(lambda: tar(True))),
        })
        found.compare("artifacts", f"{what} from the program's end to the answer, MB/s", series)
        times = against(series, "tar to a file")
        found.bound(what, f"at least {LEAST_TIMES_TAR} × the speed of tar to a file", f"{number(times)} ×", times >= LEAST_TIMES_TAR)


def queue(bench, found):
    rounds, runs, places, nap = bench.many(3, 1), 100, 10, "0.2"
    pauses, looks = [], []

    def caisson():
        begin = time.monotonic()
        ids = [bench.ask("POST", "/v1/executions", {"command": ["/bin/sleep", nap], "wait": False})["execution_id"] for _ in range(runs)]
        looks.extend(places_in_use(bench))
        ends = [bench.ask("GET", f"/v1/executions/{each}?wait_ms=60000&include=none") for each in ids]
        seconds = time.monotonic() - begin
        if any(each["status"] != "success" for each in ends):
            raise Failed("not all of the queued runs succeeded")
        pauses.append(longest_pause(ends, places))
        return [seconds]

    def by_hand():
        argv = peers.bubblewrap(["/bin/sleep", nap])
        begin = time.monotonic()
        run(["/bin/sh", "-c", f"seq {runs} | xargs -P {places} -I _ " + " ".join(argv)])
        return [time.monotonic() - begin]

    with bench.other_server("queue", "--set", f"executions.max_running={places}"):
        series = in_turn(rounds, {"caisson: a limit of 10": ("s", caisson), "xargs -P 10, bwrap each": ("s", by_hand)})
    found.compare("queue-100", "100 runs of 0.2 s, 10 at once: all of them", series)
    free = sum(1 for running in looks if running < places)
    found.note(f"100 queued runs on a limit of 10: in {len(looks)} looks at the server while runs waited a place was free {free} times; the longest "
               f"from the end of a program to the begin of the next run's stages, with what tidying up takes: {number(max(pauses))} ms")
    found.bound("100 queued runs on a limit of 10", "no place free while runs wait", f"{free} of {len(looks)} looks", free == 0 and len(looks) > 0)


def places_in_use(bench):
    """How many runs have a place, again and again until none waits."""
    seen = []
    while True:
        now = bench.ask("GET", "/v1/stats")["executions"]
        if now["waiting"] == 0:
            return seen
        seen.append(now["running"])
        time.sleep(LOOK_EVERY_S)


def longest_pause(ends, places):
    """By the records: the i-th place that becomes free is the (places + i)-th run's. A run holds its place from the end of its
    waiting on: its start less its stages; before it was created it did not wait."""
    def begin(one):
        stages = one["stages"]
        return instant(one["started_at"]) - (stages.get("start_ms", stages.get("claim_ms", 0)) + stages.get("agent_ms", 0))

    begun = sorted((begin(one), instant(one["created_at"])) for one in ends)
    ended = sorted(instant(one["finished_at"]) for one in ends)
    return max(max(0.0, start - max(end, created)) for (start, created), end in zip(begun[places:], ended))


def instant(text):
    """Milliseconds of an RFC 3339 time."""
    return datetime.fromisoformat(text).timestamp() * 1000

"""kill -9 at any moment: no accepted run is lost, no byte lost or doubled, every end right, nothing left behind.
CAISSON_KILL_SEED repeats a run of the test, CAISSON_KILL_ROUNDS sets the number of kills (50)."""

import json
import os
import random
import time

from harness import kill_programs as programs
from harness.kill_checks import check_run
from harness.kill_world import FINAL, World
from harness.leaks import Baseline
from harness.server import BINARY
from harness.waiting import pause, until

READY_SERVERS = True

ROUNDS = int(os.environ.get("CAISSON_KILL_ROUNDS", "50"))
SEED = int(os.environ.get("CAISSON_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
REPORT = BINARY.parent / "reports" / "kill-anytime.json"
AT_ONCE = 10


def top_up(world):
    """Keeps several runs going."""
    going = len(world.listed(status="running")) + len(world.listed(status="queued"))
    for _ in range(max(0, AT_ONCE - going)):
        world.submit(programs.any_plan(world.rng))


def at_random(world):
    pause(world.rng.uniform(0, 1.5))
    world.kill("running")


def in_submit(world):
    for _ in range(4):
        world.submit(programs.any_plan(world.rng))
    pause(world.rng.uniform(0, 0.08))
    world.kill("submit", watched=False)


def in_start(world):
    run = world.submit(programs.any_plan(world.rng))
    until(lambda: run.id or world.failures, 20, "an answer")
    pause(world.rng.uniform(0, 0.25))
    world.kill("start", watched=False)


def at_end(world):
    for _ in range(3):
        world.submit(programs.short(world.rng))
    pause(world.rng.uniform(0.05, 0.6))
    world.kill("end", watched=False)


def in_cleanup(world):
    run = world.submit(programs.short(world.rng))
    until(lambda: run.id or world.failures, 20, "an answer")
    until(lambda: world.failures or world.call("GET", f"/v1/executions/{run.id}?include=none")[1]["status"] in FINAL, 30, "an end")
    pause(world.rng.uniform(0, 0.04))
    world.kill("cleanup", watched=False)


def at_once(world):
    pause(world.rng.uniform(0, 0.15))
    world.kill("just_ready", watched=False)


MOMENTS = [at_random] * 5 + [in_submit] * 2 + [in_start] * 2 + [at_end] * 2 + [in_cleanup, at_once]


def play(world):
    """Kills until there were enough; the server runs at the end."""
    while sum(world.kills.values()) < ROUNDS:
        top_up(world)
        world.rng.choice(MOMENTS)(world)
        assert not world.failures, world.failures[:5]
        while world.rng.random() < 0.2 and sum(world.kills.values()) < ROUNDS:
            world.kill_while_starting(world.rng.uniform(0, 0.15))
        world.start()


def check_all(world):
    """Every record that exists, whether its POST was answered or not."""
    records = {int(record["labels"]["run"]): record for record in world.listed()}
    missing = [run.number for run in world.runs if run.id and run.number not in records]
    assert not missing, f"accepted and not there: {missing}"
    compared = 0
    for run in world.runs:
        if run.number in records:
            path = f"/v1/executions/{records[run.number]['execution_id']}"
            record = world.server.api.get(path, query={"include": "none"}).value    # with the texts it tells of their cut
            compared += check_run(run, record, list(world.events(record["execution_id"])))
    return records, compared


def test_kill_at_any_moment(new_server):
    server = new_server("--set", "executions.max_running=12")
    server.api.run(language="python", code="print(1)")
    before = Baseline(server)
    world = World(server, SEED)
    print(f"CAISSON_KILL_SEED={SEED}")
    began = time.monotonic()
    much = world.submit(programs.huge(world.rng))
    until(lambda: much.id or world.failures, 30, "an answer")
    play(world)
    for run in adopt(world):
        if run.plan.kind == "cancel":
            world.insist("POST", f"/v1/executions/{run.id}/cancel")
    world.finish(120)
    records, compared = check_all(world)
    before.compare()
    report(world, records, compared, time.monotonic() - began)


def adopt(world):
    """Runs whose answers were lost, and that exist: they get their input and their cancel now."""
    known = {int(record["labels"]["run"]): record["execution_id"] for record in world.listed()}
    orphans = [run for run in world.runs if run.id is None and run.number in known]
    for run in orphans:
        run.id = known[run.number]
        if run.plan.stdin:
            world.guard(world.feed, run)
    return orphans


def report(world, records, compared, seconds):
    by_kind = {}
    for run in world.runs:
        if run.number in records:
            by_kind[run.plan.kind] = by_kind.get(run.plan.kind, 0) + 1
    found = {
        "seed": world.seed, "kills": sum(world.kills.values()), "kills_by_moment": dict(sorted(world.kills.items())),
        "executions": len(records), "executions_by_kind": dict(sorted(by_kind.items())), "lost_answers": world.lost_answers,
        "running_at_kills": world.reattached, "bytes_compared": compared,
        "viewers": sum(1 for run in world.runs if run.events), "viewer_connections": sum(run.views for run in world.runs),
        "seconds": round(seconds, 1),
    }
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found))

"""Rows about sandboxes that are ready: one run at a time, and a hundred at once, beside those that are made for their run."""

from processes import Failed
from results import in_turn, number
from skill_rows import against

MOST_MS = 1.5               # a run in a sandbox that is ready, median
MOST_TIMES_SPAWN = 10       # the same against posix_spawn of its program
MOST_TIMES_BWRAP = 1.6      # a run in a sandbox that is made for it, against bwrap
MOST_BURST_S = {"made for them": 1.5, "ready": 0.25}
AT_ONCE = 100
COLD = ("--set", "pool.enabled=false")


def ready_sandboxes(bench):
    return sum(each["ready_sandboxes"] for each in bench.ask("GET", "/v1/runtimes")["items"])


def wait_for(bench, count):
    bench.server.wait_until(lambda: ready_sandboxes(bench) >= count)


def pool_of(count):
    return [word for each in (f"pool.idle={count}", f"pool.max={count}", f"pool.max_bytes={count * 8 << 20}") for word in ("--set", each)]


def milliseconds(found):
    return [value / 1e6 for value in found["samples_ns"]]


def one_shot_ready(bench, found):
    """From a pool that holds a whole round, and is full again before the next."""
    rounds, count = bench.many(5, 2), bench.many(50, 20)
    with bench.other_server("ready", *pool_of(count)):
        def caisson():
            wait_for(bench, count)
            answer = bench.rest_load({"command": ["/bin/busybox", "true"]}, count)
            if any("claim_ms" not in stages for stages in answer["stages"]):
                raise Failed("a run was not given a sandbox that was ready")
            return milliseconds(answer)

        series = in_turn(rounds, {
            "caisson: POST, ready sandbox, recorded end": ("ms", caisson),
            "posix_spawn on the host": ("ms", lambda: milliseconds(bench.spawn_floor(["/bin/busybox", "true"], count))),
        })
    found.compare("one-shot-ready", "one-shot true, static (busybox), ready sandbox, one client", series)
    ours = next(iter(series.values())).median()
    times = against(series, "posix_spawn on the host")
    found.bound("run in a ready sandbox", f"at most {MOST_MS} ms", f"{number(ours)} ms", ours <= MOST_MS)
    found.bound("run in a ready sandbox", f"at most {MOST_TIMES_SPAWN} × posix_spawn", f"{number(times)} ×", times <= MOST_TIMES_SPAWN)


def burst(bench, found):
    """Until each of a hundred that were sent at once has run a command."""
    rounds = bench.many(3, 1)
    body = {"command": ["/bin/busybox", "true"]}
    places = ("--set", f"executions.max_running={AT_ONCE}")
    measured = {}
    for name, options, ready in (("made for them", COLD, 0), ("ready", pool_of(AT_ONCE), AT_ONCE)):
        with bench.other_server(f"burst-{ready}", *places, *options):
            def seconds(ready=ready):
                wait_for(bench, ready)
                return [bench.rest_load(body, 1, AT_ONCE)["wall_ns"] / 1e9]
            measured |= in_turn(rounds, {f"caisson: sandboxes {name}": ("s", seconds)})
    found.compare("burst-100", f"{AT_ONCE} runs of true at once, until all have ended", measured)
    for name, most in MOST_BURST_S.items():
        took = measured[f"caisson: sandboxes {name}"].median()
        found.bound(f"{AT_ONCE} runs at once, sandboxes {name}", f"at most {most} s", f"{number(took)} s", took <= most)

"""Rows about sandboxes that are ready: one run at a time, and a hundred at once, beside those that are made for their run."""

import statistics

import kernel_time
from machine import wait_for_rest
from processes import Failed
from results import against, in_turn, number

MOST_MS = 1.5               # a run in a sandbox that is ready, median
MOST_TIMES_SPAWN = 10       # the same against posix_spawn of its program
MOST_EXEC_MS = 1.2          # by an agent that lives, over a kept connection, recorded durably
MOST_TIMES_PYTHON = 0.6     # print(1) in a sandbox that is ready against python3 -c on the host
MOST_TIMES_BWRAP = 1.6      # a run in a sandbox that is made for it, against bwrap
MOST_BURST_S = {"made for them": 1.5, "ready": 0.25}
AT_ONCE = 100
FEW = 12    # runs that have ended before the pool makes other sandboxes
COLD = ("--set", "pool.enabled=false")


def ready_sandboxes(bench, runtime):
    return sum(each["ready_sandboxes"] for each in bench.ask("GET", "/v1/runtimes")["items"] if each["name"] == runtime)


def wait_for(bench, count, runtime="bubblewrap"):
    bench.server.wait_until(lambda: ready_sandboxes(bench, runtime) >= count)


def pool_of(count):
    """For programs that are not Python's: else a sandbox with an interpreter would be one of them."""
    settings = (f"pool.idle={count}", f"pool.max={count}", f"pool.max_bytes={count * 8 << 20}", "pool.warm_interpreters=false")
    return [word for each in settings for word in ("--set", each)]


def milliseconds(found):
    return [value / 1e6 for value in found["samples_ns"]]


def microseconds(found):
    return [value / 1e3 for value in found["samples_ns"]]


def from_pool(bench, body, count, clients=1, ready=None):
    """A load that begins when there is a sandbox for each of its runs, or so many as `ready` says, none of which is made for its run."""
    wait_for(bench, ready or count * clients, body.get("runtime", "bubblewrap"))
    wait_for_rest()    # what was used before is removed
    answer = bench.rest_load(body, count, clients)
    if any("claim_ms" not in stages for stages in answer["stages"]):
        raise Failed("a run was not given a sandbox that was ready")
    return answer


def stage_medians(stages):
    names = sorted({name for one in stages for name in one if name.endswith("_ms")}, key=list(stages[-1]).index) if stages else []
    return ", ".join(f"{name.removesuffix('_ms')} {number(statistics.median(one[name] for one in stages if name in one))}" for name in names)


def one_shot_ready(bench, found):
    """From a pool that holds a whole round, and is full again before the next."""
    rounds, count = bench.many(9, 2), bench.many(50, 20)
    body = {"command": ["/bin/busybox", "true"]}
    stages = []

    def caisson():
        answer = from_pool(bench, body, count)
        stages.extend(answer["stages"])
        return milliseconds(answer)

    with bench.other_server("ready", *pool_of(count)):
        series = in_turn(rounds, {
            "caisson: POST, ready sandbox, recorded end": ("ms", caisson),
            "posix_spawn on the host": ("ms", lambda: milliseconds(bench.spawn_floor(["/bin/busybox", "true"], count))),
        }, wait_for_rest)
        found.compare("one-shot-ready", "one-shot true, static (busybox), ready sandbox, one client", series)
        kernel_time.note(bench, found, "one-shot true, ready sandbox", rounds * 4, lambda: from_pool(bench, body, FEW, ready=count))
    found.note(f"one-shot true, ready sandbox: medians of the stages in ms as the server tells them: {stage_medians(stages)}")
    ours = next(iter(series.values())).median()
    times = against(series, "posix_spawn on the host")
    found.bound("run in a ready sandbox", f"at most {MOST_MS} ms", f"{number(ours)} ms", ours <= MOST_MS)
    found.bound("run in a ready sandbox", f"at most {MOST_TIMES_SPAWN} × posix_spawn", f"{number(times)} ×", times <= MOST_TIMES_SPAWN)
    found.bound("exec by a live agent, kept connection, recorded durably (that run: no route leads into a sandbox that lives on)",
                f"at most {MOST_EXEC_MS} ms", f"{number(ours)} ms", ours <= MOST_EXEC_MS)


def python_print(bench, found):
    """The interpreter may have been started ahead, as far as the server does so; the peer's files are in the page cache."""
    rounds, count = bench.many(9, 3), 15
    body = {"language": "python", "code": "print(1)"}
    peer = "python3 -c 'print(1)' on the host, cold"
    settings = ("pool.idle=0", f"pool.max={count}", f"pool.max_bytes={count * 32 << 20}")
    with bench.other_server("python", *(word for each in settings for word in ("--set", each))):
        bench.rest_load(body, 3 * count, 16)    # a kind of its own, of which as many are kept as were asked for within a second
        series = in_turn(rounds, {
            "caisson: POST, ready sandbox, recorded end": ("ms", lambda: milliseconds(from_pool(bench, body, count))),
            peer: ("ms", lambda: milliseconds(bench.spawn_floor(["/usr/bin/python3", "-c", "print(1)"], count))),
        }, wait_for_rest)
    found.compare("python-print", "Python print(1), fresh sandbox from the pool, one client", series)
    times = against(series, peer)
    found.bound("Python print(1) in a fresh sandbox", f"at most {MOST_TIMES_PYTHON} × cold python3 -c", f"{number(times)} ×", times <= MOST_TIMES_PYTHON)


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

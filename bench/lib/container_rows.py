"""Rows about containers: a fresh one, a command in one that runs, and fifty at once."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from engine import Engine, is_possible
from machine import wait_for_rest
from pool_rows import from_pool, milliseconds
from processes import Failed, run_json
from results import against, in_turn, number

IMAGE = "caisson-bench:true"
TRUE = "/bin/true"
MOST_TIMES_ENGINE = 1.15    # a fresh container against the same through the engine's API
LEAST_TIMES_FASTER = 30     # a command by the agent against the engine's exec
LEAST_TIMES_DOCKER_RUN = 100
AT_ONCE = 50
LIMITS = {"memory": 256 << 20, "cpus": 1}


def servers_options(engine, *more):
    sets = ["runtimes.enabled=bubblewrap,docker,gvisor", f"docker.engine={engine.address}", f"images.allowed={IMAGE}", f"images.default={IMAGE}",
            "images.pull=never", *more]
    return [word for each in sets for word in ("--set", each)]


def body(runtime):
    return {"command": [TRUE], "runtime": runtime, "image": IMAGE,
            "limits": {"memory_bytes": LIMITS["memory"] - (64 << 20), "disk_bytes": 64 << 20, "cpus": LIMITS["cpus"]}}


def containers(bench, found):
    if not is_possible():
        return found.note("containers: not measured, since an engine can only be started by root")
    with Engine(bench.root) as engine:
        engine.import_image(IMAGE, {"bin/true": bench.program("true")})
        try:
            with bench.other_server("ready-containers", *servers_options(engine)):
                ready(bench, found, engine)
            with bench.other_server("containers", *servers_options(engine, "pool.enabled=false")):
                fresh(bench, found, engine, "docker", "runc")
                at_once(bench, found)
                if engine.has_runtime("runsc"):
                    fresh(bench, found, engine, "gvisor", "runsc")
            execs(bench, found, engine)
        finally:
            engine.remove_image(IMAGE)


def fresh(bench, found, engine, runtime, oci_runtime):
    rounds, count = bench.many(5, 2), bench.many(10, 4)

    def caisson():
        return milliseconds(bench.rest_load(body(runtime), count))

    def raw():
        samples = []
        for _ in range(count):
            begin = time.monotonic()
            made, status, _ = engine.run_container(engine.spec(IMAGE, [TRUE], LIMITS, HostConfig={"Runtime": oci_runtime}))
            samples.append((time.monotonic() - begin) * 1000)
            engine.remove(made)
            if status != 0:
                raise Failed(f"a container of the engine ended with {status}")
        return samples

    caisson()
    peer = f"engine's API: create, attach, start, wait ({oci_runtime})"
    series = in_turn(rounds, {f"caisson: POST, recorded end ({runtime})": ("ms", caisson), peer: ("ms", raw)})
    found.compare("container-run", f"one-shot static true in a fresh container, {oci_runtime}, one client", series)
    if runtime == "docker":
        times = against(series, peer)
        found.bound("fresh container run", f"at most {MOST_TIMES_ENGINE} × the same through the engine's API", f"{number(times)} ×",
                    times <= MOST_TIMES_ENGINE)


def ready(bench, found, engine):
    """A container that is ready, against the engine's own client that makes one."""
    rounds, count = bench.many(3, 2), bench.many(6, 3)
    bench.rest_load(body("docker"), 2, count)    # as many are kept as were asked for within a second

    def caisson():
        return milliseconds(from_pool(bench, body("docker"), count))

    def client():
        samples = []
        for _ in range(count):
            begin = time.monotonic()
            subprocess.run(["docker", "-H", engine.address, "run", "--rm", "--network", "none", IMAGE, TRUE], check=True)
            samples.append((time.monotonic() - begin) * 1000)
        return samples

    series = in_turn(rounds, {"caisson: POST, ready container": ("ms", caisson), "docker run": ("ms", client)}, wait_for_rest)
    found.compare("container-ready", "a ready container (runc) that runs a static true", series)
    times = 1 / against(series, "docker run")
    found.bound("run in a ready container", f"at least {LEAST_TIMES_DOCKER_RUN} × faster than docker run", f"{number(times)} ×",
                times >= LEAST_TIMES_DOCKER_RUN)


def at_once(bench, found):
    def one(_):
        return bench.ask("POST", "/v1/executions", body("docker"))["status"]

    begin = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as clients:
        ends = list(clients.map(one, range(AT_ONCE)))
    seconds = time.monotonic() - begin
    failed = sum(1 for status in ends if status != "success")
    found.note(f"{AT_ONCE} containers asked for at once: all ended after {number(seconds)} s, {failed} of them not with success")
    found.bound(f"{AT_ONCE} containers at once", "none fails", f"{failed} failed", failed == 0)


def execs(bench, found, engine):
    rounds, count, by_engine = bench.many(5, 2), bench.many(200, 50), bench.many(8, 3)
    work = bench.fresh_dir("container-agent")
    work.chmod(0o711)
    binds = [f"{bench.built / 'caisson-agent'}:/.caisson/agent:ro", f"{work}:/.caisson/link:ro"]
    spec = engine.spec(IMAGE, ["/.caisson/agent", "--connect", "/.caisson/link/s"], LIMITS, HostConfig={"Binds": binds}, WorkingDir="/workspace")
    made = engine.ask("POST", "/containers/create", spec)["Id"]
    try:
        engine.call("POST", f"/containers/{made}/start")

        def agent():
            argv = [bench.program("agent-exec"), "--work", work, "--cwd", "/workspace", "--count", count, "--", TRUE]
            return [one / 1e3 for one in run_json(argv)["samples_ns"]]

        def engines_own():
            samples = []
            for _ in range(by_engine):
                begin = time.monotonic()
                if engine.exec_in(made, [TRUE]) != 0:
                    raise Failed("a command of the engine's failed")
                samples.append((time.monotonic() - begin) * 1e6)
            return samples

        peer = "engine's API: exec, start, inspect"
        series = in_turn(rounds, {"caisson: the agent in the container": ("µs", agent), peer: ("µs", engines_own)})
    finally:
        engine.remove(made)
    found.compare("container-exec", "static true in a container that runs", series)
    times = 1 / against(series, peer)
    found.bound("command in a running container", f"at least {LEAST_TIMES_FASTER} × faster than the engine's exec", f"{number(times)} ×",
                times >= LEAST_TIMES_FASTER)

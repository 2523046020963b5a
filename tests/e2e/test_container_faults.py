"""What happens to programs in containers when the engine, the server or somebody else interferes: each end has its cause, nothing is
run twice or left on the engine, and no byte is lost."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import threading

import pytest

from harness import events as tools
from harness import kill_programs as programs
from harness.containers import BUSYBOX, PYTHON, RUNTIMES, load_images
from harness.kill_world import World
from harness.waiting import pause, until
from test_kill_anytime import check_all, in_cleanup, in_start, in_submit, at_once, at_random, adopt
from test_restart import WRITER, check_writer, first_output

LONG = {"wall_ms": 120_000}
SOON = ("--set", "executions.sweep_interval_ms=200")
WORKS_AGAIN_S = 60
each_runtime = pytest.mark.parametrize("runtime", RUNTIMES)


@pytest.fixture
def own_engine(private_engine):
    load_images(private_engine, PYTHON, BUSYBOX)
    return private_engine


def waits(api, **more):
    """A program that waits for its input to end, and says so; it runs."""
    one = api.start(shell="echo on; cat >/dev/null; echo off", stdin_open=True, limits=LONG, **more)
    first_output(api, one)
    return one


def stored_bytes(server, one):
    """Of its output, in events.db."""
    with contextlib.closing(sqlite3.connect(f"file:{server.data}/events.db?mode=ro", uri=True)) as db:
        return db.execute("SELECT sum(length(data)) FROM events JOIN logs ON logs.key = log WHERE execution_id = ?", (one,)).fetchone()[0] or 0


def goes_on(api, one):
    assert api.stdin(one, "", eof=True).status in (200, 202)
    record = api.ended(one)
    assert (record["status"], record["stdout"]) == ("success", "on\noff\n"), record


def works(server):
    """Programs run again."""
    def ran():
        return server.api.run(command=["echo", "works"], limits=LONG)["stdout"] == "works\n"
    until(ran, WORKS_AGAIN_S, "a program to run")


# Somebody else's hands


@pytest.mark.parametrize("deed, told", [
    (("kill",), "killed from outside"), (("stop", "-t", "0"), "killed from outside"), (("rm", "-f"), "removed from outside"),
])
def test_a_container_that_is_ended_from_outside_ends_its_execution_with_the_cause(box, deed, told):
    one = waits(box.api)
    box.engine.docker(*deed, box.container())
    record = box.api.ended(one)
    assert record["status"] in ("interrupted", "failed") and record["verdict"] in ("lost", "signaled", "runtime_error"), record
    assert record["stdout"] == "on\n" and record["error"] and told in record["error"], record["error"]


def test_a_container_that_is_paused_from_outside_is_told_or_waited_for(box):
    one = waits(box.api)
    name = box.container()
    box.engine.docker("pause", name)
    box.engine.docker("unpause", name)
    goes_on(box.api, one)


def test_a_cancel_ends_a_container_that_is_paused_from_outside(box):
    one = waits(box.api)
    box.engine.docker("pause", box.container())
    box.api.cancel(one)
    assert box.api.ended(one)["verdict"] in ("cancelled", "lost")


def test_the_wall_limit_holds_while_it_is_paused_from_outside(box):
    one = box.api.start(shell="echo on; sleep 1000", limits={"wall_ms": 2_000})
    first_output(box.api, one)
    box.engine.docker("pause", box.container())
    record = box.api.ended(one)
    assert record["verdict"] in ("wall_limit", "lost") and record["stdout"] == "on\n", record


# The server is killed


@each_runtime
def test_programs_go_on_while_no_server_is_there(new_box, runtime):
    server = new_box(runtime)
    ids = [server.api.start(language="python", code=WRITER, args=[str(code)], stdin_open=True, limits=LONG) for code in range(4)]
    for one in ids:
        first_output(server.api, one)
    for _ in range(2):
        server.kill()
        server.start()
        for one in ids:
            assert server.api.show(one)["status"] == "running"
    for code, one in enumerate(ids):
        server.api.stdin(one, "", eof=True)
        check_writer(server.api, one, code)
    server.nothing_left()


@each_runtime
def test_kills_at_any_moment_lose_and_double_nothing(new_box, runtime):
    server = new_box(runtime, "--set", "executions.max_running=8")
    seed = int(os.environ.get("CAISSON_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
    print(f"CAISSON_KILL_SEED={seed}")
    world = World(server, seed)
    for moment in (at_random, in_submit, in_start, at_random, in_cleanup, at_once, in_submit, at_random):
        for _ in range(4):
            world.submit(programs.any_plan(world.rng))
        moment(world)
        assert not world.failures, world.failures[:5]
        world.start()
    for run in adopt(world):
        if run.plan.kind == "cancel":
            world.insist("POST", f"/v1/executions/{run.id}/cancel")
    world.finish(200)
    check_all(world)
    server.nothing_left()


# Two servers, orphans


def plant(engine, name, is_swept=False, **labels):
    """A container that runs, with labels of a server, which may remove it before it does."""
    words = [word for key, value in labels.items() for word in ("--label", f"caisson.{key}={value}")]
    made = engine.docker("run", "-d", "--name", name, "--network", "none", *words, BUSYBOX, "sleep", "1000", check=not is_swept)
    assert re.fullmatch("[0-9a-f]{64}", made), "it was made, whether it ran or not"
    return name


def test_only_containers_of_this_server_without_a_run_are_removed(new_box, engine):
    server = new_box("docker", *SOON)
    one = waits(server.api)
    name = f"caisson-orphan-{os.getpid()}"
    orphan = plant(engine, name, is_swept=True, instance=server.instance(), sandbox="sbx_00000000000000000000000000", runtime="docker")
    others = [plant(engine, name + "-other", instance="0" * 12, sandbox="sbx_00000000000000000000000001", runtime="docker"),
              plant(engine, name + "-none")]
    try:
        until(lambda: orphan not in engine.containers(), what="the orphan to go")
        assert set(others) <= set(engine.containers(everything=False))
        goes_on(server.api, one)
    finally:
        engine.docker("rm", "-f", orphan, *others, check=False)


@each_runtime
def test_two_servers_on_one_engine_leave_each_other_alone(new_box, runtime):
    servers = [new_box(runtime, *SOON), new_box(runtime, *SOON)]
    runs = [waits(server.api) for server in servers]
    for _ in range(3):
        for server in servers:
            assert server.api.run(shell="echo short", limits=LONG)["stdout"] == "short\n"
    servers[0].restart()
    for server, one in zip(servers, runs):
        goes_on(server.api, one)
    for server in servers:
        server.nothing_left()


def test_what_a_server_that_was_killed_left_is_removed_by_the_next(new_box):
    server = new_box("docker", *SOON)
    until(lambda: all(each["available"] for each in server.api.get("/v1/runtimes").value["items"]), what="the end of the probes")
    ids = [waits(server.api)]
    lost = server.container()
    ids += [waits(server.api) for _ in range(2)]
    server.kill()
    server.engine.docker("rm", "-f", lost)
    server.start()
    assert server.api.ended(ids.pop(0))["status"] == "interrupted"
    for one in ids:
        server.api.cancel(one)
    assert [server.api.ended(one)["status"] for one in ids] == ["cancelled", "cancelled"]
    server.nothing_left()


def trial_image(engine, instance, sandbox, runtime="docker"):
    """What a probe's server leaves that is killed before it makes a container of it."""
    name = f"caisson-trial:{sandbox}"
    labels = [word for label in (f"instance={instance}", f"runtime={runtime}") for word in ("--change", f"LABEL caisson.{label}")]
    engine.docker("import", *labels, "-", name, input=bytes(1024))
    return name


@each_runtime
def test_trial_images_of_this_server_alone_are_removed(new_box, engine, runtime):
    server = new_box(runtime, *SOON)
    others = trial_image(engine, "0" * 12, "sbx_00000000000000000000000001", runtime)
    own = trial_image(engine, server.instance(), "sbx_00000000000000000000000002", runtime)
    try:
        until(lambda: not engine.has_image(own), what="the image to go")
        assert engine.has_image(others)
    finally:
        engine.docker("rmi", own, others, check=False)


def test_a_server_that_is_killed_while_it_probes_leaves_no_image_to_the_next(new_box, engine):
    def images():
        return engine.docker("images", "-q", "--filter", f"label=caisson.instance={server.instance()}").split()

    server = new_box("docker", *SOON)
    for _ in range(4):
        server.kill()
        server.start()    # ready before its probes
    until(lambda: all(each["available"] for each in server.api.get("/v1/runtimes").value["items"]), what="the end of the probes")
    until(lambda: not images(), what="its images to go")
    server.nothing_left()


def test_doctor_tells_of_other_servers_containers_and_leaves_them(new_box, engine):
    server = new_box("docker")
    name = plant(engine, f"caisson-foreign-{os.getpid()}", instance="0" * 12, sandbox="sbx_00000000000000000000000001", runtime="docker")
    one = waits(server.api)
    try:
        done = server.cli("doctor", "--data", server.data, *server.options, "--output", "json")
        found = {each["what"]: each for each in json.loads(done.stdout)["findings"]}
        foreign = found["containers of " + "0" * 12]
        assert "1 containers of another server, 1 of them running" in foreign["detail"], foreign
        assert f"--filter label=caisson.instance={'0' * 12} | xargs" in foreign["remedy"] and foreign["state"] == "note", foreign
        assert "containers of " + server.instance() not in found, "its own"
        assert name in engine.containers()
        goes_on(server.api, one)
    finally:
        engine.docker("rm", "-f", name)


# Memory that runs out, and settings that change, while no server is there


@pytest.mark.parametrize("runtime, link", [("gvisor", "auto"), ("docker", "stdio"), ("docker", "socket")])
def test_out_of_memory_while_no_server_is_there_is_told_by_the_next(new_box, runtime, link):
    server = new_box(runtime, "--set", f"{runtime}.link={link}")
    code = "import sys, time\nprint('on', flush=True)\ntime.sleep(float(sys.argv[1]))\nkeep = []\nwhile True: keep.append(bytes(1 << 20))"
    one = server.api.start(language="python", code=code, args=["4"], limits={**LONG, "memory_bytes": 64 << 20, "disk_bytes": 8 << 20})
    first_output(server.api, one)
    name = server.container()
    server.kill()

    def is_over():
        told = server.engine.inspect(name)["State"]
        return not told["Running"] or (runtime == "docker" and not children_of(told["Pid"]))

    until(is_over, 60, "its end")
    server.start()
    record = server.api.ended(one)
    assert (record["status"], record["verdict"], record["stdout"]) == ("failed", "memory_limit", "on\n"), record
    assert record["limits_hit"] == ["memory"], record
    server.nothing_left()


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children") as found:
        return found.read().split()


@pytest.mark.parametrize("before, after", [("socket", "stdio"), ("stdio", "socket")])
def test_a_link_that_is_switched_while_no_server_is_there_ends_what_ran_with_the_cause(new_box, before, after):
    server = new_box("docker", "--set", f"docker.link={before}")
    one = waits(server.api)
    until(lambda: stored_bytes(server, one) == len("on\n"), what="output that is stored")    # the agent has it too, but nobody will ask it
    server.kill()
    server.start("--set", f"docker.link={after}")
    record = server.api.ended(one)
    assert (record["status"], record["stdout"]) == ("interrupted", "on\n"), record
    assert "configured otherwise" in record["error"], record["error"]
    assert server.api.run(command=["echo", "works"], limits=LONG)["stdout"] == "works\n"
    server.nothing_left()


# The engine goes away


@each_runtime
def test_an_engine_that_stops_interrupts_what_runs_and_works_again_when_it_is_back(new_box, own_engine, runtime):
    server = new_box(runtime, *SOON, on=own_engine)
    ids = [waits(server.api) for _ in range(3)]
    own_engine.stop()
    for one in ids:
        record = server.api.ended(one)
        assert record["status"] == "interrupted" and record["stdout"] == "on\n" and "engine" in record["error"], record
    assert server.api.get("/ready").status in (200, 503)
    own_engine.start()
    works(server)
    server.nothing_left()


@each_runtime
def test_a_container_that_ends_while_its_engine_is_away_has_ended(new_box, own_engine, runtime):
    server = new_box(runtime, *SOON, on=own_engine)
    one = waits(server.api)
    first_process = own_engine.inspect(server.container())["State"]["Pid"]
    os.kill(own_engine.pid(), signal.SIGKILL)
    os.kill(first_process, signal.SIGKILL)
    record = server.api.ended(one)
    assert record["status"] == "interrupted" and record["stdout"] == "on\n" and record["error"], record
    own_engine.stop()
    own_engine.start()
    works(server)
    server.nothing_left()


@each_runtime
def test_an_engine_that_is_killed_and_started_again(new_box, own_engine, runtime):
    """Its containers may outlive it for a moment: what ends them is told, and nothing is left."""
    server = new_box(runtime, *SOON, on=own_engine)
    one = waits(server.api)
    os.kill(own_engine.pid(), signal.SIGKILL)
    own_engine.stop()
    own_engine.start()
    record = server.api.ended(one)
    assert record["status"] == "interrupted" and record["error"], record
    works(server)
    server.nothing_left()


@each_runtime
def test_an_engine_that_restarts_while_containers_are_made(new_box, own_engine, runtime):
    server = new_box(runtime, *SOON, "--set", "executions.max_running=4", on=own_engine)
    ids = []
    stopping = threading.Event()

    def submit():
        while not stopping.is_set():
            ids.append(server.api.start(shell="echo on", limits=LONG))
            pause(0.1)

    client = threading.Thread(target=submit)
    client.start()
    until(lambda: len(ids) > 5, what="some to be accepted")
    own_engine.stop()
    pause(0.5)
    own_engine.start()
    stopping.set()
    client.join()
    works(server)
    for one in ids:
        record = server.api.ended(one, wait_ms=120_000)
        assert record["status"] in ("success", "failed", "interrupted"), record
        if record["status"] == "success":
            assert record["stdout"] == "on\n"
        else:
            assert record["error"], record
        assert tools.joined(server.api.log(one)).count(b"on\n") <= 1, "it ran once at most"
    server.nothing_left()


def test_an_engine_that_stops_while_files_are_collected(new_box, own_engine):
    server = new_box("docker", *SOON, on=own_engine)
    one = server.api.start(shell="echo on; dd if=/dev/urandom of=big bs=1M count=60 2>/dev/null; echo off", collect=["**"], limits={**LONG, "disk_bytes": 128 << 20})
    until(lambda: "off" in server.api.show(one)["stdout"], what="the program's last word")
    own_engine.stop()
    record = server.api.ended(one)
    assert record["stdout"] == "on\noff\n" and record["status"] in ("success", "interrupted", "failed"), record
    own_engine.start()
    works(server)
    server.nothing_left()


def test_a_server_starts_without_its_engine_and_uses_it_when_it_comes(new_box, own_engine):
    own_engine.stop()
    server = new_box("docker", *SOON, on=own_engine)
    ready = server.api.get("/ready")
    assert ready.status == 503 and not ready["dependencies"]["docker"]["ready"], ready.value
    record = server.api.run(command=["true"], retry={"attempts": 1}, limits=LONG)
    assert record["status"] == "failed" and record["verdict"] == "runtime_error" and "engine" in record["error"], record
    assert server.api.run(command=["echo", "here"], runtime="bubblewrap", limits=LONG)["stdout"] == "here\n"
    own_engine.start()
    works(server)
    until(lambda: server.api.get("/ready").status == 200, WORKS_AGAIN_S, "readiness")


def test_what_may_run_elsewhere_does_while_the_engine_is_away(new_box, own_engine):
    server = new_box("docker", "--set", "executions.fallback=bubblewrap", on=own_engine)
    own_engine.stop()

    def elsewhere():
        record = server.api.run(command=["echo", "here"], limits=LONG)
        return record if record["runtime"] == "bubblewrap" else None

    record = until(elsewhere, WORKS_AGAIN_S, "a run on bubblewrap")
    assert (record["status"], record["stdout"], record["fallback_from"]) == ("success", "here\n", "docker"), record

"""Skills on an engine that does not see the server's files: their packages come there in volumes, once each, and as a whole or not at all."""

import pytest

from harness.containers import RUNTIMES
from harness.engine import Engine
from harness.packages import answers, push, pushed, remove
from harness.relay import TcpRelay
from harness.waiting import until

LONG = {"wall_ms": 60_000}
SOON = ("--set", "executions.sweep_interval_ms=200")
FILL = "PUT "    # of an archive into a container
each_runtime = pytest.mark.parametrize("runtime", RUNTIMES)

READS = """import os, pathlib
here = pathlib.Path("/sandbox/scripts")
print(sorted(str(each.relative_to(here)) for each in here.rglob("*") if each.is_file() and each.suffix != ".pyc"))
print((here / "data/large").stat().st_size, os.access(here / "bin/tool", os.X_OK), os.access(here / "SKILL.md", os.X_OK))
for place in ("SKILL.md", "new", "data/new"):
    try:
        (here / place).open("w")
        print("wrote", place)
    except OSError:
        pass
"""
FILES = {"data/large": "x" * 3_000_000, "data/" + ("d" * 60 + "/") * 3 + "y.txt": "y", "bin/tool": "#!/bin/sh\n", "data/empty": ""}


@pytest.fixture
def relay(engine, images):
    made = TcpRelay(engine.address)
    yield made
    made.close()


@pytest.fixture
def far(relay, new_box):
    """Makes servers whose engine is reached over TCP alone: far(runtime, *options). The agent is there already."""
    def make(runtime, *more):
        server = new_box(runtime, *more, on=Engine(relay.address))
        assert server.api.run(command=["true"], limits=LONG)["status"] == "success"
        return server
    return make


def look(server):
    """The packages that are there, and those that are marked as whole: two questions, between which one may go."""
    packages, marks = server.engine.packages(server.instance())
    return packages, {name.partition(".whole-")[0] for name in marks}


def whole(server):
    """How many packages are there, all of them whole."""
    packages, marked = look(server)
    assert marked == packages
    return len(packages)


@each_runtime
def test_a_skill_sees_its_package_and_cannot_change_it(far, relay, runtime):
    server = far(runtime)
    before = relay.count(FILL)
    with pushed(server.api, {"far": {"program": READS, "files": FILES}}):
        for _ in range(3):
            record = server.api.run(skill="far", limits=LONG)
            lines = record["stdout"].splitlines()
            assert record["status"] == "success" and len(lines) == 2, record
            assert lines[0] == str(sorted([*FILES, "SKILL.md", "scripts/main.py"])) and lines[1] == "3000000 True False"
    assert relay.count(FILL) - before <= 1 and whole(server) == 1, "it was filled once"


@each_runtime
def test_two_at_once_fill_it_once(far, relay, runtime):
    server = far(runtime)
    push(server.api, "both", answers(1))
    before = relay.count(FILL)
    relay.hold_back(FILL)
    ones = [server.api.start(skill="both", limits=LONG) for _ in range(2)]
    assert relay.held.wait(30)
    relay.release()
    assert [server.api.ended(one)["output"] for one in ones] == [1, 1]
    assert relay.count(FILL) - before == 1 and whole(server) == 1


def test_the_next_server_uses_it_and_one_that_lost_its_mark_is_filled_anew(far, relay):
    server = far("docker")
    push(server.api, "kept", answers(1))
    assert server.api.run(skill="kept", limits=LONG)["output"] == 1
    before = relay.count(FILL)
    server.restart()
    assert server.api.run(skill="kept", limits=LONG)["output"] == 1
    assert relay.count(FILL) == before
    server.nothing_left()    # what a container still uses is marked again instead
    mark, = server.engine.packages(server.instance())[1]
    server.engine.docker("volume", "rm", mark)
    assert server.api.run(skill="kept", limits=LONG)["output"] == 1
    assert relay.count(FILL) - before == 1 and whole(server) == 1


@each_runtime
def test_one_that_a_killed_server_was_filling_is_never_used(far, relay, runtime):
    server = far(runtime, *SOON)
    push(server.api, "half", READS, files=FILES)
    relay.hold_back(FILL)
    one = server.api.start(skill="half", limits=LONG)
    assert relay.held.wait(30)
    assert not server.engine.packages(server.instance())[1], "it does not count yet"
    server.kill()
    relay.release()
    server.start()
    record = server.api.ended(one)
    assert record["status"] in ("success", "failed", "interrupted"), record
    record = server.api.run(skill="half", limits=LONG)
    assert record["status"] == "success" and record["stdout"].splitlines()[1] == "3000000 True False", record
    server.nothing_left()
    assert whole(server) == 1


def test_a_cancel_while_it_is_filled_ends_in_order(far, relay):
    server = far("docker")
    push(server.api, "slow", answers(1))
    relay.hold_back(FILL)
    one = server.api.start(skill="slow", limits=LONG)
    assert relay.held.wait(30)
    server.api.cancel(one)
    relay.release()
    assert server.api.ended(one)["verdict"] == "cancelled"
    assert server.api.run(skill="slow", limits=LONG)["output"] == 1
    server.nothing_left()
    assert whole(server) == 1


def test_a_deleted_packages_volume_goes_and_others_stay(far):
    server = far("docker", *SOON)
    with pushed(server.api, {"stays": {"program": answers(1)}}):
        push(server.api, "goes", answers(2))
        for name in ("stays", "goes"):
            assert server.api.run(skill=name, limits=LONG)["status"] == "success"
        assert whole(server) == 2
        remove(server.api, "goes")
        until(lambda: [len(each) for each in look(server)] == [1, 1], what="the volume to go")
        assert server.api.run(skill="stays", limits=LONG)["output"] == 1


def test_a_full_engine_is_told(far, relay):
    """An engine that breaks off in the middle leaves nothing that counts."""
    server = far("docker")
    push(server.api, "breaks", answers(1))
    relay.cut(FILL)
    record = server.api.run(skill="breaks", retry={"attempts": 1}, limits=LONG)
    assert record["status"] == "failed" and record["error"], record
    assert server.engine.packages(server.instance())[1] == set()
    assert server.api.run(skill="breaks", limits=LONG)["output"] == 1
    assert whole(server) == 1

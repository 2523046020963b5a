"""What is tried again, what is not, and that a schedule outlives its server."""

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness import events as tools
from harness.leaks import Baseline, descendants, process_table
from harness.server import BINARY, new_folder
from harness.waiting import pause, until

LOUD = "runtimes.process.i_know_this_runs_code_without_isolation=true"
PROCESS = ("--set", LOUD, "--set", "runtimes.enabled=process", "--set", "runtimes.default=process")


class Host:
    """A server whose launcher of sandboxes fails as long as it is broken, or once."""

    def __init__(self, new_server, folder):
        self.flag = folder / "broken"
        self.once = folder / "broken-once"
        wrapper = folder / "launch"
        launcher = BINARY.parent / "caisson-launch"
        wrapper.write_text(f"#!/bin/sh\ntest ! -e {self.flag} || exit 1\nrm {self.once} 2>/dev/null && exit 1\nexec {launcher} \"$@\"\n")
        wrapper.chmod(0o755)
        self.server = new_server("--set", f"launch_path={wrapper}")
        self.server.api.run(command=["true"])
        self.before = Baseline(self.server)

    def break_it(self):
        self.flag.touch()

    def break_once(self):
        self.once.touch()

    def mend(self):
        self.flag.unlink(missing_ok=True)


@pytest.fixture
def host(new_server, request):
    with new_folder() as folder:
        made = Host(new_server, Path(folder))
        yield made
        made.mend()
        if request.node.report_call.passed:
            made.before.compare()


def kill(server):
    server.process.kill()
    server.process.wait()
    server.process = None


def agents(server):
    table = process_table()
    return [pid for pid in descendants(os.getpid(), table) if pid in table and table[pid][2] == "agent" and table[pid][1] != "Z"]


def from_now(ms):
    return int(time.time() * 1000) + ms


def succeeds_from(at_ms, before="exit 75"):
    """A program that fails until that moment."""
    return f"echo $$; if test $(date +%s%3N) -lt {at_ms}; then {before}; fi; echo done"


def succeeds_again(before="exit 75"):
    """A program that fails in its first attempt."""
    return f"echo $$; if test $CAISSON_ATTEMPT -lt 2; then {before}; fi; echo done"


def states(api, one):
    return [e for e in api.follow(one) if e["kind"] == "state"]


def check_attempts(record, number):
    """They are numbered, follow each other, and only the last has no delay."""
    attempts = record["attempts"]
    assert [each["number"] for each in attempts] == list(range(1, number + 1)), attempts
    assert all("delay_ms" in each for each in attempts[:-1]) and "delay_ms" not in attempts[-1], attempts
    for before, after in zip(attempts, attempts[1:]):
        assert before["ended_at"] <= after["started_at"], attempts
        assert before["stdout_offset"] <= after["stdout_offset"], attempts


# What is tried again


def test_a_broken_host_is_tried_again_by_default(host):
    host.break_once()
    one = host.server.api.start(command=["echo", "ran"])
    record = host.server.api.ended(one)
    assert record["status"] == "success" and record["stdout"] == "ran\n" and record["error"] is None, record
    assert record["attempts"][0]["fault"] == "runtime_unavailable" and not host.once.exists(), record
    check_attempts(record, 2)
    queued = states(host.server.api, one)[1]
    assert (queued["status"], queued["attempt"]) == ("queued", 2) and queued["delay_ms"] <= 500, queued
    assert queued["cause"] == record["attempts"][0]["error"], queued


def test_a_host_that_stays_broken_is_left_alone_and_says_so(host):
    api = host.server.api
    host.break_it()
    record = api.run(command=["true"], retry={"attempts": 6, "first_delay_ms": 0, "max_delay_ms": 0})
    assert (record["status"], record["verdict"]) == ("failed", "runtime_error"), record
    assert record["error"].endswith("tried 6 times"), record
    check_attempts(record, 6)
    assert record["attempts"][5]["started_at"] > record["attempts"][4]["ended_at"], "the sixth was the trial"
    circuit = api.get("/v1/runtimes")["items"][0]["circuit"]
    assert circuit["state"] in ("open", "half_open") and circuit["faults"] == 5, circuit
    assert "5 times in a row" in api.get("/ready")["dependencies"]["bubblewrap"]["detail"]
    others = [api.start(command=["echo", "ran"], retry={"attempts": 1}) for _ in range(3)]
    unwanted = api.start(command=["true"])
    waiting = api.show(others[0])
    assert waiting["status"] == "queued" and not waiting.get("attempts"), waiting
    assert re.match(r'the runtime "bubblewrap" has been unavailable since 20\S+Z; ', waiting["waits_for"]), waiting
    api.cancel(unwanted)
    assert api.ended(unwanted)["status"] == "cancelled"
    host.mend()
    for one in others:
        again = api.ended(one)
        assert again["status"] == "success" and "waits_for" not in again, again
        check_attempts(again, 1)
    assert api.get("/v1/runtimes")["items"][0]["circuit"]["state"] == "closed"
    assert api.get("/ready").status == 200


def test_a_failing_program_is_not(api):
    record = api.run(shell="echo out; exit 75", retry={"attempts": 5, "exit_codes": [74]})
    assert record["status"] == "failed" and record["stdout"] == "out\n", record
    check_attempts(record, 1)
    assert record["attempts"][0]["fault"] == "program", record
    assert record["error"] == "the program exited with code 75", record


def test_an_exit_code_that_is_named_is_with_all_that_the_request_gave(api):
    retry = {"attempts": 10, "first_delay_ms": 400, "multiplier": 1, "exit_codes": [75]}
    one = api.start(shell="cat data; cat; " + succeeds_again(), files={"data": "file "}, stdin="stdin ", retry=retry)
    record = api.ended(one)
    assert record["status"] == "success", record
    assert record["stdout"].count("file stdin ") == 2, record
    check_attempts(record, 2)
    events = list(api.follow(one))
    tools.check_log(events)
    assert tools.joined(events).decode() == record["stdout"]
    for each in record["attempts"]:
        assert record["stdout"][each["stdout_offset"]:].startswith("file stdin "), each
    cursor = next(e for e in events if e.get("attempt") == 2)["cursor"]
    rest = list(api.follow(one, after=cursor))
    assert rest[0]["status"] == "running" and rest[0]["attempt"] == 2, rest[0]
    assert tools.joined(events).endswith(b"".join(tools.bytes_of(e) for e in rest if e["kind"] == "output"))
    assert tools.summary(list(api.follow(one, sse=True))) == tools.summary(events)
    frames = [f for f in api.frames(api.stream(one, after=cursor)) if f["kind"] != "error"]
    assert [f["seq"] for f in frames] == [e["seq"] for e in rest]


# A lost agent


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_lost_agent_is_replaced_only_for_what_may_run_twice(new_server, idempotent, request):
    server = new_server()
    server.api.run(command=["true"])
    before = Baseline(server)
    one = server.api.start(shell=succeeds_again("echo on; sleep 600"), idempotent=idempotent)
    until(lambda: "on\n" in server.api.show(one)["stdout"])
    for pid in agents(server):
        os.kill(pid, signal.SIGKILL)
    record = server.api.ended(one)
    if idempotent:
        assert record["status"] == "success", record
        check_attempts(record, 2)
        assert record["stdout"].endswith("done\n") and record["stdout"].count("on\n") == 1, record
    else:
        assert (record["status"], record["verdict"]) == ("interrupted", "lost"), record
        check_attempts(record, 1)
    assert record["attempts"][0]["fault"] == "agent_lost", record
    before.compare()


def test_an_agent_cannot_be_killed_from_inside(api):
    record = api.run(shell="kill -9 1; echo alive; kill -9 -1", idempotent=True, retry={"attempts": 5})
    assert record["stdout"] == "alive\n", record
    check_attempts(record, 1)


def test_where_it_can_it_is_never_replaced(new_server):
    api = new_server(*PROCESS).api
    record = api.run(shell="kill -9 $PPID; sleep 60", idempotent=True, retry={"attempts": 5})
    assert record["verdict"] == "lost", record
    check_attempts(record, 1)


# Restarts


def waits_long(api):
    """An execution whose next attempt is not soon: its delay is drawn."""
    while True:
        one = api.start(command=["echo", "ran"], retry={"first_delay_ms": 60_000, "max_delay_ms": 60_000}, limits={"wall_ms": 600_000})
        record = until(lambda: [r for r in [api.show(one)] if "next_attempt_at" in r])[0]
        if record["attempts"][0]["delay_ms"] > 20_000:
            return one, record
        api.cancel(one)


def test_a_schedule_goes_on_in_the_next_server(host):
    host.break_it()
    one, waiting = waits_long(host.server.api)
    kill(host.server)
    host.mend()
    host.server.start()
    again = host.server.api.show(one)
    assert again["next_attempt_at"] == waiting["next_attempt_at"] and again["attempts"] == waiting["attempts"], again
    assert host.server.api.cancel(one).status == 202
    record = host.server.api.ended(one)
    assert record["status"] == "cancelled" and len(record["attempts"]) == 1, record
    assert [s["status"] for s in states(host.server.api, one)] == ["queued", "queued"]


def test_kill_9_at_any_moment_makes_no_attempt_too_much(host):
    rng = random.Random(7)
    retry = {"attempts": 10, "first_delay_ms": 250, "multiplier": 1, "max_delay_ms": 250, "exit_codes": [75]}
    moment = from_now(2_500)
    runs = [host.server.api.start(shell=succeeds_from(moment, "sleep 0.2; exit 75"), retry=retry) for _ in range(3)]
    for round in range(6):
        pause(rng.uniform(0.05, 0.5))
        kill(host.server)
        if round % 2:
            host.break_it()
        host.server.start()
        pause(0.1)
        host.mend()
    for one in runs:
        record = host.server.api.ended(one)
        number = len(record["attempts"])
        check_attempts(record, number)
        assert number <= 10, record
        assert record["status"] == "success" or number == 10 or record["verdict"] == "lost", record
        said = states(host.server.api, one)
        assert [s["attempt"] for s in said if s["status"] == "queued" and "attempt" in s] == list(range(2, number + 1)), said
        assert len(record["stdout"].splitlines()) >= number - sum(a.get("fault") == "runtime_unavailable" for a in record["attempts"]), record
        running = [s for s in said if s["status"] == "running"]
        assert len(running) <= number, said    # no program was started twice
    check = subprocess.run([host.server.binary, "db", "check", "--data", host.server.data], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr

"""A data directory of an earlier release is taken up by this one: what had ended is told as before, what had not ends with a clear verdict.

upgrade/make_fixture.py says how the directory in upgrade/data.tar.xz was made, and what is in it. With CAISSON_OLDER, the path of an
earlier release's binary, its running sandboxes are taken up too."""

import json
import os
import tarfile
from pathlib import Path

import pytest

from harness import events as tools
from harness import older
from harness.leaks import control_groups, named_directories
from harness.left_overs import Records
from harness.packages import push, python
from harness.receiver import Receiver
from harness.server import READY, ROOT, Server, new_folder
from harness.threads import Thread
from harness.waiting import until
from test_backup import check
from test_restart import WRITER, check_writer, first_output
from upgrade import make_fixture as fixture

HERE = Path(__file__).resolve().parent / "upgrade"
TOLD = json.loads((HERE / "told.json").read_text())


@pytest.fixture(scope="module")
def receiver():
    made = Receiver(fixture.PORT)
    yield made
    made.close()


@pytest.fixture(scope="module")
def upgraded(contract, receiver):
    """A server of this release on the directory of the earlier one."""
    with new_folder() as folder:
        server = Server(folder, contract, options=fixture.OPTIONS, env=READY)
        with tarfile.open(HERE / "data.tar.xz") as archive:
            archive.extractall(server.data)
        server.sandboxes_before = Records(server).alive()
        try:
            yield server.start()
            server.stop()
            assert check(server, server.data)["sound"]
        finally:
            server.discard()


@pytest.fixture
def api(upgraded):
    return upgraded.api.with_key(TOLD["keys"]["default"])


def kind_of(path):
    return path.split("/")[2].partition("?")[0]


def differences(api, owner, kind):
    """What the current server does not tell as the earlier one did, by path."""
    answers = {path: answer for path, answer in TOLD["answers"][owner].items() if kind_of(path) == kind}
    assert answers
    now = {path: older.told(api, path) for path in answers}
    return {path: found for path, before in answers.items() if (found := older.lost(before, now[path]))}


def test_the_directory_is_of_an_earlier_release():
    assert TOLD["made_by"].startswith("caisson ")
    for name, number in TOLD["schemas"].items():
        assert 0 < number <= len(list((ROOT / "migrations" / name).iterdir())), name


@pytest.mark.parametrize("kind", ["executions", "threads", "skills"])
def test_what_had_ended_is_told_as_before(api, kind):
    """Records, events, logs byte for byte, input and output, files; checkpoints and their states; packages."""
    assert differences(api, "default", kind) == {}


def test_keys_are_good_for_what_they_were(upgraded, api):
    other = api.with_key(TOLD["keys"]["other"])
    assert differences(other, "other", "executions") == {}
    assert other.get(f"/v1/executions/{TOLD['ended']['succeeded']}").status == 404
    assert api.with_key(TOLD["keys"]["revoked"]).get("/v1/executions").status == 401
    assert upgraded.api.key == TOLD["keys"]["default"], "the first key is still the one of admin.key"


def test_an_idempotency_key_is_remembered(api):
    again = api.post("/v1/executions", fixture.KEYED, headers={"Idempotency-Key": "once"})
    assert again.status == 200 and again.headers["idempotency-replayed"] == "true" and again["execution_id"] == TOLD["ended"]["keyed"]
    other = api.post("/v1/executions", {"shell": "echo twice"}, headers={"Idempotency-Key": "once"})
    assert other.status == 422


LOST = ("interrupted", "lost")
# Status, verdict and standard output of what had not ended, by its name.
UNFINISHED = {
    "waited_for_an_attempt": ("success", "exited", "second\n"),
    "ran": (*LOST, "out\n"),
    "ran_silent": (*LOST, ""),
    "ran_with_input": (*LOST, "taken\n"),
    "ran_python": (*LOST, "on\n"),
    "ran_cancelled": ("cancelled", "cancelled", "on\n"),
    "waited": ("success", "exited", "given: a file\n"),
    "waited_with_large_input": ("success", "exited", "480000\n"),
}


@pytest.mark.parametrize("name", UNFINISHED)
def test_what_had_not_ended_ends_with_a_clear_verdict(api, name):
    one = TOLD["unfinished"][name]
    record, log = api.ended(one), api.log(one)
    assert (record["status"], record["verdict"], record["stdout"]) == UNFINISHED[name], record
    assert record["error"] or record["verdict"] == "exited"
    assert (log[-1]["kind"], log[-1]["status"], log[-1]["verdict"]) == ("exit", *UNFINISHED[name][:2])
    assert tools.joined(log).decode() == record["stdout"]


def test_webhooks_that_were_due_are_delivered(api, receiver):
    for one, path in ((TOLD["not_delivered"], "/late"), (TOLD["unfinished"]["ran"], "/ok")):
        until(lambda: api.show(one)["webhook"]["state"] == "delivered", what=f"the webhook of {one}")
        (got,) = receiver.to(path)
        assert got.id == one.replace("exe_", "dlv_") and got.is_signed_by(fixture.SECRET)


def test_no_sandbox_of_the_earlier_server_counts_as_alive(upgraded):
    before = set(upgraded.sandboxes_before)
    assert before
    until(lambda: not before & set(Records(upgraded).alive()), what="the end of the earlier server's sandboxes")


def test_it_works_on(upgraded, api):
    assert api.run(shell="echo new > file; cat file", collect=["file"])["artifacts"]["files"] == 1
    assert api.run(skill="adder", version="1.0.0", input={"numbers": [40, 2]})["output"] == 42
    assert api.post("/v1/skills/adder/2.0.0/enable").status == 200
    thread = Thread(api, "agent")
    saved = thread.save({"n": "new"})
    assert thread.state() == {"n": "new"} and saved["parent_id"]
    kept = api.get("/v1/stats")["executions"]["kept_bytes"]
    assert api.delete(f"/v1/executions/{TOLD['ended']['large']}").status == 204
    assert api.get(f"/v1/executions/{TOLD['ended']['large']}/events").status == 404
    assert api.get("/v1/stats")["executions"]["kept_bytes"] < kept


def test_check_and_doctor_are_content(upgraded):
    upgraded.stop()
    deep = upgraded.cli("db", "check", "--data", upgraded.data, "--deep", "--json")
    assert deep.returncode == 0 and json.loads(deep.stdout)["sound"], deep
    upgraded.start()
    assert check(upgraded, upgraded.data) == {"sound": True, "server_is_running": True, "findings": []}
    doctor = upgraded.cli("doctor", "--data", upgraded.data, "--output", "json")
    assert doctor.returncode == 0 and json.loads(doctor.stdout)["healthy"], doctor


# Running sandboxes, with the earlier release's binaries


@pytest.fixture(params=["in_ready_sandboxes", "in_cold_sandboxes"])
def running(request, contract):
    """A server of the earlier release, whose next start takes the current one."""
    binary = os.environ.get("CAISSON_OLDER")
    if not binary:
        pytest.skip("CAISSON_OLDER names no binary of an earlier release")
    with new_folder() as folder:
        ready = READY if request.param == "in_ready_sandboxes" else None
        server = older.OlderServer(folder, Path(binary).resolve(), ["--set", "executions.max_running=16"], ready)
        try:
            server.start()
            yield server
            server.stop()
            assert Records(server).alive() == []
            assert check(server, server.data)["sound"]
        finally:
            server.discard()


def upgrade(server, contract):
    """kill -9 of the earlier server, then a start of the current one."""
    before = set(Records(server).alive())
    older.kill(server)
    server.use_current(contract)
    server.start()
    return before


def start_all(api):
    """One of each that goes on under the next server, by name."""
    push(api, "adder", python("import time\ntime.sleep(4)\nanswer(sum(given['numbers']))"))
    retry = {"attempts": 2, "first_delay_ms": 10, "on": ["program"], "exit_codes": [75]}
    files = "mkdir out; echo on; read x; echo $x > out/file; head -c 300000 /dev/zero > out/zeros"
    ids = {
        "writer": api.start(language="python", code=WRITER, args=["3"], stdin_open=True),
        "cat": api.start(command=["cat"], stdin_open=True),
        "terminal": api.start(shell="echo on; read x; stty size; echo $x", pty={"cols": 80, "rows": 24}, stdin_open=True),
        "signalled": api.start(shell="trap 'echo heard; exit 4' USR1; echo on; while :; do sleep 0.05; done"),
        "files": api.start(shell=files, stdin_open=True, collect=["out/**"], checkpoint={"thread": "agent", "id": "end"}),
        "cancelled": api.start(shell="trap '' TERM; echo on; while :; do sleep 60; done"),
        "wall": api.start(shell="echo on; sleep 600", limits={"wall_ms": 4_000}),
        "cpu": api.start(shell="echo on; read x; while :; do :; done", stdin_open=True, limits={"cpu_ms": 500}),
        "memory": api.start(shell="echo on; read x; head -c 400000000 /dev/zero | tail", stdin_open=True, limits={"memory_bytes": 64 << 20}),
        "retried": api.start(shell="echo on; sleep 3; test $CAISSON_ATTEMPT = 2 || exit 75", retry=retry, idempotent=True),
        "large": api.start(shell="echo on; read x; head -c 8000000 /dev/zero | tr '\\0' w; echo done", stdin_open=True),
        "skill": api.start(skill="adder", version="1.0.0", input={"numbers": [40, 2]}),
    }
    api.stdin(ids["cat"], "before\n")
    for name, one in ids.items():
        if name != "skill":
            first_output(api, one)
    until(lambda: api.show(ids["skill"])["status"] == "running")
    api.stdin(ids["large"], "\n", eof=True)
    api.cancel(ids["cancelled"])
    return ids


def go_on(api, ids):
    """Input and signals, from the next server on."""
    assert api.stdin(ids["cat"], "after\n", eof=True).value["offset"] == len("before\nafter\n")
    for name in ("terminal", "files", "cpu", "memory"):
        assert api.stdin(ids[name], "word\n").status == 202
    assert api.stdin(ids["writer"], "", eof=True).status == 202
    assert api.signal(ids["signalled"], "USR1").status == 202


ENDS = {
    "cat": ("success", "exited", "before\nafter\n"),
    "signalled": ("failed", "exited", "on\nheard\n"),
    "files": ("success", "exited", "on\n"),
    "cancelled": ("cancelled", "cancelled", "on\n"),
    "wall": ("timeout", "wall_limit", "on\n"),
    "cpu": ("timeout", "cpu_limit", "on\n"),
    "memory": ("failed", "memory_limit", "on\n"),
    "skill": ("success", "exited", ""),
}


def test_running_sandboxes_of_an_earlier_release_are_taken_up(running, contract):
    ids = start_all(running.api)
    before = upgrade(running, contract)
    api = running.api
    assert api.show(ids["writer"])["status"] == "running"
    older.kill(running)    # and by the one after that, from records that are of this release now
    running.start()
    api = running.api
    go_on(api, ids)
    check_writer(api, ids["writer"], 3)
    records = {name: api.ended(one) for name, one in ids.items()}
    ends = {name: end for name, end in ENDS.items() if name not in records[name]["degraded"]}    # a host may not enforce them all
    assert {name: (records[name]["status"], records[name]["verdict"], records[name]["stdout"]) for name in ends} == ends
    assert tools.joined(api.log(ids["large"])) == b"on\n" + b"w" * 8_000_000 + b"done\n"
    assert records["terminal"]["stdout"].splitlines()[-2:] == ["24 80", "word"]
    assert records["retried"]["status"] == "success" and len(records["retried"]["attempts"]) == 2
    assert records["skill"]["output"] == 42
    assert api.get(f"/v1/executions/{ids['files']}/artifacts/out/file").body == b"word\n"
    assert len(api.get(f"/v1/executions/{ids['files']}/artifacts/out/zeros").body) == 300_000
    assert Thread(api, "agent").get("end")["execution_id"] == ids["files"]
    until(lambda: not before & set(Records(running).alive()), what="the end of the earlier server's sandboxes")
    until(lambda: not any(name in path for name in before for path in control_groups(running.instance()) | named_directories(running.run_folders())),
          what="nothing left of the earlier server's sandboxes")


def test_the_earlier_release_stops_for_the_next(running, contract):
    """By SIGTERM, as `systemctl restart` does."""
    one = running.api.start(command=["cat"], stdin_open=True)
    running.api.stdin(one, "before\n")
    first_output(running.api, one)
    done = running.api.run(shell="echo done")
    log = running.api.log(done["execution_id"])
    running.stop()
    running.use_current(contract)
    running.start()
    assert running.api.show(done["execution_id"]) == done and running.api.log(done["execution_id"]) == log
    running.api.stdin(one, "after\n", eof=True)
    assert running.api.ended(one)["stdout"] == "before\nafter\n"

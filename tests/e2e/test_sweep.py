"""What crashes leave behind is found and removed, while runs go on; of other servers nothing is touched."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from harness.leaks import Baseline, control_groups, descendants, process_table
from harness.left_overs import Planted, Records, hierarchies, sandbox_name, uid_lock, uid_locks_of
from harness.waiting import until

OFTEN = ("--set", "executions.sweep_interval_ms=100")
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root: control groups and uids of sandboxes")
FREE_UID = 1_879_048_192 + 65_000    # of the range, but the last that a server gives away


@pytest.fixture
def planted():
    all_of_it = Planted()
    yield all_of_it
    all_of_it.clean()


def gone(process):
    return process.poll() is not None


def echo(server, one, text):
    """The program still lives: it answers."""
    assert server.api.stdin(one, text).status == 202
    until(lambda: text in server.api.show(one)["stdout"], what=f"{text!r} from {one}")


def plant_run_directory(top, sandbox):
    """As a runtime of this host makes it in a server's folder `top`; whole at once, since a sweep may come at any time."""
    made = top.parent.parent / f"{sandbox}.made"    # of the same file system
    (made / "work" / "deep" / "er").mkdir(parents=True)
    (made / "work" / "deep" / "file").write_text("x")
    (made / "state.new").write_text("{")
    top.mkdir(exist_ok=True)
    return made.rename(top / sandbox)


@needs_root
def test_two_servers_that_sweep_all_the_time_leave_each_other_alone(new_server, planted):
    servers = [new_server(*OFTEN), new_server(*OFTEN)]
    runs = [[server.api.start(command=["cat"], stdin_open=True) for _ in range(3)] for server in servers]
    for server, ids in zip(servers, runs):
        for one in ids:
            echo(server, one, "begin\n")
    for _ in range(3):    # something to remove in each sweep, on both sides
        for server in servers:
            sandbox, processes = sandbox_name(), [planted.process() for _ in range(4)]
            first, compiler, second, alone = processes
            groups = [planted.group(top, server.instance(), sandbox, first) for top, _ in hierarchies()]
            groups += [planted.flat_group(top, server.instance(), sandbox, compiler) for top, _ in hierarchies()]
            groups += [planted.later_program_group(top, server.instance(), sandbox, second) for top, _ in hierarchies()]
            only_a_later_program = sandbox_name()
            groups += [planted.later_program_group(top, server.instance(), only_a_later_program, alone) for top, _ in hierarchies()]
            folders = [plant_run_directory(top, sandbox_name()) for top in server.run_folders()]
            assert server.api.run(shell="echo short")["stdout"] == "short\n"
            until(lambda: all(map(gone, processes)) and not any(left.exists() for left in folders + groups), what="the sweep")
    for server, ids in zip(servers, runs):
        for one in ids:
            echo(server, one, "end\n")
            server.api.stdin(one, "", eof=True)
            assert server.api.ended(one)["stdout"] == "begin\nend\n"


def has(name):
    """A process of that name below this test run."""
    table = process_table()
    return any(table[pid][2] == name for pid in descendants(os.getpid(), table) if pid in table)


STAGES = {
    "accepted": lambda server: True,
    "directory": lambda server: any(each for folder in server.run_folders() for each in folder.glob("sbx_*")),
    "group": lambda server: control_groups(server.instance()),
    "agent": lambda server: has("caisson-agent") or has("agent"),
}
# What makes a sandbox by itself is its agent some milliseconds later.
BWRAP_STAGES = {**STAGES, "launcher": lambda server: has("caisson-launch") or has("bwrap"), "bwrap": lambda server: has("bwrap")}


@pytest.mark.parametrize("maker, stages", [("auto", STAGES), ("bwrap", BWRAP_STAGES)], ids=("auto", "bwrap"))
def test_a_server_killed_while_it_makes_sandboxes_leaves_nothing(new_server, maker, stages):
    server = new_server("--set", "executions.max_running=4", "--set", f"runtimes.bubblewrap.made_by={maker}")
    server.api.run(command=["true"])
    before = Baseline(server)
    accepted = []

    def submit():
        try:
            for _ in range(4):
                accepted.append(server.api.start(shell="echo on; read x; echo off", stdin_open=True))
        except (OSError, AssertionError, ValueError):
            pass    # the server was killed meanwhile; an http.client error is one of these

    for stage in stages.values():
        client = threading.Thread(target=quiet(submit))
        client.start()
        until(lambda: accepted and stage(server), what="the stage")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        server.process = None
        client.join()
        server.start()
        for one in accepted:
            if server.api.show(one)["status"] in ("queued", "running"):
                server.api.stdin(one, "x\n", eof=True)
            record = server.api.ended(one)
            assert (record["status"], record["stdout"]) == ("success", "on\noff\n"), record
        accepted.clear()
        for one in server.api.get("/v1/executions").value["items"]:    # those whose answer was lost
            if one["status"] in ("queued", "running"):
                server.api.stdin(one["execution_id"], "x\n", eof=True)
                server.api.ended(one["execution_id"])
    nothing_is_left(server, before)


@needs_root
def test_an_order_that_outlives_its_server_leaves_nothing(new_server):
    """What makes the sandbox begins with it when the server is gone already."""
    server = new_server()
    server.api.run(command=["true"])
    before = Baseline(server)
    table = process_table()
    waiting = [pid for pid in descendants(server.pid, table) if table[pid][2] == "caisson-forks"]
    assert len(waiting) == 1
    os.kill(waiting[0], signal.SIGSTOP)
    client = threading.Thread(target=quiet(lambda: server.api.run(shell="echo on; sleep 1000")))
    client.start()
    until(lambda: any(each for folder in server.run_folders() for each in folder.glob("sbx_*/log")), what="a sandbox that is ordered")
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.process = None
    client.join()
    os.kill(waiting[0], signal.SIGCONT)
    until(lambda: process_table().get(waiting[0], (None, "Z"))[1] == "Z", what="the end of who waits for orders")
    server.start()
    for one in server.api.get("/v1/executions", query={"status": "queued,running"}).value.get("items", []):
        server.api.cancel(one["execution_id"])
    nothing_is_left(server, before)


def nothing_is_left(server, before):
    """Since `before`, when it was another process with the same data."""
    before.server = server
    before.descriptors = {**before.descriptors, **{kind: 1_000 for kind in ("socket", "anon_inode")}}
    before.compare()
    until(lambda: not Records(server).alive(), what="no living record")
    until(lambda: not uid_locks_of(server.instance()), what="no uid lock")


def quiet(work):
    def run():
        try:
            work()
        except Exception:    # noqa: BLE001  a connection to a server that is being killed fails in many ways
            pass

    return run


@needs_root
def test_what_was_planted_goes_while_runs_go_on(new_server, planted):
    server = new_server(*OFTEN)
    one = server.api.start(command=["cat"], stdin_open=True)
    echo(server, one, "begin\n")
    records, mine = Records(server), sandbox_name

    # Groups with processes that do not die by themselves: stopped, and frozen.
    stopped, frozen, later = planted.process(stopped=True), planted.process(), planted.process()
    groups, ice, ice_of_later = [], sandbox_name(), sandbox_name()
    for top, is_v2 in hierarchies():
        groups.append(planted.group(top, server.instance(), mine(), stopped))
        for group in (planted.group(top, server.instance(), ice, frozen),
                      planted.later_program_group(top, server.instance(), ice_of_later, later)):
            groups.append(group)
            control, text = ("cgroup.freeze", "1") if is_v2 else ("freezer.state", "FROZEN")
            for path in group.rglob(control):
                path.write_text(text)

    # A directory with a mount in it, and one that a process without a record prints to, though it is gone.
    made = plant_run_directory(server.folder / "planted", mine())    # where no sweep finds it before its mount is there
    subprocess.run(["mount", "-t", "tmpfs", "none", made / "work" / "deep" / "er"], check=True)
    (server.data / "run").mkdir(exist_ok=True)
    folder = made.rename(server.data / "run" / made.name)
    lost = plant_run_directory(server.run_folders()[-1], mine())
    with open(lost / "log", "w") as log:
        unknown = planted.process(stopped=True, stdout=log, stderr=log)

    # Records without a sandbox, and old ones.
    alone, old, fresh = mine(), mine(), mine()
    now_ms = int(time.time() * 1000)
    records.insert(alone)
    records.insert(old, "destroyed", now_ms - 25 * 3_600_000)
    records.insert(fresh, "destroyed", now_ms - 23 * 3_600_000)

    # A uid of this server, one of a sandbox that is elsewhere, and files that were being written.
    own = uid_lock(FREE_UID, server.instance(), mine(), server.data)
    elsewhere, sandbox = server.folder / "elsewhere", mine()
    (elsewhere / "run" / sandbox).mkdir(parents=True)
    foreign = uid_lock(FREE_UID + 1, "0" * 12, sandbox, elsewhere)
    temporary = server.data / "instance.json.new"
    temporary.write_text("{")
    os.utime(temporary, (1, 1))
    probe = Path("/tmp/caisson-doctor-" + os.urandom(3).hex())
    (probe / "run" / mine()).mkdir(parents=True)
    os.utime(probe, (1, 1))

    try:
        until(lambda: all(map(gone, (stopped, frozen, later, unknown))), what="the processes to end")
        for path in [*groups, folder, lost, own, temporary, probe]:
            until(lambda: not path.exists(), what=f"{path} to go")
        until(lambda: records.states().get(alone) == "destroyed" and old not in records.states(), what="the records")
        assert fresh in records.states() and foreign.exists()
        (elsewhere / "run" / sandbox).rmdir()
        until(lambda: not foreign.exists(), what="the uid of what is gone")
    finally:
        for lock in (own, foreign):
            lock.unlink(missing_ok=True)
    echo(server, one, "end\n")
    server.api.stdin(one, "", eof=True)
    assert server.api.ended(one)["stdout"] == "begin\nend\n"
    assert server.api.get("/ready")["dependencies"]["left_overs"] == {"ready": True}


@needs_root
def test_what_cannot_be_removed_is_told_and_tried_again(ordinary_server):
    server = ordinary_server
    server.stop()
    folder = server.data / "run" / sandbox_name()
    folder.mkdir(parents=True)    # root's: the server cannot empty it
    (folder / "file").write_text("x")
    os.chown(server.data / "run", server.user, server.user)
    server.start(*OFTEN)
    before = server.api.get("/ready")
    assert before["dependencies"]["left_overs"]["ready"] and "1 could not be removed" in before["dependencies"]["left_overs"]["detail"]
    assert server.api.run(shell="echo works")["stdout"] == "works\n"
    os.chown(folder, server.user, server.user)
    until(lambda: not folder.exists(), what="the next sweep")
    until(lambda: server.api.get("/ready")["dependencies"]["left_overs"] == {"ready": True}, what="nothing to tell")
    log = server.log_file.read_text()
    assert log.count("could not be removed; each sweep") == 1 and log.count("could not be removed before is gone") == 1


@needs_root
def test_doctor_tells_how_to_remove_what_a_dead_server_left(shared_server, planted):
    process, later, instance = planted.process(), planted.process(), "dead" + os.urandom(4).hex()
    first, second = sandbox_name(), sandbox_name()    # of the second only the group of a later program is left
    groups = [planted.group(top, instance, first, process) for top, _ in hierarchies()]
    groups += [planted.later_program_group(top, instance, sandbox, later) for top, _ in hierarchies() for sandbox in (second, first)]
    done = shared_server.cli("doctor", "--data", shared_server.data, "--output", "json")
    findings = {each["what"]: each for each in json.loads(done.stdout)["findings"]}
    assert f"left-overs of {shared_server.instance()}" not in findings, "it lives"
    told = findings[f"left-overs of {instance}"]
    assert told["state"] == "degraded" and "with 2 sandboxes of a server that is gone" in told["detail"]
    subprocess.run(["sh", "-c", told["remedy"].partition(": ")[2]], check=False, capture_output=True)
    until(lambda: gone(process) and gone(later), what="its processes")
    subprocess.run(["sh", "-c", told["remedy"].partition(": ")[2]], check=False, capture_output=True)
    assert not any(group.parent.exists() for group in groups)


@pytest.mark.parametrize("value", ["0", "99", "86400001", "off"])
def test_sweeping_cannot_be_switched_off(shared_server, value):
    done = shared_server.cli("serve", "--data", "/nonexistent", "--set", f"executions.sweep_interval_ms={value}")
    assert done.returncode != 0 and b"executions.sweep_interval_ms" in done.stderr

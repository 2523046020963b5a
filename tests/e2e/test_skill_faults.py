"""Skills while things go wrong: packages that are removed, trees that are lost, and kill -9 of the server in every step of a run."""

import os
import shutil
import signal

import pytest

from harness.leaks import Baseline, reap_orphans
from harness.packages import answers, push, python, remove
from harness.waiting import pause, until

READY_SERVERS = True


def kill(server):
    process = server.process
    process.send_signal(signal.SIGKILL)
    process.wait()
    server.process = None
    reap_orphans({process.pid})


@pytest.fixture
def own(new_server, request):
    """A server of the test's own; afterwards nothing is left."""
    server = new_server("--set", "executions.max_running=2")
    server.api.run(command=["true"])
    before = Baseline(server)
    yield server
    if request.node.report_call.passed:
        before.compare()


def test_the_eleventh_waits_and_runs(new_server):
    server = new_server("--set", "executions.max_running=10")
    push(server.api, "waits", python("sys.stdin.read()\nanswer(given)"))
    ones = [server.api.start(skill="waits", input=n, stdin_open=True) for n in range(11)]
    running = lambda: server.api.get("/v1/executions", query={"status": "running"}).value["items"]    # noqa: E731
    until(lambda: len(running()) == 10, 30)
    last = server.api.show(ones[10])
    assert (last["status"], last["queue_position"]) == ("queued", 1)
    for one in ones[:10]:
        server.api.stdin(one, eof=True)
    until(lambda: server.api.show(ones[10])["status"] == "running")
    server.api.stdin(ones[10], eof=True)
    assert [server.api.ended(one)["output"] for one in ones] == list(range(11))


def test_a_package_that_is_removed_while_its_run_waits(own):
    api = own.api
    push(api, "blocks", "import sys\nsys.stdin.read()")
    push(api, "goes", answers(1))
    blocking = [api.start(skill="blocks", stdin_open=True) for _ in range(2)]
    waiting = api.start(skill="goes")
    assert api.show(waiting)["status"] == "queued"
    remove(api, "goes")
    for one in blocking:
        api.stdin(one, eof=True)
    record = api.ended(waiting)
    assert (record["status"], record["verdict"]) == ("failed", "runtime_error")
    assert "the package of skill goes@1.0.0" in record["error"] and "was removed" in record["error"], record["error"]
    assert [api.ended(one)["status"] for one in blocking] == ["success", "success"]


def test_a_package_that_is_removed_under_its_run_stays_until_the_end(own):
    api = own.api
    push(api, "reads-later", python("sys.stdin.read()\nanswer(open('/sandbox/scripts/late.txt').read())"), files={"late.txt": "there"})
    one = api.start(skill="reads-later", stdin_open=True)
    until(lambda: api.show(one)["status"] == "running")
    remove(api, "reads-later")
    kill(own)
    own.start()
    own.api.stdin(one, eof=True)
    assert own.api.ended(one)["output"] == "there"
    push(own.api, "another", answers(1))
    own.api.run(skill="another")
    is_there = lambda: any("late.txt" in files for _, _, files in os.walk(own.data / "skills"))  # noqa: E731
    until(lambda: not is_there(), what="the package is gone with its last run")


def test_a_tree_that_was_lost_is_unpacked_again(own):
    api = own.api
    push(api, "lost-tree", answers("again"))
    assert api.run(skill="lost-tree")["output"] == "again"
    kill(own)
    shutil.rmtree(own.data / "skills")
    own.start()
    assert own.api.run(skill="lost-tree")["output"] == "again"


@pytest.mark.parametrize("step", ["waiting", "starting", "running", "collecting", "ended"])
def test_a_kill_in_any_step_ends_right(own, step):
    """kill -9 of the server where the run is waiting for its turn, being started, running, being collected, over."""
    api = own.api
    push(api, "steps", python("""
print("on", flush=True)
if given["wait"]: sys.stdin.read()
for n in range(300):
    open(os.environ["SANDBOX_FILES_DIR"] + f"{n}.txt", "w").write("x" * 4096)
answer({"done": True})
"""))
    blocking = []
    if step == "waiting":
        blocking = [api.start(shell="read x", stdin_open=True) for _ in range(2)]
        until(lambda: all(api.show(one)["status"] == "running" for one in blocking))
    waits = step == "running"
    one = api.start(skill="steps", input={"wait": waits}, stdin_open=waits)
    if step == "running":
        next(e for e in api.follow(one) if e["kind"] == "output")
    elif step == "collecting":
        next(e for e in api.follow(one) if e["kind"] == "output")
        pause(0.05)    # it writes its files, or they are being collected
    elif step == "ended":
        api.ended(one)
    kill(own)
    own.start()
    for each in blocking:
        own.api.stdin(each, eof=True)
    if waits:
        own.api.stdin(one, eof=True)
    record = own.api.ended(one)
    assert (record["status"], record["output"], record["error"]) == ("success", {"done": True}, None), record
    assert record["logs"] == "on\n"
    assert record["skill_name"] == "steps" and record["input"] == {"wait": waits}
    assert len(record["files_list"]) == 300


def test_many_kills_of_many_skill_runs(own):
    """Each accepted run ends in the record, once, with its own output."""
    api = own.api
    push(api, "many", python("print('on', flush=True)\nimport time\ntime.sleep(0.2)\nanswer(given)"))
    ones = [api.start(skill="many", input=n) for n in range(8)]
    for moment in (0.1, 0.25, 0.4):
        pause(moment)
        kill(own)
        own.start()
    records = [own.api.ended(one) for one in ones]
    assert [(each["status"], each["output"], each["logs"]) for each in records] == [("success", n, "on\n") for n in range(8)]


def test_an_ordinary_users_server_runs_them_too(ordinary_server):
    push(ordinary_server.api, "ordinary", python("""
try:
    open("/sandbox/scripts/scripts/main.py", "a")
except OSError as e:
    answer([e.errno, open("/proc/self/mountinfo").read()])
"""))
    code, mounts = ordinary_server.api.run(skill="ordinary")["output"]
    assert code == 30    # EROFS
    assert " /sandbox/scripts ro,nosuid,nodev" in mounts and str(ordinary_server.data) not in mounts, mounts

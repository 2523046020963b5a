"""kill -9 of the server at chosen moments, and what may happen while no server is there."""

import os
import signal
import sqlite3
import subprocess

import pytest

from harness.leaks import Baseline, descendants, process_table
from harness.waiting import pause, until

READY_SERVERS = True


@pytest.fixture
def own(new_server, request):
    """A server of the test's own that is killed; afterwards nothing is left."""
    server = new_server()
    server.api.run(command=["true"])
    before = Baseline(server)
    yield server
    if request.node.report_call.passed:
        before.compare()


def kill(server):
    server.process.kill()
    server.process.wait()
    server.process = None


def processes(name):
    table = process_table()
    return [pid for pid in descendants(os.getpid(), table) if pid in table and table[pid][2] == name and table[pid][1] != "Z"]


def all_killed():
    """Of sandboxes: an agent may come of one that was being made, after these were counted. Whether there was nothing to kill."""
    found = [pid for name in ("sleep", "bwrap", "caisson-launch", "agent") for pid in processes(name)]
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass    # it went with another one
    return not found


def first_output(api, one):
    return next(e for e in api.follow(one) if e["kind"] == "output")


def stored_output(server):
    """How many pieces of output are durable: viewers see them earlier."""
    log = sqlite3.connect(f"file:{server.data / 'events.db'}?mode=ro", uri=True)
    try:
        return log.execute("SELECT count(*) FROM events WHERE kind = 2").fetchone()[0]
    finally:
        log.close()


def cancel_is_recorded(server):
    """Of the only execution."""
    records = sqlite3.connect(f"file:{server.data / 'records.db'}?mode=ro", uri=True)
    try:
        return records.execute("SELECT cancel_requested FROM executions").fetchone()[0] == 1
    finally:
        records.close()


def running_program(server):
    """One that has printed a line, which is stored."""
    before = stored_output(server)
    one = server.api.start(shell="echo on; sleep 600")
    until(lambda: stored_output(server) > before)
    return one


def test_an_agent_that_is_killed_meanwhile_interrupts(own):
    one = running_program(own)
    kill(own)
    until(all_killed, 10, "the end of all agents")
    own.start()
    record = own.api.ended(one)
    assert (record["status"], record["verdict"], record["stdout"]) == ("interrupted", "lost", "on\n")
    assert "its agent does not run any more" in record["error"]


def test_an_agent_that_is_killed_under_a_server_interrupts(own):
    one = running_program(own)
    for pid in processes("agent"):
        os.kill(pid, signal.SIGKILL)
    record = own.api.ended(one)
    assert (record["status"], record["verdict"], record["stdout"]) == ("interrupted", "lost", "on\n")
    assert "killed by signal 9" in record["error"]


def test_a_boot_of_the_host_interrupts(own):
    one = running_program(own)
    kill(own)
    boot = open("/proc/sys/kernel/random/boot_id", encoding="ascii").read().strip()
    records = sqlite3.connect(own.data / "records.db")
    with records:
        changed = records.execute(
            "UPDATE sandboxes SET runtime_state = replace(runtime_state, ?, ?) WHERE runtime_state LIKE ?", (boot, "0" * 36, f"%{boot}%"))
        assert changed.rowcount == 1, "the record holds the boot that its sandbox was made in"
    records.close()
    for state in [each for folder in own.run_folders() for each in folder.glob("*/state")]:
        state.write_text(state.read_text().replace(boot, "0" * 36))
    own.start()
    record = own.api.ended(one)
    assert (record["status"], record["verdict"], record["stdout"]) == ("interrupted", "lost", "on\n")
    assert "the host was booted since" in record["error"]


def test_a_wall_limit_that_passes_meanwhile_is_a_timeout(own):
    one = own.api.start(shell="echo on; sleep 600", limits={"wall_ms": 1_500})
    first_output(own.api, one)
    kill(own)
    until(lambda: not processes("sleep"), 15, "the agent to end it")
    own.start()
    record = own.api.ended(one)
    assert (record["status"], record["verdict"], record["stdout"]) == ("timeout", "wall_limit", "on\n")
    assert 1_500 <= record["usage"]["wall_ms"] < 10_000


def test_a_cpu_limit_that_passes_meanwhile_is_found_at_once(own):
    """By many short processes, so that no limit of a single one ends it."""
    code = "import os\nprint('on', flush=True)\nwhile True:\n    p = os.fork()\n    if not p:\n        sum(range(2000000)); os._exit(0)\n"
    one = own.api.start(language="python", code=code + "    os.waitpid(p, 0)\n", limits={"cpu_ms": 500, "cpus": 1, "wall_ms": 60_000})
    first_output(own.api, one)
    kill(own)
    pause(1.5)    # the program works
    own.start()
    record = own.api.ended(one, wait_ms=10_000)
    assert (record["status"], record["verdict"]) == ("timeout", "cpu_limit")
    assert record["usage"]["cpu_ms"] >= 500


def test_a_cancel_is_finished_by_the_next_server(own):
    one = own.api.start(shell="trap '' TERM; echo on; while :; do sleep 0.1; done")
    first_output(own.api, one)
    assert own.api.cancel(one).status == 202
    kill(own)
    own.start()
    record = own.api.ended(one, wait_ms=10_000)
    assert (record["status"], record["verdict"], record["stdout"]) == ("cancelled", "cancelled", "on\n")


def test_an_end_of_stdin_is_known_to_the_next_server(own):
    one = own.api.start(shell="echo on; sleep 2; cat", stdin_open=True)
    first_output(own.api, one)
    assert own.api.stdin(one, "all", eof=True).value["offset"] == 3
    kill(own)
    own.start()
    late = own.api.stdin(one, "more")
    assert late.status == 409 and "stdin is closed" in late["message"]
    assert own.api.ended(one)["stdout"] == "on\nall"


def test_signals_go_on_after_a_kill(own):
    one = own.api.start(language="python", code="""
import signal, sys
seen = 0
def count(*_):
    global seen
    seen += 1
    print("signal", seen, flush=True)
    if seen == 3:
        sys.exit(0)
signal.signal(signal.SIGUSR1, count)
print("ready", flush=True)
while True:
    signal.pause()
""")
    seen = lambda: own.api.show(one)["stdout"]    # noqa: E731
    until(lambda: seen() == "ready\n")
    for i in (1, 2, 3):
        assert own.api.signal(one, "SIGUSR1").status == 202
        until(lambda: f"signal {i}\n" in seen())
        kill(own)
        own.start()
        if i < 3:    # until then the next server may not have heard from the agent
            until(lambda: own.api.show(one)["status"] == "running")
    assert own.api.ended(one)["stdout"] == "ready\nsignal 1\nsignal 2\nsignal 3\n"


def test_a_second_sigterm_ends_the_server_at_once(new_server):
    server = new_server("--on-shutdown", "end")
    one = server.api.start(shell="trap '' TERM; echo on; while :; do sleep 0.1; done")
    first_output(server.api, one)
    server.terminate()
    until(lambda: cancel_is_recorded(server))
    server.terminate()
    server.join()
    assert "a second signal" in server.log_file.read_text()
    server.start()
    assert server.api.ended(one)["status"] == "cancelled", "what was asked for at the first one is done by the next server"


@pytest.mark.parametrize("delay", [0.01, 0.04, 0.07, 0.1, 0.15])
def test_a_sigterm_while_it_starts_is_heeded(own, delay):
    """Before the first lines of the server's own code it ends by the signal, afterwards by itself."""
    one = own.api.start(command=["cat"], stdin_open=True)
    own.api.stdin(one, "kept")
    kill(own)
    command = [own.binary, "serve", "--data", own.data, "--listen", "127.0.0.1:0"]
    with open(own.log_file, "ab") as log:
        process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, env=own.env, start_new_session=True)
    pause(delay)
    process.terminate()
    try:
        ended = process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        pytest.fail(f"it did not end within 10 s: {own.log_tail()}")
    assert ended in (0, -signal.SIGTERM), own.log_tail()
    own.start()
    assert own.api.stdin(one, "", eof=True).status == 202
    assert own.api.ended(one)["stdout"] == "kept"


def test_kills_right_after_another(own):
    """The program is in the middle of its output, each server lives for a moment only."""
    one = own.api.start(shell="i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; read x; exit 7", stdin_open=True)
    first_output(own.api, one)
    for _ in range(8):
        kill(own)
        own.start()
    own.api.stdin(one, "\n", eof=True)
    record = own.api.ended(one)
    assert record["exit_code"] == 7 and record["stdout"] == "".join(f"line {i}\n" for i in range(3000))

"""SIGTERM and start again in the middle of runs: they end right, no byte is lost or doubled, and every end has its cause."""

import json
import os
import signal
import threading
import time

import pytest

from harness import events as tools
from harness.leaks import Baseline, descendants, process_table
from harness.waiting import until
from harness.websocket import Closed

READY_SERVERS = True

# Writes numbered lines to both streams, 500 a second where nothing else is said, until it is told to stop, then says how many.
WRITER = """
import select, sys
n = 0
while not select.select([0], [], [], PAUSE_S)[0]:
    sys.stdout.write(f"{n:08d} " + "é" * 20 + "\\n"); sys.stdout.flush()
    if n % 7 == 0: sys.stderr.write(f"e{n:08d}\\n"); sys.stderr.flush()
    n += 1
sys.stdin.read()
print("total", n)
sys.exit(int(sys.argv[1]))
""".replace("PAUSE_S", os.environ.get("WRITER_PAUSE_S", "0.002"))


def outputs(total):
    out = "".join(f"{n:08d} " + "é" * 20 + "\n" for n in range(total)) + f"total {total}\n"
    err = "".join(f"e{n:08d}\n" for n in range(0, total, 7))
    return out.encode(), err.encode()


def running(name):
    """Processes of that name among what this test run started."""
    table = process_table()
    return [pid for pid in descendants(os.getpid(), table) if pid in table and table[pid][2] == name and table[pid][1] != "Z"]


def first_output(api, one):
    return next(e for e in api.follow(one) if e["kind"] == "output")


def check_writer(api, one, code):
    record = api.ended(one)
    assert record["exit_code"] == code and record["verdict"] == "exited", record
    log = api.log(one)
    out, err = tools.joined(log), tools.joined(log, "stderr")
    assert not tools.cut(log) and not tools.cut(log, "stderr")
    total = int(out.rsplit(b"total ", 1)[1])
    assert (out, err) == outputs(total)
    return record


@pytest.fixture
def own(new_server, request):
    """A server of the test's own that is restarted; afterwards nothing is left."""
    server = new_server("--set", "executions.max_running=12")
    server.api.run(command=["true"])
    before = Baseline(server)
    yield server
    if request.node.report_call.passed:
        before.compare()


def test_ten_runs_go_on_over_two_restarts(own):
    ids = [own.api.start(language="python", code=WRITER, args=[str(code)], stdin_open=True, limits={"wall_ms": 120_000}) for code in range(10)]
    cursors = {one: first_output(own.api, one)["cursor"] for one in ids}
    own.restart()
    for one in ids:    # it still writes, and a viewer resumes where it was
        event = next(e for e in own.api.follow(one, after=cursors[one]) if e["kind"] == "output")
        cursors[one] = event["cursor"]
        assert own.api.show(one)["status"] == "running"
    own.restart()
    for code, one in enumerate(ids):
        next(e for e in own.api.follow(one, after=cursors[one]) if e["kind"] == "output")
        assert own.api.stdin(one, "", eof=True).status in (200, 202)
    for code, one in enumerate(ids):
        check_writer(own.api, one, code)


def test_a_program_that_ends_while_no_server_runs(own):
    one = own.api.start(shell="echo before; read x; echo after; exit 9", stdin_open=True)
    first_output(own.api, one)
    own.api.stdin(one, "go\n", eof=True)
    own.terminate()
    own.join()
    own.start()
    record = own.api.ended(one)
    assert record["exit_code"] == 9 and record["stdout"] == "before\nafter\n"


def test_the_wall_limit_holds_while_no_server_runs(own):
    one = own.api.start(shell="echo on; sleep 600", limits={"wall_ms": 1_500})
    first_output(own.api, one)
    own.stop()
    until(lambda: not running("sleep"), 15, "the agent to end it")
    own.start()
    record = own.api.ended(one)
    assert (record["status"], record["verdict"]) == ("timeout", "wall_limit") and record["stdout"] == "on\n"


def test_more_output_than_a_window_waits_for_the_next_server(own):
    one = own.api.start(shell="echo go; read x; head -c 8000000 /dev/zero | tr '\\0' w; echo done", stdin_open=True)
    first_output(own.api, one)
    own.api.stdin(one, "\n", eof=True)
    own.restart()
    record = own.api.ended(one)
    assert record["status"] == "success"
    kept = tools.joined(own.api.log(one))
    assert kept == b"go\n" + b"w" * 8_000_000 + b"done\n"


def test_waiting_clients_get_202_and_the_address(own):
    answers = {}

    def wait(name, call):
        answers[name] = call()

    one = own.api.start(command=["cat"], stdin_open=True)
    label = {"labels": {"who": "waiter"}}
    threads = [
        threading.Thread(target=wait, args=("post", lambda: own.api.post("/v1/executions", {"command": ["cat"], "stdin_open": True, **label}))),
        threading.Thread(target=wait, args=("poll", lambda: own.api.get(f"/v1/executions/{one}", query={"wait_ms": 60_000}))),
    ]
    old = own.api
    for thread in threads:
        thread.start()
    posted = until(lambda: old.get("/v1/executions", query={"label": "who=waiter", "status": "running"})["items"])[0]["execution_id"]
    own.restart()
    for thread in threads:
        thread.join(20)
    assert answers["post"].status == 202 and answers["post"].headers["location"].endswith(posted)
    assert answers["poll"].status in (200, 202) and answers["poll"]["status"] in ("queued", "running")
    for each in (one, posted):
        own.api.stdin(each, "x", eof=True)
        assert own.api.ended(each)["stdout"] == "x"


def test_streams_end_so_that_clients_come_back(own):
    one = own.api.start(command=["cat"], stdin_open=True)
    own.api.stdin(one, "first\n")
    first_output(own.api, one)
    socket = own.api.stream(one)
    response, connection = own.api.open_events(one)
    own.terminate()
    frames = []
    with pytest.raises(Closed) as closed:
        while True:
            frames.append(json.loads(socket.receive()))
    assert closed.value.code == 1001
    assert tools.joined(frames) == b"first\n"
    events = [json.loads(line) for line in response]
    connection.close()
    own.join()
    own.start()
    assert tools.joined(events) == b"first\n"
    own.api.stdin(one, "second\n", eof=True)
    rest = list(own.api.follow(one, after=frames[-1]["cursor"]))
    assert tools.joined(rest) == b"second\n" and rest[-1]["kind"] == "exit"


def test_input_right_after_a_restart_is_not_lost(own):
    """The new server does not yet know how much the agent has when the first request comes."""
    one = own.api.start(command=["cat"], stdin_open=True, limits={"wall_ms": 120_000})
    whole = ""
    for i in range(8):
        whole += f"line {i}\n"
        assert own.api.stdin(one, f"line {i}\n").value["offset"] == len(whole)
        own.restart()
    assert own.api.stdin(one, "", eof=True).value["offset"] == len(whole)
    assert own.api.ended(one)["stdout"] == whole


def test_a_stop_with_idle_viewers_is_quick_and_whole(own):
    """Streams end with their proper end, not by a cut connection after the longest time."""
    one = own.api.start(command=["cat"], stdin_open=True)
    own.api.stdin(one, "first\n")
    first_output(own.api, one)
    views = [own.api.open_events(one, sse=sse) for sse in (False, True)]
    began = time.monotonic()
    own.terminate()
    for response, connection in views:
        assert b"first" in response.read()    # raises IncompleteRead without the last chunk
        connection.close()
    until(lambda: "the server has stopped" in own.log_file.read_text(), what="the server's stop")
    assert time.monotonic() - began < 5    # without what sanitizers look for at the end
    own.join()
    own.start()
    own.api.stdin(one, "", eof=True)
    assert own.api.ended(one)["stdout"] == "first\n"


def test_a_server_that_ends_leaves_no_control_group(new_server):
    server = new_server()
    server.api.run(command=["true"])
    server.stop()
    assert not [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if server.instance() in name]


def test_what_waited_in_the_queue_still_waits(new_server):
    server = new_server("--set", "executions.max_running=1")
    first = server.api.start(command=["cat"], stdin_open=True)
    first_id = server.api.stdin(first, "x")
    assert first_id.status in (200, 202)
    rest = [server.api.start(shell=f"echo {i}") for i in range(3)]
    server.restart()
    assert {server.api.show(one)["status"] for one in rest} == {"queued"}
    server.api.stdin(first, "", eof=True)
    for i, one in enumerate(rest):
        assert server.api.ended(one)["stdout"] == f"{i}\n"


def test_a_cancel_is_not_forgotten(own):
    one = own.api.start(shell="trap '' TERM; echo on; while :; do sleep 60; done")
    first_output(own.api, one)
    assert own.api.cancel(one).status == 202
    own.restart()
    assert own.api.ended(one)["status"] == "cancelled"


def test_on_shutdown_end_leaves_nothing_running(new_server):
    server = new_server("--on-shutdown", "end")
    server.api.run(command=["true"])
    before = Baseline(server)
    ids = [server.api.start(shell="echo on; sleep 600") for _ in range(2)]
    for one in ids:
        first_output(server.api, one)
    server.stop()
    before.compare()
    server.start()
    for one in ids:
        record = server.api.show(one)
        assert record["status"] == "cancelled" and record["stdout"] == "on\n"


def test_records_keys_and_logs_outlive_a_restart(own):
    tenant = own.tenant("keeper")
    record = tenant.run(shell="echo kept; exit 4")
    log = tenant.log(record["execution_id"])
    own.restart()
    again = own.api.with_key(tenant.key)
    assert again.show(record["execution_id"]) == record and again.log(record["execution_id"]) == log


def test_a_second_server_on_the_same_data_is_refused(own):
    done = own.cli("serve", "--data", own.data, "--listen", "127.0.0.1:0", timeout=20)
    assert done.returncode == 1 and str(own.data) in done.stderr.decode()
    assert own.api.get("/health").status == 200


def test_sandboxes_whose_agent_died_are_told_as_lost(own):
    one = own.api.start(command=["cat"], stdin_open=True)
    own.api.stdin(one, "x")
    first_output(own.api, one)
    own.stop()
    for name in ("bwrap", "caisson-launch", "caisson-agent", "agent"):
        for pid in running(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass    # it went with another one
    own.start()
    record = own.api.ended(one)
    assert (record["status"], record["verdict"]) == ("interrupted", "lost") and record["error"]
    assert own.api.log(one)[-1]["verdict"] == "lost"


def test_a_runtime_that_is_not_enabled_any_more_ends_what_it_left(new_server):
    loud = "runtimes.process.i_know_this_runs_code_without_isolation=true"
    server = new_server("--set", loud)
    one = server.api.start(shell="echo begun; read line; echo $line", runtime="process", stdin_open=True)
    until(lambda: server.api.get(f"/v1/executions/{one}/logs").body == b"begun\n")
    server.stop()
    server.options = [option for option in server.options if option not in ("--set", loud)]
    server.start()
    server.api.stdin(one, "taken up\n", eof=True)
    record = server.api.ended(one)
    assert (record["status"], record["stdout"]) == ("success", "begun\ntaken up\n")
    refused = server.api.post("/v1/executions", {"command": ["true"], "runtime": "process"})
    assert refused.status == 400

"""How much is kept of executions that ended, and how long: beyond a tenant's bound nothing more is accepted, or the oldest go."""

from harness.waiting import until
from test_backup import check
from test_kept_files import stats

MOST = 200_000
BOUND = ("--set", f"executions.max_bytes_per_tenant={MOST}")
OLDEST_GO = ("--set", "executions.remove_oldest=true")


def printed(api, size):
    """The id of an execution whose output has `size` bytes, ended."""
    record = api.run(shell=f"head -c {size} /dev/zero | tr '\\0' x")
    assert record["status"] == "success" and len(record["stdout"]) == size, record
    return record["execution_id"]


def kept(api):
    return stats(api)["executions"]["kept_bytes"]


def is_there(api, execution):
    answer = api.get(f"/v1/executions/{execution}")
    assert answer.status in (200, 404), answer.value
    return answer.status == 200


def refused(answer):
    assert answer.status == 429, answer.value
    assert answer.value["error"] == "quota_exceeded" and "DELETE /v1/executions/{id}" in answer.value["message"], answer.value
    details = answer.value["details"]
    assert (details["limit"], details["scope"], details["value"]) == ("executions.max_bytes_per_tenant", "tenant", MOST)
    assert 1 <= int(answer.headers["retry-after"]) <= 60


def test_who_keeps_too_much_is_refused_until_it_deletes(new_server):
    server = new_server(*BOUND)
    api, other = server.api, server.tenant("other")
    assert kept(api) == 0 and stats(api)["limits"]["executions_max_bytes"] == MOST
    first, second = printed(api, 60_000), printed(api, 150_000)
    assert 210_000 < kept(api) < 220_000
    refused(api.post("/v1/executions", {"shell": "true"}))
    refused(api.post("/v1/executions", {"shell": "true", "wait": False}, headers={"Idempotency-Key": "one"}))
    batch = api.post("/v1/executions/batch", {"executions": [{"shell": "true"}]})
    assert "executions.max_bytes_per_tenant" in str(batch.value) and "execution_id" not in str(batch.value), batch.value
    said = server.cli("run", "--", "true")
    assert said.returncode != 0 and b"executions.max_bytes_per_tenant" in said.stderr, said.stderr
    assert other.run(shell="echo goes on")["stdout"] == "goes on\n"
    assert kept(other) < 5_000
    server.process.kill()
    server.process.wait()
    server.process = None
    server.start()
    refused(server.api.post("/v1/executions", {"shell": "true"}))
    assert server.api.delete(f"/v1/executions/{first}").status == 204
    assert server.api.run(shell="true")["status"] == "success"
    assert server.api.run(shell="true", headers={"Idempotency-Key": "one"})["status"] == "success", "a refused request uses no key"
    assert is_there(server.api, second)
    server.stop()
    check(server, server.data)


def test_single_bytes_are_counted_as_what_they_take(new_server):
    api = new_server().api
    api.run(language="python", code="import os\nfor _ in range(300):\n    os.write(1, b'x')\n")
    rows = sum(each["kind"] == "output" for each in api.log(api.get("/v1/executions").value["items"][0]["execution_id"]))
    assert kept(api) > 64 * rows + 300


def test_the_oldest_go_with_their_logs_and_files(new_server):
    server = new_server(*BOUND, *OLDEST_GO)
    api = server.api
    running = api.start(command=["cat"], stdin_open=True)
    until(lambda: api.show(running)["status"] == "running")
    made = api.run(shell="echo kept > left; head -c 60000 /dev/zero | tr '\\0' x", collect=["left"])["execution_id"]
    first, second = printed(api, 70_000), printed(api, 90_000)    # who is faster than the removal would be refused
    until(lambda: kept(api) <= MOST, what="the oldest are gone")
    third = printed(api, 90_000)
    until(lambda: kept(api) <= MOST, what="the oldest are gone")
    assert not is_there(api, first)
    assert not is_there(api, made) and is_there(api, running)
    for what in ("events", "logs", "artifacts", "artifacts/left"):
        assert api.get(f"/v1/executions/{made}/{what}").status == 404
    assert is_there(api, second) and is_there(api, third) and kept(api) <= MOST
    assert stats(api)["artifacts"]["files"] == 0
    api.stdin(running, "", eof=True)
    assert api.ended(running)["status"] == "success"
    assert api.run(shell="true")["status"] == "success"


def test_ended_executions_go_after_their_time(new_server):
    server = new_server()
    old = printed(server.api, 70_000)
    running = server.api.start(command=["cat"], stdin_open=True)
    until(lambda: server.api.show(running)["status"] == "running")
    server.stop()
    server.start("--set", "executions.retention_ms=1")
    until(lambda: not is_there(server.api, old), what="the old one is gone")
    assert is_there(server.api, running)
    assert server.api.get("/v1/stats").value["executions"]["success"] == 1, "how it ended stays counted"
    server.api.cancel(running)
    server.api.ended(running)


def test_a_kill_during_the_removal_leaves_nothing_half(new_server):
    server = new_server()
    ids = [printed(server.api, size) for size in (10, 70_000) for _ in range(20)]
    server.stop()
    server.start("--set", "executions.max_bytes_per_tenant=10000", *OLDEST_GO)
    until(lambda: not is_there(server.api, ids[0]), what="the removal began")
    server.process.kill()
    server.process.wait()
    server.process = None
    check(server, server.data)
    server.start("--set", "executions.max_bytes_per_tenant=10000", *OLDEST_GO)
    until(lambda: kept(server.api) <= 10_000, what="the removal ended")
    assert not is_there(server.api, ids[-1])
    server.stop()
    check(server, server.data)


def test_wrong_bounds_are_refused(shared_server):
    for setting, value, says in (
        ("executions.max_bytes_per_tenant", "-1", b"0"),
        ("executions.retention_ms", "-1", b"0"),
        ("executions.remove_oldest", "maybe", b"true"),
    ):
        said = shared_server.cli("serve", "--data", "/nonexistent", "--set", f"{setting}={value}")
        assert said.returncode != 0 and setting.encode() in said.stderr and says in said.stderr, said.stderr

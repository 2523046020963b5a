"""POST /v1/executions/batch: many executions in one request, each taken or refused by itself, as results or as one merged stream."""

import json

import pytest

from harness import events as event_tools
from harness.waiting import until

PATH = "/v1/executions/batch"


def post(api, executions, want=200, headers=None, **more):
    answer = api.post(PATH, {"executions": executions, **more}, headers=headers)
    assert answer.status == want, (answer.status, answer.value)
    return answer


def results(api, executions, want=200, **more):
    found = post(api, executions, want, **more)["results"]
    assert [each["index"] for each in found] == list(range(len(executions)))
    return found


class Merged:
    """A merged stream: its frames as they come, each judged by the contract."""

    def __init__(self, api, executions, headers=None, **more):
        self.api, self.connection = api, api.connect()
        fields = {**api.credentials(), "Content-Type": "application/json", "Accept": "text/event-stream", **(headers or {})}
        self.connection.request("POST", PATH, json.dumps({"executions": executions, **more}), fields)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        self.replayed = self.response.headers.get("Idempotency-Replayed")

    def __iter__(self):
        for raw in self.response:
            line = raw.decode().rstrip("\n")
            assert not line or line.startswith(("data: ", ":")), line
            if line.startswith("data: "):
                frame = json.loads(line.removeprefix("data: "))
                self.api.contract.check_frame(frame)
                yield frame

    def close(self):
        self.response.close()
        self.connection.close()


def by_ref(frames):
    found = {}
    for frame in frames:
        found.setdefault(frame["ref"], []).append(frame)
    return found


def test_each_has_its_result_in_order(api):
    found = results(api, [
        {"shell": "sleep 0.3; echo slow"}, {"language": "python", "code": "print(6*7)"}, {"command": ["sh", "-c", "exit 3"], "labels": {"b": "2"}},
    ])
    ends = [(each["execution"]["status"], each["execution"]["stdout"]) for each in found]
    assert ends == [("success", "slow\n"), ("success", "42\n"), ("failed", "")]
    assert found[2]["execution"]["exit_code"] == 3 and found[2]["execution"]["labels"] == {"b": "2"}
    for each in found:
        assert api.show(each["execution"]["execution_id"])["status"] == each["execution"]["status"]


def test_a_mistake_is_its_items_alone(api):
    found = results(api, [{"shell": "echo fine"}, {"shell": "x", "limits": {"pids": 0}, "colour": "red"}, 7, {"shell": "x", "wait": False}, {"shell": "echo too"}])
    assert [each["execution"]["stdout"] for each in (found[0], found[4])] == ["fine\n", "too\n"]
    fields = {each["field"] for each in found[1]["error"]["details"]["fields"]}
    assert found[1]["error"]["error"] == "bad_request" and fields == {"limits.pids", "colour"}
    assert "object" in found[2]["error"]["message"] and "batch" in found[3]["error"]["message"]


BAD_BATCHES = [
    ("no_list", {}, "executions"),
    ("empty", {"executions": []}, "executions"),
    ("too_many", {"executions": [{"shell": "true"}] * 101}, "executions"),
    ("unknown_field", {"executions": [{"shell": "true"}], "parallel": 3}, "parallel"),
]


@pytest.mark.parametrize("body, field", [pytest.param(b, f, id=n) for n, b, f in BAD_BATCHES])
def test_what_is_no_batch_is_a_400(api, body, field):
    answer = api.post(PATH, body)
    assert answer.status == 400 and field in answer.fields()


def test_a_key_without_the_scope_runs_nothing(server):
    reader = server.api.with_key(server.new_key("batch-reader", "--scope", "read"))
    assert reader.post(PATH, {"executions": [{"shell": "true"}]}).status == 403


def test_it_need_not_be_waited_for(api):
    found = results(api, [{"shell": "read line", "stdin_open": True}, {"nothing": 1}], 202, wait=False)
    one = found[0]["execution"]
    assert one["status"] in ("queued", "running") and found[1]["error"]["error"] == "bad_request"
    other = results(api, [{"shell": "read line", "stdin_open": True}], 202, headers={"Prefer": "respond-async"})[0]["execution"]
    for each in (one, other):
        api.stdin(each["execution_id"], "x\n", eof=True)
        assert api.ended(each["execution_id"])["status"] == "success"


def test_one_stream_has_the_events_of_all(api):
    code = "import sys\nfor i in range(50): print(sys.argv[1], i, flush=True)"
    wanted = [{"language": "python", "code": code, "args": [str(n)]} for n in range(3)] + [{"shell": ""}, {"shell": "echo last >&2; exit 4"}]
    merged = Merged(api, wanted)
    found = by_ref(merged)
    merged.close()
    assert set(found) == {"0", "1", "2", "3", "4"}
    assert [frame["kind"] for frame in found["3"]] == ["error"] and found["3"][0]["details"]["fields"]
    for n in "012":
        log = event_tools.check_log(found[n], live=True)
        assert len({frame["execution_id"] for frame in log}) == 1
        assert event_tools.joined(log).decode() == "".join(f"{n} {i}\n" for i in range(50))
        kept = api.log(log[0]["execution_id"])
        assert event_tools.summary(kept) == event_tools.summary(log)
    assert event_tools.joined(found["4"], "stderr") == b"last\n" and found["4"][-1]["exit_code"] == 4


def test_one_that_floods_does_not_hide_the_others(api):
    """The quiet one's line comes while the other still prints: its reader is slow, its log long."""
    flood = {"shell": "while :; do printf '%065536d' 0; done", "limits": {"wall_ms": 60_000, "max_output_bytes": 8 << 20}, "cancel_on_disconnect": True}
    quiet = {"shell": "read line; echo here", "stdin_open": True, "cancel_on_disconnect": True}
    merged = Merged(api, [flood, quiet])
    begun, seen = {}, 0
    for frame in merged:
        begun.setdefault(frame["ref"], frame["execution_id"])
        seen += len(frame.get("data", "")) if frame["ref"] == "0" else 0
        if len(begun) == 2 and seen > 1 << 20:
            break
    api.stdin(begun["1"], "go\n", eof=True)
    heard = next(frame for frame in merged if frame["ref"] == "1" and frame["kind"] == "output")
    assert heard["data"] == "here\n"
    assert api.show(begun["0"])["status"] == "running"
    merged.close()
    assert api.ended(begun["0"])["status"] == "cancelled"    # its client left


def test_a_client_that_leaves_ends_what_is_bound_to_it_alone(api):
    stays = {"shell": "read line; echo $line", "stdin_open": True}
    merged = Merged(api, [stays, {**stays, "cancel_on_disconnect": True}])
    begun = {}
    for frame in merged:
        begun[frame["ref"]] = frame["execution_id"]
        if len(begun) == 2:
            break
    merged.close()
    assert api.ended(begun["1"])["status"] == "cancelled"
    api.stdin(begun["0"], "still there\n", eof=True)
    assert api.ended(begun["0"])["stdout"] == "still there\n"


def test_a_waiting_client_that_leaves_is_no_other(api):
    connection = api.connect()
    label = {"batch": "left"}
    body = {"executions": [{"shell": "sleep 600", "cancel_on_disconnect": True, "labels": label}, {"shell": "read x", "stdin_open": True, "labels": label}]}
    connection.request("POST", PATH, json.dumps(body), {**api.credentials(), "Content-Type": "application/json"})

    def begun():
        found = api.get("/v1/executions", query={"label": "batch=left", "status": "running"})["items"]
        return found if len(found) == 2 else None

    items = until(begun)
    connection.close()
    first, second = sorted(each["execution_id"] for each in items)
    assert api.ended(first)["status"] == "cancelled"
    api.stdin(second, "", eof=True)
    assert api.ended(second)["status"] == "failed"    # read found the end


# Idempotency-Key


def ids(found):
    return [each["execution"]["execution_id"] if "execution" in each else each["error"]["error"] for each in found]


def test_a_repeat_under_its_key_is_the_same_batch(api):
    batch, key = [{"nothing": 1}, {"shell": "echo one"}, {"shell": "echo two"}], {"Idempotency-Key": "batch-repeat"}
    first, again = (post(api, batch, headers=key) for _ in range(2))
    assert ids(first["results"]) == ids(again["results"]) and first["results"] == again["results"]
    assert "idempotency-replayed" not in first.headers and again.headers["idempotency-replayed"] == "true"
    merged = Merged(api, batch, headers=key)    # a stream has another Accept, not another body
    log = by_ref(merged)
    merged.close()
    assert merged.replayed == "true" and log["1"][0]["execution_id"] == first["results"][1]["execution"]["execution_id"]
    other = api.post(PATH, {"executions": [{"shell": "echo other"}, {"shell": "echo two"}, {"shell": "echo three"}]}, headers=key)
    assert other.status == 422 and other["error"] == "unprocessable"
    assert api.post("/v1/executions", {"shell": "echo single"}, headers=key).status == 200    # apart from single requests


def test_a_repeat_finds_what_was_deleted_gone(api):
    batch, key = [{"shell": "echo one"}, {"shell": "echo two"}], {"Idempotency-Key": "batch-gone"}
    first = ids(post(api, batch, headers=key)["results"])
    assert api.delete(f"/v1/executions/{first[0]}").status == 204
    assert ids(post(api, batch, headers=key)["results"]) == ["gone", first[1]]


def test_bounds_hold_for_each_and_the_key_stays_free(new_server):
    server = new_server("--set", "executions.max_running=1", "--set", "executions.tenant_max_queued=2")
    api = server.api
    blocker = api.start(shell="read x", stdin_open=True)
    until(lambda: api.show(blocker)["status"] == "running")
    waits = {"shell": "true"}
    found = results(api, [waits] * 4, 202, wait=False)
    assert [("execution" in each) for each in found] == [True, True, False, False]
    refused = found[2]["error"]
    assert refused["error"] == "queue_full" and refused["details"]["limit"] and refused["details"]["retry_after_s"] >= 1
    # The first cannot be accepted, so none is: the key has no part of the batch.
    key = {"Idempotency-Key": "batch-bounds"}
    assert ids(results(api, [waits] * 2, 200, wait=False, headers=key)) == ["queue_full", "queue_full"]
    api.stdin(blocker, "", eof=True)
    for each in found[:2]:
        api.ended(each["execution"]["execution_id"])
    after = post(api, [waits] * 2, headers=key)
    assert [each["execution"]["status"] for each in after["results"]] == ["success"] * 2 and "idempotency-replayed" not in after.headers


def test_a_repeat_after_the_server_was_killed_is_the_same_batch(new_server):
    server = new_server()
    batch, key = [{"shell": "read x", "stdin_open": True}, {"nothing": 1}, {"shell": "true"}], {"Idempotency-Key": "batch-killed"}
    first = ids(results(server.api, batch, 202, wait=False, headers=key))
    server.kill()
    server.start()
    again = post(server.api, batch, 202, wait=False, headers=key)
    assert ids(again["results"]) == first and again.headers["idempotency-replayed"] == "true"
    server.api.stdin(first[0], "x\n", eof=True)
    assert server.api.ended(first[0])["status"] == "success" and server.api.ended(first[2])["status"] == "success"
    assert len(server.api.get("/v1/executions")["items"]) == 2


def test_a_server_that_stops_answers_202(new_server):
    server = new_server()
    api = server.api
    connection = api.connect()
    body = json.dumps({"executions": [{"shell": "echo done"}, {"shell": "sleep 600", "labels": {"batch": "stop"}}]})
    connection.request("POST", PATH, body, {**api.credentials(), "Content-Type": "application/json"})
    until(lambda: len(api.get("/v1/executions", query={"status": "success"})["items"]) == 1)
    stays = until(lambda: [each["execution_id"] for each in api.get("/v1/executions", query={"label": "batch=stop"})["items"]])
    until(lambda: api.show(stays[0])["status"] == "running")    # lists tell it a little earlier
    server.terminate()
    answer = connection.getresponse()
    found = json.loads(answer.read())["results"]
    connection.close()
    server.join()
    assert answer.status == 202
    assert [each["execution"]["status"] for each in found] == ["success", "running"]
    server.start()
    server.api.cancel(found[1]["execution"]["execution_id"])
    assert server.api.ended(found[1]["execution"]["execution_id"])["status"] == "cancelled"

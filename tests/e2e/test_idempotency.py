"""Idempotency-Key: however often and whenever a request comes again, its program runs once."""

import json
import signal
import socket
import threading

import pytest

from harness.leaks import Baseline
from harness.waiting import until

RUN = {"shell": "echo once"}


def keyed(api, key, body=None, **headers):
    return api.post("/v1/executions", RUN if body is None else body, headers={"Idempotency-Key": key, **headers})


def all_ids(api, **query):
    return [item["execution_id"] for item in api.get("/v1/executions", query={"limit": 200, **query}).value["items"]]


def labelled(key, **more):
    """A body that can be found again in the list."""
    return {**RUN, "labels": {"test": key}, **more}


def ids_of(api, key):
    return all_ids(api, label=f"test={key}")


def test_a_repeat_gets_the_same_execution(api):
    body = labelled("repeat")
    first = keyed(api, '"a repeat"', body)
    assert first.status == 200 and "idempotency-replayed" not in first.headers
    for key in ('"a repeat"', "a repeat"):
        again = keyed(api, key, body)
        assert again.status == 200 and again.headers["idempotency-replayed"] == "true"
        assert again.value == first.value
    assert ids_of(api, "repeat") == [first["execution_id"]]


def test_each_repeat_is_answered_in_its_own_form(api):
    body = {"shell": "echo on; read x; echo off", "stdin_open": True, "labels": {"test": "forms"}}
    first = keyed(api, "forms", body, Prefer="respond-async")
    assert first.status == 202
    one = first["execution_id"]
    second = keyed(api, "forms", body, Prefer="respond-async")
    assert second.status == 202 and second["execution_id"] == one
    assert second.headers["idempotency-replayed"] == "true" and second.headers["location"].endswith(one)

    waited = {}
    waiting = threading.Thread(target=lambda: waited.update(answer=keyed(api, "forms", body)))
    waiting.start()
    connection = api.connect()
    headers = {**api.credentials(), "Idempotency-Key": "forms", "Accept": "text/event-stream", "Content-Type": "application/json"}
    connection.request("POST", "/v1/executions", body=json.dumps(body), headers=headers)
    stream = connection.getresponse()
    assert stream.status == 200 and stream.headers["Idempotency-Replayed"] == "true"
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert api.stdin(one, "\n", eof=True).status == 202
    text = stream.read().decode()
    connection.close()
    assert '"kind":"exit"' in text and text.count(one) > 3
    waiting.join(60)
    answer = waited["answer"]
    assert answer.status == 200 and answer["execution_id"] == one and answer["stdout"] == "on\noff\n"
    assert answer.headers["idempotency-replayed"] == "true"
    assert ids_of(api, "forms") == [one]


def test_another_body_is_refused(api):
    assert keyed(api, "one body", labelled("body")).status == 200
    other = keyed(api, "one body", labelled("body", wait=True))
    assert other.status == 422 and other["error"] == "unprocessable"
    assert "one body" in other["message"] and "Idempotency-Key" in other.fields()
    assert len(ids_of(api, "body")) == 1


def test_a_request_that_is_refused_uses_no_key(api):
    assert keyed(api, "twice", {"shell": "true", "limits": {"wall_ms": 1}}).status == 400
    done = keyed(api, "twice")
    assert done.status == 200 and "idempotency-replayed" not in done.headers


@pytest.mark.parametrize("key", ['""', '"open', '"a";b=1', "k" * 256, '"\\x"'])
def test_a_malformed_key(api, key):
    refused = keyed(api, key)
    assert refused.status == 400 and "Idempotency-Key" in refused.fields(), refused.value


def test_a_deleted_execution_is_gone(api):
    body = labelled("deleted")
    one = keyed(api, "gone", body)["execution_id"]
    assert api.delete(f"/v1/executions/{one}").status == 204
    again = keyed(api, "gone", body)
    assert again.status == 410 and again["error"] == "gone" and one in again["message"]
    assert ids_of(api, "deleted") == []


def test_tenants_do_not_share_keys(server):
    other = server.tenant("twin")
    body = labelled("tenants")
    mine, theirs = keyed(server.api, "shared", body), keyed(other, "shared", labelled("tenants", wait=True))
    assert (mine.status, theirs.status) == (200, 200)
    assert mine["execution_id"] != theirs["execution_id"] and "idempotency-replayed" not in theirs.headers


def test_fifty_at_once_run_once(api):
    body, answers = labelled("fifty"), []
    senders = [threading.Thread(target=lambda: answers.append(keyed(api, "fifty", body))) for _ in range(50)]
    for each in senders:
        each.start()
    for each in senders:
        each.join(60)
    assert [one.status for one in answers] == [200] * 50
    assert len({one["execution_id"] for one in answers}) == 1
    assert sum("idempotency-replayed" not in one.headers for one in answers) == 1
    assert len(ids_of(api, "fifty")) == 1


def test_run_frames_have_keys_too(api):
    frame = {"type": "run", "idempotency_key": "frames", **labelled("frames")}
    found = set()
    for ref in ("a", "b"):
        with api.websocket("/v1/connect") as connection:
            connection.send_json({**frame, "ref": ref})
            while True:
                event = json.loads(connection.receive())
                api.contract.check_frame(event)
                assert event["ref"] == ref and event["kind"] != "error", event
                found.add(event["execution_id"])
                if event["kind"] == "exit":
                    assert event["status"] == "success"
                    break
    with api.websocket("/v1/connect") as connection:
        connection.send_json({**frame, "ref": "c", "shell": "echo other"})
        refused = json.loads(connection.receive())
        assert refused["kind"] == "error" and refused["error"] == "unprocessable"
    assert list(found) == ids_of(api, "frames")


def test_a_ticket_is_new_each_time(api):
    """Tickets hold once and vanish by themselves: a repeat gets its own, whatever its key."""
    tickets = [api.post("/v1/tickets", headers={"Idempotency-Key": "ticket"}) for _ in range(2)]
    assert [one.status for one in tickets] == [201, 201]
    assert tickets[0]["ticket"] != tickets[1]["ticket"]


@pytest.fixture
def own(new_server, request):
    server = new_server()
    server.api.run(command=["true"])
    before = Baseline(server)
    yield server
    if request.node.report_call.passed:
        before.compare()


def kill(server):
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.process = None


def post_and_kill(server, key, body, wait_for_bytes):
    """Sends the request and kills the server: at once, or when the answer begins."""
    data = json.dumps(body).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in server.api.credentials().items())
    with socket.create_connection(server.api.address, timeout=30) as raw:
        raw.sendall(f"POST /v1/executions HTTP/1.1\r\nHost: x\r\n{head}Idempotency-Key: {key}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        if wait_for_bytes:
            assert raw.recv(1)
        kill(server)


@pytest.mark.parametrize("moment", ["before the answer", "after the answer"])
def test_a_killed_server_does_not_run_it_twice(own, moment):
    rounds = 3 if moment == "before the answer" else 1
    for number in range(rounds):
        key = f"killed {number}"
        body = labelled(f"killed-{number}", wait=False)
        post_and_kill(own, key, body, moment == "after the answer")
        own.start()
        recorded = ids_of(own.api, f"killed-{number}")
        again = keyed(own.api, key, body)
        assert again.status == 202, again.value
        assert again.headers.get("idempotency-replayed") == ("true" if recorded else None)
        assert recorded in ([], [again["execution_id"]])
        record = own.api.ended(again["execution_id"])
        assert record["status"] == "success" and record["stdout"] == "once\n"
        assert ids_of(own.api, f"killed-{number}") == [again["execution_id"]]
    until(lambda: own.api.get("/ready").status == 200)

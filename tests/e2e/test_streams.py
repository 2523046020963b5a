"""The event log to any number of viewers: SSE and JSON lines, resumable at every event; slow viewers and many."""

import http.client
import json
import select
import socket
import threading

import pytest

from harness import events as tools
from harness.programs import paced
from harness.waiting import until
from harness.websocket import Closed


@pytest.mark.parametrize("sse", [False, True], ids=["json_lines", "sse"])
def test_events_are_seen_as_they_happen(api, sse):
    one = paced(api, 3)
    seen = []
    for event in api.follow(one, sse=sse):
        seen.append(event)
        if event["kind"] == "output" and event["stream"] == "stderr":
            api.stdin(one, "\n")    # the next line comes only because this one was seen
    tools.check_log(seen)
    assert tools.joined(seen).decode() == "line 0 é\nline 1 é\nline 2 é\n"
    assert tools.joined(seen, "stderr").decode() == "error 0\nerror 1\nerror 2\n"
    states = [event["status"] for event in seen if event["kind"] == "state"]
    assert states == ["queued", "running"]
    assert seen[-1]["status"] == "success" and seen[-1]["exit_code"] == 0
    assert tools.summary(seen) == tools.summary(api.log(one)), "the stored log is what was seen live"


def test_a_post_may_answer_with_the_stream(api):
    connection = api.connect()
    body = json.dumps({"shell": "echo a; echo b >&2"})
    connection.request("POST", "/v1/executions", body, {**api.credentials(), "Content-Type": "application/json", "Accept": "text/event-stream"})
    response = connection.getresponse()
    assert response.status == 200 and response.headers["Content-Type"].startswith("text/event-stream")
    seen = [event for _, event in tools.sse(response)]
    connection.close()
    tools.check_log(seen)
    for event in seen:
        api.contract.check_event(event)
    assert tools.joined(seen) == b"a\n" and tools.joined(seen, "stderr") == b"b\n"


def test_without_follow_it_ends_with_what_is_stored(api):
    one = paced(api, 1)
    next(e for e in api.follow(one) if e["kind"] == "output")
    # What was shown live is stored a moment later.
    seen = until(lambda: [e for e in api.follow(one, follow=False) if e["kind"] == "output"])
    assert seen[0]["offset"] == 0
    api.stdin(one, "\n", eof=True)
    assert api.ended(one)["status"] == "success"


def test_every_cursor_resumes_exactly_after_its_event(api):
    one = api.run(shell="for i in 1 2 3 4; do echo out $i; echo err $i >&2; done")["execution_id"]
    log = api.log(one)
    for at, event in enumerate(log):
        assert list(api.follow(one, after=event["cursor"])) == log[at + 1 :], at
    assert list(api.follow(one, after="0")) == log


def test_a_viewer_resumes_in_the_middle_of_output(api):
    one = paced(api, 6)
    seen = []
    cursor = "0"
    while not seen or seen[-1]["kind"] != "exit":
        for event in api.follow(one, after=cursor):    # three events, then the connection is lost
            seen.append(event)
            cursor = event["cursor"]
            if event["kind"] == "output" and event["stream"] == "stderr":
                api.stdin(one, "\n")
            if len(seen) % 3 == 0:
                break
    assert tools.joined(seen).decode() == "".join(f"line {i} é\n" for i in range(6))
    assert tools.joined(seen, "stderr").decode() == "".join(f"error {i}\n" for i in range(6))
    seqs = [event["seq"] for event in seen]
    assert seqs == sorted(set(seqs))


def test_last_event_id_wins_and_the_final_one_is_204(api):
    one = api.run(shell="echo 1; echo 2 >&2")["execution_id"]
    log = api.log(one)
    rest = list(api.follow(one, sse=True, after=log[0]["cursor"], headers={"Last-Event-ID": log[-2]["cursor"]}))
    assert rest == log[-1:]
    final = api.get(f"/v1/executions/{one}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": log[-1]["cursor"]})
    assert final.status == 204
    nonsense = api.get(f"/v1/executions/{one}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": "nonsense"})
    assert nonsense.status == 400 and "Last-Event-ID" in nonsense.fields()
    lines = api.get(f"/v1/executions/{one}/events", query={"after": log[-1]["cursor"]})
    assert lines.status == 200 and lines.body == b""


# Many viewers


def test_ten_viewers_see_the_same(api):
    one = paced(api, 5)
    logs = [[] for _ in range(10)]

    def view(at):
        logs[at] = list(api.follow(one, sse=at % 2 == 0))

    threads = [threading.Thread(target=view, args=(at,)) for at in range(10)]
    for thread in threads:
        thread.start()
    for event in api.follow(one):
        if event["kind"] == "output" and event["stream"] == "stderr":
            api.stdin(one, "\n")
    for thread in threads:
        thread.join(30)
    stored = tools.summary(api.log(one))
    for log in logs:
        assert tools.summary(tools.check_log(log)) == stored


def test_a_viewer_that_does_not_read_stops_nobody(api):
    """20 MB go past viewers that take nothing; they find all of it later."""
    one = api.start(shell="read x; head -c 20000000 /dev/zero | tr '\\0' x", stdin_open=True, limits={"max_output_bytes": 64 << 20})
    slow = api.websocket(f"/v1/executions/{one}/stream", {"frames": "binary"}, receive_buffer=4096)
    response, connection = api.open_events(one)
    api.stdin(one, "\n", eof=True)
    record = api.ended(one)
    assert record["status"] == "success" and record["usage"]["output_bytes"] == 20_000_000
    size = sum(len(tools.binary(frame)[3]) for frame in api.frames(slow) if isinstance(frame, bytes))
    assert size == 20_000_000
    slow.close()
    seen = [json.loads(line) for line in response]
    connection.close()
    assert len(tools.joined(tools.check_log(seen, live=True))) == 20_000_000


def test_viewers_that_vanish_leave_nothing(api):
    one = paced(api, 2)
    for _ in range(20):
        socket = api.stream(one)
        socket.receive()
        socket.abort()
        response, connection = api.open_events(one)
        response.readline()
        connection.close()
    for _ in range(2):
        api.stdin(one, "\n")
    assert api.ended(one)["status"] == "success"


def test_json_lines_from_the_final_cursor_are_empty_and_whole(api):
    one = api.run(shell="echo x")["execution_id"]
    final = api.log(one)[-1]["cursor"]
    for follow in ("0", "1"):
        answer = api.get(f"/v1/executions/{one}/events", query={"after": final, "follow": follow})
        assert (answer.status, answer.body) == (200, b"")


def test_a_cursor_beyond_the_end_ends_with_the_log(api):
    import base64

    one = api.start(shell="read line", stdin_open=True)
    beyond = base64.urlsafe_b64encode(b"1.99.999999.999").decode().rstrip("=")
    viewer = api.follow(one, after=beyond)
    api.stdin(one, "\n", eof=True)
    assert list(viewer) == []


# Tickets of event streams, as a browser's EventSource has them: it comes back to the same address.


def first_events(api, execution, ticket, count, last=None):
    """Ids and events of a stream that is cut by its client behind `count` of them."""
    connection = api.connect()
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
    connection.request("GET", f"/v1/executions/{execution}/events?ticket={ticket}", headers=headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    found = []
    for each in tools.sse(response):
        found.append(each)
        if len(found) == count:
            break
    connection.close()
    return found


def test_an_event_stream_with_a_ticket_is_resumed(api):
    one = paced(api, 2)
    ticket = api.post("/v1/tickets")["ticket"]
    before = first_events(api, one, ticket, 2)
    for _ in range(2):
        api.stdin(one, "\n")
    after = first_events(api, one, ticket, None, before[-1][0])
    assert tools.summary([event for _, event in before + after]) == tools.summary(api.log(one))


def test_the_ticket_of_a_stream_opens_nothing_else(api):
    one, other = (api.run(command=["true"])["execution_id"] for _ in range(2))
    ticket = api.post("/v1/tickets")["ticket"]
    first_events(api, one, ticket, 1)
    nobody = api.with_key(None)
    for path in (f"/v1/executions/{other}/events", f"/v1/executions/{one}", f"/v1/executions/{one}/logs", "/v1/executions"):
        answer = nobody.get(path, query={"ticket": ticket})
        assert answer.status == 401 and "ticket" in answer["message"], path
    first_events(api, one, ticket, 1)


def test_the_ticket_of_a_stream_ends_with_its_key(server):
    made = json.loads(server.cli("key", "create", "--data", server.data, "--tenant", "streams", "--output", "json").stdout)
    owner = server.api.with_key(made["key"])
    one = owner.run(command=["true"])["execution_id"]
    ticket = owner.post("/v1/tickets")["ticket"]
    first_events(owner, one, ticket, 1)
    assert server.cli("key", "revoke", "--data", server.data, made["id"]).returncode == 0
    answer = server.api.with_key(None).get(f"/v1/executions/{one}/events", query={"ticket": ticket})
    assert answer.status == 401


def revocable(server, tenant):
    """The api of a new key, and how it is revoked: by another process."""
    made = json.loads(server.cli("key", "create", "--data", server.data, "--tenant", tenant, "--output", "json").stdout)

    def revoke():
        assert server.cli("key", "revoke", "--data", server.data, made["id"]).returncode == 0

    return server.api.with_key(made["key"]), revoke


def closed_by(socket):
    """How the server closes a WebSocket, after what else it sends."""
    with pytest.raises(Closed) as end:
        while True:
            socket.receive()
    return end.value


def test_open_streams_end_with_their_key(server):
    owner, revoke = revocable(server, "revoked-streams")
    one = owner.start(command=["sleep", "60"], limits={"wall_ms": 60_000})
    stream, connection = owner.stream(one), owner.websocket("/v1/connect")
    connection.send_json({"type": "attach", "execution_id": one})
    lines, lines_connection = owner.open_events(one)
    events, events_connection = owner.open_events(one, sse=True)
    batch = owner.connect()
    batch.request("POST", "/v1/executions/batch", json.dumps({"executions": [{"command": ["sleep", "60"], "cancel_on_disconnect": True}]}),
                  {**owner.credentials(), "Content-Type": "application/json", "Accept": "text/event-stream"})
    merged = batch.getresponse()
    revoke()
    for socket in (stream, connection):
        end = closed_by(socket)
        assert (end.code, end.reason) == (1008, "the API key was revoked or has expired")
    for answer in (lines, events, merged):    # cut, not ended: the client sees that there was more
        with pytest.raises(http.client.IncompleteRead):
            answer.read()
    for each in (lines_connection, events_connection, batch):
        each.close()
    admin = server.api.with_key(server.new_key("revoked-streams"))
    assert admin.show(one)["status"] in ("queued", "running"), "what runs is not ended"
    admin.cancel(one)


def test_what_goes_with_its_client_goes_with_its_key(server):
    owner, revoke = revocable(server, "revoked-clients")
    with owner.websocket("/v1/connect") as connection:
        connection.send_json({"type": "run", "ref": "a", "command": ["sleep", "60"], "cancel_on_disconnect": True})
        one = json.loads(connection.receive())["execution_id"]
        revoke()
        assert closed_by(connection).code == 1008
    other = server.api.with_key(server.new_key("revoked-clients"))
    assert other.ended(one)["status"] == "cancelled"


def test_who_waits_for_an_end_waits_no_longer_than_its_key(server):
    owner, revoke = revocable(server, "revoked-waits")
    one = owner.start(command=["sleep", "60"], limits={"wall_ms": 60_000}, stdin_open=True)
    run = {"command": ["sleep", "60"], "limits": {"wall_ms": 60_000}, "cancel_on_disconnect": True}
    unread = {"data": "x" * (2 << 20)}    # more than the sandbox takes
    asked = (("POST", f"/v1/executions/{one}/stdin", unread), ("GET", f"/v1/executions/{one}?wait_ms=60000", None), ("POST", "/v1/executions", run),
             ("POST", "/v1/executions/batch", {"executions": [run]}))
    connections = []
    for method, path, body in asked:
        connection = owner.connect()
        connection.request(method, path, body and json.dumps(body), {**owner.credentials(), "Content-Type": "application/json"})
        connections.append(connection)
    until(lambda: len(owner.get("/v1/executions", query={"status": "running"})["items"]) == 3, what="all run")
    revoke()
    for connection in connections:
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["message"]) == (401, "the API key was revoked or has expired")
        connection.close()
    other = server.api.with_key(server.new_key("revoked-waits"))
    bound = [each["execution_id"] for each in other.get("/v1/executions")["items"] if each["execution_id"] != one]
    assert [other.ended(each)["status"] for each in bound] == ["cancelled"] * 2
    assert other.show(one)["status"] == "running", "what is not bound to its client goes on"
    other.cancel(one)


@pytest.mark.parametrize("path", ["/v1/skills", "/v1/skills/validate", "/v1/threads/planted/import"])
def test_an_upload_ends_with_its_key(server, path):
    owner, revoke = revocable(server, "revoked-uploads")
    fields = {**owner.credentials(), "Host": "x", "Content-Type": "application/zip", "Content-Length": "100000"}
    head = f"POST {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    with socket.create_connection(server.api.address, timeout=30) as connection:
        connection.sendall(head.encode() + b"{" * 1_000)
        revoke()

        def is_answered():
            if select.select([connection], [], [], 0.1)[0]:
                return True
            connection.sendall(b"{")    # it goes on to come, slowly
            return False

        until(is_answered, what="the upload is refused")
        assert b"HTTP/1.1 401" in connection.recv(100)
    other = server.api.with_key(server.new_key("revoked-uploads"))
    assert other.get("/v1/skills").value == [] and other.get("/v1/threads/planted").status == 404


def test_a_streams_key_may_expire(server):
    other = server.tenant("expiring")
    one = other.start(command=["sleep", "60"], limits={"wall_ms": 60_000})
    owner = server.api.with_key(server.new_key("expiring", "--expires", "10s"))
    assert closed_by(owner.stream(one)).code == 1008
    other.cancel(one)


def test_a_ticket_ends_with_its_key(server):
    owner, revoke = revocable(server, "revoked-tickets")
    ticket = owner.post("/v1/tickets")["ticket"]
    revoke()
    answer = server.api.with_key(None).get("/v1/connect", query={"ticket": ticket})
    assert answer.status == 401 and "revoked" in answer["message"]

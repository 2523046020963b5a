"""Files of threads that no export made: what is wrong in them is named, and what is right in them does no harm."""

import hashlib
import json

import pytest

from harness.threads import Thread


def line(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def digest(text):
    return hashlib.sha256(text).hexdigest()


def file_of(checkpoints, states=(b"1",), **head):
    """Of checkpoints that all have the state 1 and follow each other, but for what they say themselves."""
    data = line({"caisson_thread": 1, "max_checkpoints": 100, "thread": "t", **head})
    for state in states:
        data += line({"state": {"digest": digest(state), "encoding": "json"}}) + state + b"\n"
    for n, each in enumerate(checkpoints, 1):
        parent = {"parent_id": f"c{n - 1}"} if n > 1 else {}
        usual = {"id": f"c{n}", "position": n, "gap": 0, "digest": digest(b"1"), "created_at": "2026-01-31T12:00:00.000Z", "media_type": "application/json"}
        data += line({"checkpoint": {**usual, **parent, **each}})
    return data + line({"end": {"checkpoints": len(checkpoints), "sha256": digest(data)}})


def post_file(api, name, data):
    return api.post(f"/v1/threads/{name}/import", raw=data, headers={"Content-Type": "application/x-ndjson"})


def imported(api, name, data, want=201):
    answer = post_file(api, name, data)
    assert answer.status == want, (answer.status, answer.value)
    return answer


def test_what_a_file_has_no_room_for_is_gone_in_the_answer(thread_owner):
    made = imported(thread_owner, "agent-1", file_of([{"pinned": n in (3, 70)} for n in range(300)], max_checkpoints=2))
    thread = Thread(thread_owner, "agent-1")
    assert made["checkpoints"] == 4 and thread.ids(order="asc") == ["c4", "c71", "c299", "c300"]
    assert [each["gap"] for each in thread.list(order="asc")["items"]] == [3, 66, 227, 0]


WRONG = [
    ([{"gap": 1}], {}, "gap"),
    ([{}, {"gap": 2**53 - 1}], {}, "gap"),
    ([{}, {"position": 9, "gap": 8}], {}, "gap"),
    ([{"colour": 1}], {}, "colour that is not known"),
    ([{}], {"colour": 1}, "colour that is not known"),
    ([{}], {"max_checkpoints": "5"}, "max_checkpoints that is no integer"),
    ([{}], {"ttl_ms": 1.5}, "ttl_ms that is no integer"),
    ([{}], {"states": (b"1", b"2")}, "a state behind one that no checkpoint has"),
    ([], {}, "a state that no checkpoint has"),
]


@pytest.mark.parametrize("checkpoints, more, says", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_named(thread_owner, checkpoints, more, says):
    answer = imported(thread_owner, "agent-1", file_of(checkpoints, **more), 400)
    assert says in answer["message"], answer["message"]
    assert Thread(thread_owner, "agent-1").show(404)


def begun_import(api, name, data):
    """An import that the server waits for, of which only the front was sent."""
    connection = api.connect()
    connection.putrequest("POST", f"/v1/threads/{name}/import")
    more = {"Content-Type": "application/x-ndjson", "Content-Length": str(len(data)), "Expect": "100-continue"}
    for header, value in {**api.credentials(), **more}.items():
        connection.putheader(header, value)
    connection.endheaders()
    said = b""
    while not said.endswith(b"\r\n\r\n"):    # 100 Continue
        more = connection.sock.recv(1)
        assert more, said
        said += more
    assert said.startswith(b"HTTP/1.1 100 "), said
    connection.send(data[:50])
    return connection


def test_a_tenant_leaves_others_room_to_import(server, thread_owner):
    data = file_of([{}])
    begun = []
    try:
        for n in range(4):
            begun.append(begun_import(thread_owner, f"slow-{n}", data))
        refused = post_file(thread_owner, "agent-1", data)
        assert refused.status == 429 and refused["error"] == "queue_full" and "this tenant" in refused["message"], refused
        imported(server.tenant("threads-other"), "agent-1", data)
        begun[0].send(data[50:])
        assert begun[0].getresponse().status == 201
        imported(thread_owner, "agent-1", data)
    finally:
        for each in begun:
            each.close()


def test_gaps_may_be_as_wide_as_the_way_is(thread_owner):
    far = 2**40
    made = imported(thread_owner, "agent-1", file_of([{"position": far, "gap": far - 1}, {"position": 2 * far, "gap": far - 1}, {"position": 2 * far + 1}], max_checkpoints=1))
    assert made["checkpoints"] == 1
    assert Thread(thread_owner, "agent-1").get()["gap"] == 2 * far
    assert Thread(thread_owner, "agent-1").save(2)["position"] == 2 * far + 2

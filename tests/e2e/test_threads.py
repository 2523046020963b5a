"""Checkpoints of an agent's state: what is saved is there, once and in order."""

import hashlib
import json
import threading
import time

import pytest

from harness.threads import Thread, apply_patch
from harness.waiting import until


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def test_a_state_is_there_as_it_was_saved(agent):
    state = {"b": [1, 2, {"c": None}], "a": "ä\u0000\n", "n": 12345678901234567890123}
    metadata = {"step": 3, "node_id": "plan", "tags": ["x", "y"], "custom": {"k": 1.50}}
    saved = agent.save(state, metadata=metadata)
    found = agent.get(saved["id"])
    assert found["state"] == state and found["metadata"] == metadata
    assert found["digest"] == hashlib.sha256(canonical(state)).hexdigest() and found["size_bytes"] == len(canonical(state))
    assert agent.get("latest") == found
    assert saved["parent_id"] is None and saved["position"] == 1
    raw = agent.api.get(f"{agent.path}/checkpoints/latest/state")
    assert raw.body == canonical(state) and raw.headers["etag"].strip('"') == found["digest"]
    assert raw.headers["x-checkpoint-id"] == saved["id"]


def test_numbers_are_kept_digit_by_digit(agent):
    text = '{"state": {"big": 9007199254740993, "more": 1e400, "exact": 0.1000, "minus": -0.0}, "metadata": {"custom": {"n": 1.0e5}}}'
    answer = agent.api.post(f"{agent.path}/checkpoints", raw=text.encode())
    assert answer.status == 201, answer.value
    found = agent.api.get(f"{agent.path}/checkpoints/latest")
    assert b'"state":{"big":9007199254740993,"exact":0.1000,"minus":-0.0,"more":1e400}' in found.body
    assert b'"custom":{"n":1.0e5}' in found.body


@pytest.mark.parametrize("state", [None, True, 0, "", "text", [], {}, [[]], {"": {"": ""}}])
def test_any_json_is_a_state(agent, state):
    agent.save(state)
    assert agent.get()["state"] == state


def test_bytes_keep_their_name(agent):
    answer = agent.api.post(f"{agent.path}/checkpoints", {"state_base64": "AP+AAQ==", "media_type": "application/x-pickle"})
    assert answer.status == 201 and answer["media_type"] == "application/x-pickle" and answer["size_bytes"] == 4
    assert agent.get()["state_base64"] == "AP+AAQ==" and "state" not in agent.get()
    raw = agent.api.get(f"{agent.path}/checkpoints/latest/state", judged=False)
    assert raw.body == b"\0\xff\x80\1" and raw.headers["content-type"] == "application/x-pickle"


def test_saves_follow_each_other(agent):
    ids = [agent.save(n)["id"] for n in range(5)]
    assert [each["id"] for each in agent.check_chain()] == ids
    assert agent.ids() == ids[::-1] and agent.ids(order="asc") == ids
    assert agent.show()["checkpoints"] == 5 and agent.show()["latest_id"] == ids[-1]


def test_a_repeat_is_the_first_one(agent):
    first = agent.save({"n": 1}, id="step.1")
    agent.save({"n": 2})
    assert agent.save({"n": 1}, want=200, id="step.1") == first
    taken = agent.save({"n": 3}, want=409, id="step.1")
    assert taken["error"] == "conflict" and taken["details"]["fields"][0]["field"] == "id"
    assert agent.save({"n": 1}, want=409, id="step.1", metadata={"step": 1})
    assert len(agent.ids()) == 2


def test_an_idempotency_key_stands_for_an_id(agent):
    key = {"Idempotency-Key": "once"}
    first = agent.save({"n": 1}, headers=key)
    assert agent.save({"n": 1}, want=200, headers=key)["id"] == first["id"]
    assert agent.save({"n": 2}, want=422, headers=key)["error"] == "unprocessable"
    both = agent.save({"n": 1}, want=400, headers=key, id="mine")
    assert both["details"]["fields"][0]["field"] == "Idempotency-Key" and agent.ids() == [first["id"]]


def test_if_latest_says_the_current_one(agent):
    first = agent.save(1, if_latest=None)
    refused = agent.save(2, want=409, if_latest=None)
    assert refused["details"]["current"]["id"] == first["id"]
    second = agent.save(2, if_latest=first["id"])
    assert agent.save(3, want=409, if_latest=first["id"])["details"]["current"]["id"] == second["id"]
    assert Thread(agent.api, "none").save(1, want=409, if_latest="x")["details"]["current"] is None
    assert Thread(agent.api, "none").show(404)


def test_bounds_are_inclusive_and_pages_go_on(agent):
    ids = [agent.save(n, id=f"c{n}")["id"] for n in range(9)]
    assert agent.ids(after="c3", before="c5") == ["c5", "c4", "c3"]
    assert agent.ids(after="c3", before="c5", order="asc", limit=2) == ["c3", "c4"]
    assert [each["id"] for each in agent.pages(limit=2)] == ids[::-1]
    assert [each["id"] for each in agent.pages(limit=2, order="asc")] == ids
    times = {each["id"]: each["created_at"] for each in agent.list()["items"]}
    assert set(agent.ids(after=times["c4"])) == {each for each in ids if times[each] >= times["c4"]}
    assert set(agent.ids(before=times["c4"])) == {each for each in ids if times[each] <= times["c4"]}
    assert agent.ids(before="2001-01-01T00:00:00Z") == []


def test_metadata_narrows(agent):
    for n in range(6):
        agent.save(n, id=f"c{n}", metadata={"step": n // 2, "node_id": "ab"[n % 2], "tags": [f"t{n % 3}", "all"], "custom": {"n": n, "s": str(n)}})
    assert agent.ids(step=1) == ["c3", "c2"]
    assert agent.ids(node_id="b") == ["c5", "c3", "c1"]
    assert agent.ids(tag="t1") == ["c4", "c1"]
    assert agent.ids(**{"custom.n": "4"}) == ["c4"]
    assert agent.ids(**{"custom.s": "4", "tag": "all"}) == ["c4"]
    answer = agent.api.get(f"{agent.path}/checkpoints", query=[("tag", "t0"), ("tag", "all")])
    assert [each["id"] for each in answer["items"]] == ["c3", "c0"]


def test_lists_have_states_if_they_are_asked_for(agent):
    for n in range(3):
        agent.save({"n": n})
    assert all("state" not in each for each in agent.list()["items"])
    assert [each["state"]["n"] for each in agent.list(include="state")["items"]] == [2, 1, 0]


def test_what_is_too_much_goes_and_the_gap_is_told(agent):
    agent.configure(max_checkpoints=3)
    for n in range(6):
        agent.save(n, id=f"c{n}", pinned=n == 1)
    found = {each["id"]: (each["parent_id"], each["gap"]) for each in agent.list()["items"]}
    assert found == {"c1": (None, 1), "c3": ("c1", 1), "c4": ("c3", 0), "c5": ("c4", 0)}
    answer = agent.api.delete(f"{agent.path}/checkpoints/c1/pin")
    assert answer.status == 200 and answer["pinned"] is False
    assert agent.ids() == ["c5", "c4", "c3"]
    assert agent.configure(max_checkpoints=1)["checkpoints"] == 1
    assert agent.ids() == ["c5"]


def test_what_ran_out_goes_by_itself(agent):
    agent.configure(ttl_ms=1)
    agent.save(1, id="a")
    agent.save(2, id="b")
    until(lambda: agent.ids() == ["b"], what="the older one is gone")
    assert agent.state("b") == 2


def test_removal(agent):
    for n in range(4):
        agent.save(n, id=f"c{n}")
    assert agent.api.delete(f"{agent.path}/checkpoints/c1").status == 204
    assert agent.api.delete(f"{agent.path}/checkpoints/c1").status == 404
    assert agent.get("c2")["parent_id"] == "c0" and agent.get("c2")["gap"] == 1
    assert agent.api.delete(f"{agent.path}/checkpoints/latest").status == 400
    agent.remove()
    agent.remove()
    assert agent.show(404) and agent.get("c0", 404)
    assert agent.save(1)["position"] == 1


def test_back_by_a_copy(agent):
    for n in range(3):
        agent.save({"n": n}, id=f"c{n}")
    done = agent.post("rollback", 201, checkpoint_id="c0", mode="append")["latest"]
    assert done["parent_id"] == "c0" and done["rollback_of"] == "c0"
    assert agent.state() == {"n": 0}
    after = agent.save({"n": 9})
    assert after["parent_id"] == done["id"] and len(agent.ids()) == 5


def test_back_by_removal(agent):
    for n in range(4):
        agent.save({"n": n}, id=f"c{n}")
    agent.api.call("PUT", f"{agent.path}/checkpoints/c3/pin")
    assert "c3" in agent.post("rollback", 409, checkpoint_id="c1", mode="truncate")["message"]
    agent.api.delete(f"{agent.path}/checkpoints/c3/pin")
    done = agent.post("rollback", 200, checkpoint_id="c1", mode="truncate")
    assert done["removed"] == 2 and done["latest"]["id"] == "c1"
    assert agent.ids() == ["c1", "c0"]
    assert agent.save({"n": 5})["position"] == 5
    assert agent.post("rollback", 404, checkpoint_id="zz", mode="append")


def test_branches(agent):
    for n in range(3):
        agent.save({"n": n}, id=f"c{n}")
    made = agent.post("branch", 201, thread="other", checkpoint_id="c1")
    assert made["branched_from"] == {"thread": "agent-1", "checkpoint_id": "c1"}
    other = Thread(agent.api, "other")
    assert other.state() == {"n": 1}
    other.save({"n": "other"})
    assert agent.state() == {"n": 2}
    assert agent.post("branch", 409, thread="other")
    agent.configure(max_checkpoints=1)
    assert agent.ids() == ["c2", "c1"]
    other.remove()
    agent.save({"n": 3}, id="c3")
    assert agent.ids() == ["c3"]


def test_a_diff_applies(agent):
    one = {"a": [1, 2, 3, {"x": "y"}], "b": {"c": 1, "d/e": 2, "f~g": 3}, "long": list(range(100))}
    two = {"a": [1, 3, {"x": "z"}, 4], "b": {"c": 1, "d/e": 5}, "long": list(range(1, 101)), "new": None}
    agent.save(one, id="one")
    agent.save(two, id="two")
    diff = agent.api.get(f"{agent.path}/diff", query={"from": "one", "to": "two"})
    assert diff.status == 200 and apply_patch(one, diff["patch"]) == two
    back = agent.api.get(f"{agent.path}/diff", query={"from": "latest", "to": "one"})
    assert apply_patch(two, back["patch"]) == one
    assert agent.api.get(f"{agent.path}/diff", query={"from": "one", "to": "one"})["patch"] == []
    agent.api.post(f"{agent.path}/checkpoints", {"state_base64": "AA==", "media_type": "a/b", "id": "bytes"})
    assert agent.api.get(f"{agent.path}/diff", query={"from": "bytes", "to": "one"}).status == 400


def export(agent):
    answer = agent.api.get(f"{agent.path}/export")
    assert answer.status == 200
    return answer.body


def imported(agent, name, data, want=201):
    answer = agent.api.post(f"/v1/threads/{name}/import", raw=data, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status == want, (answer.status, answer.value)
    return answer


def test_a_thread_goes_out_and_comes_in(agent):
    big = {"items": [{"id": n, "text": f"entry {n * 7919 % 1000}"} for n in range(5_000)]}
    agent.configure(max_checkpoints=50, ttl_ms=3_600_000)
    for n in range(12):
        agent.save({**big, "n": n}, id=f"c{n}", metadata={"step": n, "tags": ["t"], "custom": {"n": n}}, pinned=n == 2)
    agent.api.post(f"{agent.path}/checkpoints", {"state_base64": "AP8=", "media_type": "x/y"})
    agent.post("rollback", 201, checkpoint_id="c3", mode="append")
    data = export(agent)
    made = imported(agent, "copy", data)
    copy = Thread(agent.api, "copy")
    assert made["max_checkpoints"] == 50 and made["ttl_ms"] == 3_600_000 and made["checkpoints"] == 14
    strip = lambda thread: [{**each, "thread": ""} for each in thread.pages(include="state", limit=3)]
    assert strip(copy) == strip(agent)
    assert export(copy).splitlines()[1:-1] == data.splitlines()[1:-1]
    imported(agent, "copy", data, 409)
    again = {"id": "c11", "metadata": {"step": 11, "tags": ["t"], "custom": {"n": 11}}}
    assert copy.save({**big, "n": 11}, want=200, **again)["position"] == 12, "a client that goes on there may repeat its last save"
    copy.save({**big, "n": 12}, want=409, **again)
    assert copy.save(1)["position"] == made["checkpoints"] + 1


@pytest.mark.parametrize("spoil", [
    lambda d: d[: len(d) // 2],
    lambda d: b"\n".join(d.splitlines()[:-1]),
    lambda d: d.replace(b'"n":1', b'"n":7', 1),
    lambda d: d.replace(b'"position":2', b'"position":1'),
    lambda d: d.replace(b'"id":"c2"', b'"id":"c1"'),
    lambda d: d.replace(b'"parent_id":"c0"', b'"parent_id":"c2"'),
    lambda d: d.replace(b'"parent_id":"c0"', b'"parent_id":"c1"'),
    lambda d: d.replace(b'"caisson_thread":1', b'"caisson_thread":2'),
    lambda d: d.replace(b'"checkpoints":3', b'"checkpoints":2'),
    lambda d: d + b"{}\n",
    lambda d: b"",
    lambda d: b"\xff\xfe",
    lambda d: b"[1]\n" + d,
    lambda d: d.replace(b'"gap":0', b'"gap":-1'),
    lambda d: d.replace(b'"id":"c1"', b'"id":"../c1"'),
], ids=range(15))
def test_a_spoilt_file_leaves_nothing(agent, spoil):
    for n in range(3):
        agent.save({"n": n}, id=f"c{n}")
    answer = imported(agent, "copy", spoil(export(agent)), 400)
    assert "line" in answer["message"] and Thread(agent.api, "copy").show(404)


def test_references_come_along(thread_owner, agent):
    run = thread_owner.run(shell="echo hi > out.txt; echo there", collect=["*.txt"])
    agent.save(1, execution_id=run["execution_id"], artifacts=["out.txt"])
    found = agent.get(include="execution,artifacts")
    assert found["execution"]["status"] == "success" and found["artifacts"][0]["available"] is True
    assert found["artifacts"][0]["sha256"] == hashlib.sha256(b"hi\n").hexdigest()
    assert "execution" not in agent.get()
    assert thread_owner.delete(f"/v1/executions/{run['execution_id']}").status == 204
    found = agent.get(include="execution,artifacts")
    assert found["execution"] is None and found["artifacts"][0]["available"] is False


def test_another_tenant_sees_nothing(server, agent):
    agent.save(1, id="a")
    stranger = Thread(server.tenant("threads-stranger"), agent.name)
    assert stranger.show(404) and stranger.get("a", 404) and stranger.get("latest", 404) and stranger.list(404)
    assert stranger.api.delete(f"{agent.path}/checkpoints/a").status == 404
    assert stranger.api.delete(agent.path).status == 204
    assert stranger.post("rollback", 404, checkpoint_id="a", mode="append")
    assert stranger.post("branch", 404, thread="mine")
    assert stranger.api.get(f"{agent.path}/export").status == 404
    assert stranger.save(2, parent_id="a", want=400)
    assert stranger.api.get("/v1/threads")["items"] == []
    assert agent.state() == 1 and agent.ids() == ["a"]


def test_threads_are_listed(thread_owner):
    for name in ("b", "a", "c"):
        Thread(thread_owner, name).save(1)
    first = thread_owner.get("/v1/threads", query={"limit": 2})
    assert [each["thread"] for each in first["items"]] == ["a", "b"]
    rest = thread_owner.get("/v1/threads", query={"cursor": first["next_cursor"]})
    assert [each["thread"] for each in rest["items"]] == ["c"] and rest["next_cursor"] is None


def test_a_hundred_writers_and_readers_leave_one_chain(agent):
    """Each writer saves by ids of its own, half of them under if_latest; readers see a chain at all times."""
    agent.configure(max_checkpoints=100_000)
    stop_at, failures, saved = time.monotonic() + 8, [], []

    def guarded(work):
        try:
            while time.monotonic() < stop_at and not failures:
                work()
        except Exception as e:  # noqa: BLE001: told by the test
            failures.append(repr(e))

    def writer(n):
        count = 0

        def work():
            nonlocal count
            count += 1
            name, body = f"w{n}-{count}", {"state": {"by": n, "count": count}}
            if n % 2:
                saved.append(agent.save(id=name, **body)["id"])
                return
            latest = agent.api.get(f"{agent.path}/checkpoints/latest", query={"include": "none"})
            answer = agent.api.post(f"{agent.path}/checkpoints", {**body, "id": name, "if_latest": latest["id"] if latest.status == 200 else None})
            assert answer.status in (201, 409), answer.value
            if answer.status == 201:
                saved.append(name)

        return work

    def read():
        items = agent.list(limit=50)["items"]
        for newer, older in zip(items, items[1:]):
            assert newer["parent_id"] == older["id"]

    agent.save(0, id="first")
    works = [writer(n) for n in range(100)] + [read] * 100
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    chain = [each["id"] for each in agent.check_chain()]
    assert sorted(chain[1:]) == sorted(saved) and len(set(chain)) == len(chain) > 100


def test_an_execution_saves_when_it_ends(thread_owner, agent):
    agent.save({"n": 0}, id="before")
    assert agent.get("latest")["id"] == "before"
    run = thread_owner.run(shell="echo x > f; exit 3", collect=["f"], checkpoint={"thread": agent.name, "metadata": {"step": 1}})
    saved = run["checkpoint"]
    assert saved["thread"] == agent.name and "error" not in saved
    found = agent.get("latest", include="artifacts")
    assert found["id"] == saved["checkpoint_id"] and found["metadata"] == {"step": 1}
    assert found["state"] == {"execution_id": run["execution_id"], "status": "failed", "verdict": "exited", "exit_code": 3, "error": run["error"]}
    assert found["execution_id"] == run["execution_id"] and found["artifacts"][0]["path"] == "f" and found["artifacts"][0]["available"]
    text = b'{"shell": "true", "checkpoint": {"thread": "agent-1", "id": "mine", "state": {"n": 9007199254740993, "a": 1.0}}}'
    run = thread_owner.call("POST", "/v1/executions", raw=text)
    assert run["checkpoint"] == {"thread": agent.name, "checkpoint_id": "mine"}
    assert b'"state":{"a":1.0,"n":9007199254740993}' in thread_owner.get(f"{agent.path}/checkpoints/mine").body
    again = thread_owner.call("POST", "/v1/executions", raw=text.replace(b"1.0", b"2.0"))
    assert again["status"] == "success" and "taken" in again["checkpoint"]["error"]
    assert thread_owner.show(again["execution_id"])["checkpoint"] == again["checkpoint"]
    assert len(agent.ids()) == 3
    assert agent.get("latest")["id"] == "mine"


def test_ends_are_counted(server):
    api = server.tenant("threads-counted")
    gone = api.run(shell="true")["execution_id"]
    api.run(shell="exit 1")
    api.run(shell="sleep 9", limits={"wall_ms": 100})
    api.run(language="python", code="print(1)")
    assert api.delete(f"/v1/executions/{gone}").status == 204
    Thread(api, "t").save({"n": 1})
    stats = api.get("/v1/stats").value
    counted = stats["executions"]
    assert {name: counted[name] for name in ("total", "success", "failed", "timeout")} == {"total": 4, "success": 2, "failed": 1, "timeout": 1}
    assert counted["duration_ms"] >= 100 and counted["by_language"]["python"]["success"] == 1
    assert stats["threads"]["checkpoints"] == 1 and stats["threads"]["bytes"] > 0
    Thread(api, "t").remove()

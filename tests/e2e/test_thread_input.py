"""What clients can have wrong about threads: each mistake is named, and leaves nothing behind."""

import urllib.parse

import pytest


BAD_SAVES = [
    ({}, "state"),
    ({"state": 1, "state_base64": "AA=="}, "state_base64"),
    ({"state_base64": "AA=="}, "media_type"),
    ({"state_base64": "A", "media_type": "a/b"}, "state_base64"),
    ({"state_base64": "AA==", "media_type": "nonsense"}, "media_type"),
    ({"state_base64": "AA==", "media_type": "Application/JSON"}, "media_type"),
    ({"state": 1, "media_type": "a/b"}, "media_type"),
    ({"state": 1, "id": ""}, "id"),
    ({"state": 1, "id": "a b"}, "id"),
    ({"state": 1, "id": "x" * 129}, "id"),
    ({"state": 1, "id": "latest"}, "id"),
    ({"state": 1, "id": 5}, "id"),
    ({"state": 1, "parent_id": "unknown"}, "parent_id"),
    ({"state": 1, "if_latest": 5}, "if_latest"),
    ({"state": 1, "unknown": 1}, "unknown"),
    ({"state": 1, "metadata": {"unknown": 1}}, "metadata.unknown"),
    ({"state": 1, "metadata": {"step": 1.5}}, "metadata.step"),
    ({"state": 1, "metadata": {"step": 2**53}}, "metadata.step"),
    ({"state": 1, "metadata": {"node_id": "x" * 201}}, "metadata.node_id"),
    ({"state": 1, "metadata": {"node_id": ""}}, "metadata.node_id"),
    ({"state": 1, "metadata": {"tags": ["a", "a"]}}, "metadata.tags[1]"),
    ({"state": 1, "metadata": {"tags": ["a\nb"]}}, "metadata.tags[0]"),
    ({"state": 1, "metadata": {"tags": [str(n) for n in range(65)]}}, "metadata.tags"),
    ({"state": 1, "metadata": {"custom": [1]}}, "metadata.custom"),
    ({"state": 1, "metadata": {"custom": {"x": "y" * 66_000}}}, "metadata.custom"),
    ({"state": 1, "execution_id": "exe_nonsense"}, "execution_id"),
    ({"state": 1, "execution_id": "exe_" + "0" * 26}, "execution_id"),
    ({"state": 1, "artifacts": ["a"]}, "artifacts[0]"),
    ({"state": 1, "artifacts": [{"execution_id": "exe_" + "0" * 26, "path": "a"}]}, "artifacts[0]"),
    ({"state": 1, "artifacts": [{"execution_id": "exe_" + "0" * 26, "path": "../a"}]}, "artifacts[0].path"),
]


@pytest.mark.parametrize("body, field", BAD_SAVES, ids=[f"{n}-{field}" for n, (_, field) in enumerate(BAD_SAVES)])
def test_a_mistake_is_named(agent, body, field):
    answer = agent.api.post(f"{agent.path}/checkpoints", body)
    assert answer.status == 400 and field in answer.fields(), (answer.status, answer.value)
    assert agent.show(404)


BAD_TEXTS = [
    (b'{"state": {"a": 1, "a": 2}}', 400, "state"),
    (b'{"state": {"x": {"a": 1, "\\u0061": 2}}}', 400, "state"),
    (b'{"state": NaN}', 400, "body"),
    (b'{"state": Infinity}', 400, "body"),
    (b'{"state": "\xff"}', 400, "body"),
    (b'{"state": "\\ud800"}', 400, None),
    (b'{"state": 01}', 400, "body"),
    (b'{"state": ' + b"[" * 129 + b"]" * 129 + b"}", 400, "state"),
    (b'{"state": ' + b"[" * 5000 + b"]" * 5000 + b"}", 400, "body"),
    (b'{"state": 1} x', 400, "body"),
    (b'{"state": 1, "state": 2}', 400, "body"),
    (b'{"state": "' + b"x" * (4 << 20) + b'"}', 413, None),
    (b"", 400, "body"),
    (b"[]", 400, "body"),
]


@pytest.mark.parametrize("text, status, field", BAD_TEXTS, ids=range(len(BAD_TEXTS)))
def test_a_text_that_is_no_state_is_refused(agent, text, status, field):
    answer = agent.api.post(f"{agent.path}/checkpoints", raw=text)
    assert answer.status == status, (answer.status, answer.value)
    assert field is None or field in answer.fields(), answer.value
    assert agent.show(404)


def test_nul_within_a_string_is_kept(agent):
    agent.save({"a\u0000b": "\u0000"})
    assert agent.state() == {"a\u0000b": "\u0000"}


def test_references_have_64_kib_of_paths_together(agent):
    def refused_for(paths):
        body = {"state": 1, "execution_id": "exe_01jd2c00000000000000000000", "artifacts": paths}
        return agent.api.post(f"{agent.path}/checkpoints", body).fields().get("artifacts", "")

    path = "/".join(["x" * 255] * 8)    # 2,047 bytes
    assert "65504 bytes" not in refused_for([path] * 32)
    assert "67551 bytes together, at most 65536" in refused_for([path] * 33)


def test_a_later_feature_is_named(agent):
    answer = agent.api.post(f"{agent.path}/checkpoints", {"state": 1, "snapshot_id": "snp_x"})
    assert answer.status == 501 and "snapshot_id" in answer.fields()


@pytest.mark.parametrize("name, status", [("a" * 200, 201), ("a" * 201, 400), ("a%20b", 400), (".", 400), ("..", 400), ("%2e%2e", 400), ("a%2Fb", 201), ("%00", 404), ("a.b_c-D9", 201), ("%C3%A4", 400), ("user:123", 201), ("user%3A123", 201), ("team%2Fa%40example.com", 201), ("a/b", 404), ("%7F", 400)])
def test_names_of_threads(thread_owner, name, status):
    answer = thread_owner.post(f"/v1/threads/{name}/checkpoints", {"state": 1}, judged=name != "%00")
    assert answer.status == status, (answer.status, answer.value)
    if status == 201:
        assert answer.value["thread"] == urllib.parse.unquote(name)
        assert thread_owner.get(answer.headers["location"])["id"] == answer["id"]


@pytest.mark.parametrize("query, field", [
    ({"limit": 0}, "limit"), ({"limit": 201}, "limit"), ({"order": "up"}, "order"), ({"cursor": "x"}, "cursor"), ({"after": "no such"}, "after"),
    ({"after": "unknown"}, "after"), ({"before": "unknown"}, "before"), ({"include": "execution"}, "include"), ({"step": "x"}, "step"), ({"x": 1}, "x"),
])
def test_a_wrong_query_is_named(agent, query, field):
    agent.save(1)
    answer = agent.api.get(f"{agent.path}/checkpoints", query=query)
    assert answer.status == 400 and field in answer.fields(), (answer.status, answer.value)


def test_objects_are_found_in_whatever_form(agent):
    agent.save(1, id="a", metadata={"custom": {"o": {"k": 1, "l": [2.5]}}})
    agent.save(1, id="b", metadata={"custom": {"o": '{"k": 1}'}})
    assert agent.ids(**{"custom.o": '{ "l": [2.5], "k": 1 }'}) == ["a"]
    assert agent.ids(**{"custom.o": '{"l": [2.50], "k": 1}'}) == []
    assert agent.ids(**{"custom.o": '{"k": 1}'}) == ["b"]


@pytest.mark.parametrize("change, field", [({"order": "asc"}, "order"), ({"tag": "x"}, "tag"), ({"custom.k": "1"}, "custom"), ({"step": 1}, "step"), ({"after": "c0"}, "after")])
def test_a_cursor_is_of_one_list(agent, change, field):
    for n in range(3):
        agent.save(n, id=f"c{n}")
    cursor = agent.list(limit=1)["next_cursor"]
    assert agent.ids(limit=1, order="desc", include="state", cursor=cursor) == ["c1"]
    refused = agent.list(want=400, cursor=cursor, **change)
    assert refused["details"]["fields"][0]["field"] == field


@pytest.mark.parametrize("settings, field", [({"max_checkpoints": 0}, "max_checkpoints"), ({"max_checkpoints": 100_001}, "max_checkpoints"), ({"ttl_ms": 0}, "ttl_ms"), ({"ttl": 5}, "ttl")])
def test_wrong_settings_are_named(agent, settings, field):
    assert field in agent.configure(400, **settings).fields()


@pytest.mark.parametrize("order, field", [
    ({}, "checkpoint.thread"), ({"thread": "a b"}, "checkpoint.thread"), ({"thread": "t", "id": "latest"}, "checkpoint.id"),
    ({"thread": "t", "x": 1}, "checkpoint.x"), ({"thread": "t", "metadata": {"tags": [""]}}, "checkpoint.metadata.tags[0]"), ({"thread": "t", "state": {"a": "\ud800"}}, None),
])
def test_a_wrong_order_for_a_checkpoint_is_named(thread_owner, order, field):
    answer = thread_owner.post("/v1/executions", {"shell": "true", "checkpoint": order})
    assert answer.status == 400 and (field is None or field in answer.fields()), answer.value

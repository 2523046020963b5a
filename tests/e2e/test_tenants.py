"""Tenants never see each other; keys have scopes, an end, and are kept as a hash only."""

import json

import pytest

from harness.waiting import until
from harness.websocket import Refused


@pytest.fixture
def theirs(server):
    """Another tenant's run, and the key of a stranger."""
    owner, stranger = server.tenant("owner"), server.tenant("stranger")
    return owner.run(command=["echo", "private"])["execution_id"], stranger, owner


def test_anothers_execution_is_not_found(theirs):
    one, stranger, owner = theirs
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/logs"), ("GET", "/events")):
        answer = stranger.call(method, f"/v1/executions/{one}{path}")
        assert answer.status == 404, (method, path)
    missing = stranger.get("/v1/executions/exe_" + "0" * 26)
    hidden = stranger.get(f"/v1/executions/{one}")
    assert hidden["message"].replace(one, "") == missing["message"].replace("exe_" + "0" * 26, ""), "both look the same"
    assert stranger.cancel(one).status == stranger.signal(one, "TERM").status == stranger.stdin(one, "x").status == 404
    assert stranger.get("/v1/executions")["items"] == []
    with pytest.raises(Refused) as refused:
        stranger.stream(one)
    assert refused.value.status == 404
    with stranger.websocket("/v1/connect") as socket:
        socket.send_json({"type": "attach", "execution_id": one, "ref": "a"})
        assert json.loads(socket.receive())["error"] == "not_found"
        socket.send_json({"type": "cancel", "execution_id": one})
        assert json.loads(socket.receive())["error"] == "not_found"
        socket.close()
    assert owner.show(one)["stdout"] == "private\n"


def test_a_running_execution_of_another_cannot_be_touched(server, theirs):
    _, stranger, owner = theirs
    one = owner.start(command=["cat"], stdin_open=True)
    assert stranger.cancel(one).status == stranger.signal(one, "KILL").status == stranger.stdin(one, "x", eof=True).status == 404
    owner.stdin(one, "mine", eof=True)
    assert owner.ended(one)["stdout"] == "mine"


def test_the_record_names_its_tenant(server):
    a, b = server.tenant("first"), server.tenant("second")
    ids = {api.run(command=["true"])["tenant_id"] for api in (a, b)}
    assert len(ids) == 2 and all(each.startswith("ten_") for each in ids)


NO_KEYS = [{}, {"Authorization": "Bearer "}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic eDp5"}, {"X-API-Key": ""}, {"X-API-Key": "x" * 5000}]


@pytest.mark.parametrize("headers", NO_KEYS, ids=range(len(NO_KEYS)))
def test_without_a_valid_key_it_is_401(api, headers):
    anonymous = api.with_key(None)
    answer = anonymous.get("/v1/executions", headers=headers)
    assert answer.status == 401 and answer["error"] == "unauthorized" and answer.headers["www-authenticate"]
    assert anonymous.post("/v1/executions", {"command": ["true"]}, headers=headers).status == 401


def test_a_key_may_come_in_either_header(api):
    anonymous = api.with_key(None)
    assert anonymous.get("/v1/executions", headers={"X-API-Key": api.key}).status == 200
    assert anonymous.get("/v1/executions", headers={"Authorization": f"bearer {api.key}"}).status == 200
    assert anonymous.get("/v1/executions", query={"api_key": api.key}).status == 401


def test_another_tenant_in_the_header_is_403(server):
    api = server.tenant("header")
    assert api.get("/v1/executions", headers={"X-Tenant-ID": "header"}).status == 200
    refused = api.get("/v1/executions", headers={"X-Tenant-ID": "other"})
    assert refused.status == 403 and refused["error"] == "forbidden"


def test_a_reading_key_cannot_run(server):
    reader = server.api.with_key(server.new_key("scoped", "--scope", "read"))
    refused = reader.post("/v1/executions", {"command": ["true"]})
    assert refused.status == 403 and "run" in refused["message"]
    assert reader.get("/v1/executions").status == 200


def test_a_revoked_key_ends(server):
    done = server.cli("key", "create", "--data", server.data, "--tenant", "revoked", "--output", "json")
    made = json.loads(done.stdout)
    api = server.api.with_key(made["key"])
    assert api.get("/v1/executions").status == 200
    assert server.cli("key", "revoke", "--data", server.data, made["id"]).returncode == 0
    until(lambda: api.get("/v1/executions").status == 401, 10, "the revocation to take effect")
    listed = server.cli("key", "ls", "--data", server.data, "--tenant", "revoked", "--output", "json")
    keys = json.loads(listed.stdout)
    assert [key["id"] for key in keys] == [made["id"]] and keys[0]["revoked_at"]
    assert made["key"] not in listed.stdout.decode()


def test_an_expired_key_ends(server):
    api = server.api.with_key(server.new_key("expired", "--expires", "1s"))
    until(lambda: api.get("/v1/executions").status == 401, 10, "the key to expire")


def test_keys_are_not_kept_in_clear(server):
    key = server.new_key("hashed")
    assert server.api.with_key(key).get("/v1/executions").status == 200
    for path in server.data.rglob("*"):
        if path.is_file() and path.name != "admin.key":
            assert key.encode() not in path.read_bytes(), path
    assert key not in server.log_file.read_text()


def test_the_first_key_is_for_its_owner_only(server):
    path = server.data / "admin.key"
    assert path.stat().st_mode & 0o777 == 0o600 and path.read_text().strip() == server.api.key
    assert server.data.stat().st_mode & 0o077 == 0

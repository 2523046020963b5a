"""Who runs next: one tenant that floods slows only itself. Judged by counts and order, never by time."""

import http.client
import json
import threading

import pytest

from harness.waiting import until

FLOOD = 2_000
HANG = {"command": ["mock", "--hang"], "runtime": "mock", "wait": False}
QUICK = {"command": ["mock"], "runtime": "mock", "wait": False}
ONE_AT_A_TIME = ("--set", "runtimes.mock.enabled_for_tests=true", "--set", "executions.max_running=1")


@pytest.fixture
def one_place(new_server):
    """Servers that run one execution at a time: one_place("--set", …)."""

    def make(*options):
        return new_server(*ONE_AT_A_TIME, *options)

    return make


def block(api, program=HANG):
    """Takes the only place; ends when it is cancelled."""
    one = api.create(202, **program)["execution_id"]
    until(lambda: api.show(one)["status"] == "running")
    return one


def queue(api, count):
    """So many quick executions, in order; the objects of the answers."""
    return [api.create(202, **QUICK) for _ in range(count)]


def flood(api, count, threads=4):
    """Many at once over kept connections; the statuses of the answers."""
    statuses = []

    def send(mine):
        connection = http.client.HTTPConnection(*api.address, timeout=60)
        for _ in range(mine):
            connection.request("POST", "/v1/executions", body=json.dumps(QUICK), headers=api.credentials())
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
        connection.close()

    senders = [threading.Thread(target=send, args=(count // threads,)) for _ in range(threads)]
    for each in senders:
        each.start()
    for each in senders:
        each.join()
    return statuses


def starts(api):
    """When each execution of this tenant that has started did so, in order."""
    found, cursor = [], None
    while True:
        page = api.get("/v1/executions", query={"limit": 200, **({"cursor": cursor} if cursor else {})}).value
        found += [item["started_at"] for item in page["items"] if "started_at" in item]
        cursor = page["next_cursor"]
        if cursor is None:
            return sorted(found)


def test_a_flood_slows_only_itself(one_place):
    server = one_place("--set", f"executions.tenant_max_queued={FLOOD}")
    noisy, quiet = server.tenant("noisy"), server.tenant("quiet")
    blocker = block(noisy)
    assert flood(noisy, FLOOD) == [202] * FLOOD

    refused = noisy.post("/v1/executions", QUICK)
    assert refused.status == 429 and refused["error"] == "queue_full"
    details = refused["details"]
    assert details["limit"] == "executions.tenant_max_queued" and details["scope"] == "tenant"
    assert (details["value"], details["waiting"], details["running"]) == (FLOOD, FLOOD, 1)
    assert 1 <= int(refused.headers["retry-after"]) <= 60 and details["retry_after_s"] == int(refused.headers["retry-after"])
    assert str(FLOOD) in refused["message"]

    mine = queue(quiet, 3)
    assert [one["queue_position"] for one in mine] == [1, 3, 5] or [one["queue_position"] for one in mine] == [2, 4, 6]
    assert noisy.cancel(blocker).status == 202
    ended = [quiet.ended(one["execution_id"]) for one in mine]
    assert all(one["status"] == "success" for one in ended)
    # Besides the blocker, at most one of the flood before each of the three; ties of a millisecond are not counted.
    before = [at for at in starts(noisy) if at < max(one["started_at"] for one in ended)]
    assert len(before) <= 1 + 3, before


def test_one_tenant_leaves_connections_to_others(one_place):
    server = one_place("--set", "http.max_connections=16")
    noisy, quiet = server.tenant("noisy"), server.tenant("quiet")
    one = block(noisy)
    held = [noisy.open_events(one) for _ in range(12)]
    assert [answer.status for answer, _ in held] == [200] * 12
    # The server finds out within some seconds that there are two tenants.
    refused = until(lambda: (found := noisy.get("/v1/languages")).status == 429 and found)
    assert refused["error"] == "quota_exceeded" and "all the 12 connections" in refused["message"]
    assert int(refused.headers["retry-after"]) >= 1
    large = noisy.post("/v1/executions", {**QUICK, "stdin": "x" * 100_000})
    assert (large.status, large["error"]) == (429, "quota_exceeded"), "before its body is read"
    assert quiet.get("/v1/languages").status == 200
    assert noisy.cancel(one).status == 202, "what holds them can be ended"
    until(lambda: noisy.get("/v1/languages").status == 200)
    for _, connection in held:
        connection.close()


def test_weights_are_turns(one_place):
    server = one_place("--set", "tenants.heavy.weight=3")
    heavy, light = server.tenant("heavy"), server.tenant("light")
    blocker = block(light)
    last = [queue(light, 12)[-1], queue(heavy, 12)[-1]]
    light.cancel(blocker)
    for api, one in zip((light, heavy), last):
        api.ended(one["execution_id"])
    # While both wait, three of heavy to one of light: its twelve are through when four of light's have started.
    done = starts(heavy)[-1]
    before = [at for at in starts(light)[1:] if at < done]
    assert 3 <= len(before) <= 5, before


def test_the_place_in_the_queue_falls(one_place):
    api = one_place().api
    first, second = block(api), api.create(202, **HANG)
    third, fourth = queue(api, 2)
    assert [one["queue_position"] for one in (second, third, fourth)] == [1, 2, 3]
    assert "queue_position" not in api.show(first)
    listed = api.get("/v1/executions", query={"status": "queued"})["items"]
    assert [one["queue_position"] for one in listed] == [3, 2, 1]
    queued = next(iter(api.follow(third["execution_id"])))
    assert queued["status"] == "queued" and queued["queue_position"] == 2
    assert api.cancel(first).status == 202
    until(lambda: api.show(second["execution_id"])["status"] == "running")
    assert "queue_position" not in api.show(second["execution_id"])
    assert api.show(third["execution_id"])["queue_position"] == 1
    assert api.show(fourth["execution_id"])["queue_position"] == 2
    api.cancel(second["execution_id"])
    assert api.ended(fourth["execution_id"])["status"] == "success"


def test_cancelled_while_queued(one_place):
    api = one_place().api
    first = block(api)
    second, third = queue(api, 2)
    assert api.cancel(second["execution_id"]).status == 202
    record = api.ended(second["execution_id"])
    assert (record["status"], record["verdict"]) == ("cancelled", "cancelled") and "started_at" not in record
    assert api.show(third["execution_id"])["queue_position"] == 1
    api.cancel(first)
    assert api.ended(third["execution_id"])["status"] == "success"


def test_the_servers_queue_is_bounded_for_all(one_place):
    server = one_place("--set", "executions.max_queued=2")
    other = server.tenant("other")
    blocker = block(server.api)
    queue(server.api, 1)
    queue(other, 1)
    refused = other.post("/v1/executions", QUICK)
    assert refused.status == 429 and "retry-after" in refused.headers
    assert refused["details"]["limit"] == "executions.max_queued" and refused["details"]["scope"] == "server"
    with other.websocket("/v1/connect") as socket:
        socket.send_json({"type": "run", "ref": "a", **QUICK})
        frame = json.loads(socket.receive())
        other.contract.check_frame(frame)
        assert frame["error"] == "queue_full" and frame["ref"] == "a" and frame["details"]["waiting"] == 2
    server.api.cancel(blocker)


def test_a_tenants_own_most_leaves_room(new_server):
    server = new_server("--set", "runtimes.mock.enabled_for_tests=true", "--set", "executions.max_running=2", "--set", "tenants.greedy.max_running=1")
    greedy, other = server.tenant("greedy"), server.tenant("other")
    first = block(greedy)
    second = greedy.create(202, **HANG)["execution_id"]
    third = block(other)
    assert greedy.show(second)["status"] == "queued"
    other.cancel(third)
    other.ended(third)
    assert greedy.show(second)["status"] == "queued"
    greedy.cancel(first)
    until(lambda: greedy.show(second)["status"] == "running")
    greedy.cancel(second)
    greedy.ended(second)


def test_by_default_a_tenant_leaves_a_quarter_to_others(new_server):
    server = new_server("--set", "runtimes.mock.enabled_for_tests=true", "--set", "executions.max_running=4")
    alone = [server.api.create(202, **HANG)["execution_id"] for _ in range(5)]
    until(lambda: [server.api.show(one)["status"] for one in alone] == ["running"] * 4 + ["queued"])
    for one in alone:
        server.api.cancel(one)
        server.api.ended(one)
    greedy, other = server.tenant("greedy"), server.tenant("other")
    made = [block(greedy) for _ in range(3)]

    def fourth_waits():
        """It runs until the server has counted the tenants again."""
        fourth = greedy.create(202, **HANG)["execution_id"]
        until(lambda: (now := greedy.show(fourth))["status"] == "running" or now.get("queue_position"))
        if greedy.show(fourth)["status"] == "queued":
            made.append(fourth)
            return True
        greedy.cancel(fourth)
        greedy.ended(fourth)
        return False

    until(fourth_waits)
    assert other.create(200, command=["mock"], runtime="mock")["status"] == "success"
    assert greedy.show(made[3])["status"] == "queued"
    for one in reversed(made):
        greedy.cancel(one)
        greedy.ended(one)


def test_a_queue_is_fair_after_a_restart(one_place):
    server = one_place("--set", "executions.max_queued=40")
    server.tenant("noisy")
    noisy_key, quiet_key = server.new_key("noisy"), server.new_key("quiet")
    noisy, quiet = server.api.with_key(noisy_key), server.api.with_key(quiet_key)
    blocker = block(noisy, {"command": ["sleep", "600"], "limits": {"wall_ms": 600_000}, "wait": False})    # outlives the server
    flooded, mine = queue(noisy, 30), queue(quiet, 2)
    server.stop()
    server.options += ["--set", "executions.max_queued=5"]    # fewer than what waits: all are kept
    server.start()
    noisy, quiet = server.api.with_key(noisy_key), server.api.with_key(quiet_key)
    assert [quiet.show(one["execution_id"])["queue_position"] for one in mine] in ([1, 3], [2, 4])
    assert noisy.post("/v1/executions", QUICK).status == 429
    noisy.cancel(blocker)
    ended = [quiet.ended(one["execution_id"]) for one in mine]
    assert all(one["status"] == "success" for one in ended)
    assert all(noisy.ended(one["execution_id"])["status"] == "success" for one in flooded)
    before = [at for at in starts(noisy)[1:] if at < ended[1]["started_at"]]
    assert len(before) <= 3, before

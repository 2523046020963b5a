"""Webhooks: what a receiver gets, what happens when it fails, and where none is sent."""

import re
import socket

import pytest

from harness.leaks import Baseline
from harness.receiver import Receiver
from harness.waiting import until

SECRET = "a secret of some length"
SETTINGS = {"allow_private": "true", "first_delay_ms": 50, "max_delay_ms": 100, "timeout_ms": 1_000}


def options_of(settings):
    return [word for name, value in settings.items() for word in ("--set", f"webhooks.{name}={value}")]


@pytest.fixture(scope="module")
def hook_server(contract, shared_server):
    from harness.server import Server, new_folder

    with new_folder() as folder:
        server = Server(folder, contract, options=options_of(SETTINGS))
        try:
            server.start()
            server.api.run(shell="echo warm", limits={"wall_ms": 30_000})
            before = Baseline(server)
            yield server
            before.compare()
            server.stop()
        finally:
            server.discard()


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def state(api, one):
    return api.show(one)["webhook"]


def settled(api, one, want="delivered"):
    return until(lambda: (found := state(api, one))["state"] == want and found, what=f"the webhook to be {want}")


def start(api, url, **more):
    return api.start(webhook={"url": url, "secret": SECRET}, **{"command": ["true"], **more})


def test_the_end_is_delivered_signed_and_shown(hook_server, receiver):
    api = hook_server.api
    one = start(api, receiver.url("ok?a=b"), command=["sh", "-c", "echo out; exit 3"], labels={"team": "a"})
    shown = settled(api, one)
    assert shown == {"url": receiver.url("ok?a=b"), "state": "delivered", "attempts": 1, "last_status": 200}
    (got,) = receiver.deliveries
    assert got.is_signed_by(SECRET) and not got.is_signed_by(SECRET + "x")
    assert got.id == one.replace("exe_", "dlv_") and re.fullmatch("[0-9]{10}", got.headers["webhook-timestamp"])
    assert got.headers["content-type"] == "application/json"
    record = api.show(one)
    left_out = {"stdout", "stderr", "logs", "stdout_lossy", "stderr_lossy", "webhook"}
    assert got.value == {name: value for name, value in record.items() if name not in left_out}
    assert (got.value["status"], got.value["exit_code"], got.value["labels"]) == ("failed", 3, {"team": "a"})
    assert SECRET not in got.body.decode() and SECRET not in str(record) and SECRET not in hook_server.log_file.read_text()


def test_it_is_pending_while_the_execution_runs(hook_server, receiver):
    api = hook_server.api
    one = start(api, receiver.url("ok"), command=["cat"], stdin_open=True)
    assert state(api, one) == {"url": receiver.url("ok"), "state": "pending", "attempts": 0}
    assert receiver.deliveries == []
    api.cancel(one)
    settled(api, one)
    assert receiver.deliveries[0].value["status"] == "cancelled"


def test_500_twice_then_200(hook_server, receiver):
    api = hook_server.api
    one = start(api, receiver.url("twice"))
    assert settled(api, one)["attempts"] == 3
    assert len(receiver.deliveries) == 3 and len({each.id for each in receiver.deliveries}) == 1
    assert all(each.is_signed_by(SECRET) for each in receiver.deliveries)


def test_redirects_are_not_followed(hook_server, receiver):
    api, other = hook_server.api, Receiver()
    try:
        receiver.location = other.url("ok")
        one = start(api, receiver.url("moved"))
        shown = until(lambda: (found := state(api, one))["attempts"] >= 1 and found)
        assert (shown["last_status"], shown["last_error"]) == (302, "the receiver answered 302; redirects are not followed")
        assert other.deliveries == []
        assert api.delete(f"/v1/executions/{one}").status == 204
    finally:
        other.close()


def test_a_slow_receiver_times_out_while_others_are_served(hook_server, receiver):
    api = hook_server.api
    slow = [start(api, receiver.url("slow")) for _ in range(6)]
    until(lambda: len(receiver.to("/slow")) >= 4)
    other = Receiver()
    try:
        one = start(api, other.url("ok"))
        settled(api, one)
        failed = until(lambda: next((found for each in slow if (found := state(api, each)).get("last_error")), None))
        assert failed["last_error"] == "the receiver did not answer within 1000 ms" and "last_status" not in failed
    finally:
        other.close()
        for each in slow:
            api.ended(each)
            api.delete(f"/v1/executions/{each}")


def test_a_long_answer_is_an_answer(hook_server, receiver):
    api = hook_server.api
    assert settled(api, start(api, receiver.url("large")))["last_status"] == 200


def test_a_removed_execution_takes_its_webhook_along(hook_server):
    api = hook_server.api
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))    # bound, not listening: refused
        one = start(api, f"http://127.0.0.1:{closed.getsockname()[1]}/")
        shown = until(lambda: (found := state(api, one))["attempts"] >= 1 and found)
        assert shown["state"] == "pending" and "Connection refused" in shown["last_error"]
        assert api.delete(f"/v1/executions/{one}").status == 204
    assert api.get(f"/v1/executions/{one}").status == 404


def test_a_killed_server_loses_no_webhook(new_server):
    """The receiver is down, the server is killed with what is due; both come back."""
    server = new_server(*options_of(SETTINGS))
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        ended = start(server.api, f"http://127.0.0.1:{port}/ok")
        until(lambda: state(server.api, ended)["attempts"] >= 1)
        running = start(server.api, f"http://127.0.0.1:{port}/ok", command=["sleep", "0.5"])
        server.process.kill()
        server.process.wait()
        server.process = None
    receiver = Receiver(port)
    try:
        server.start()
        assert settled(server.api, ended)["attempts"] >= 2
        settled(server.api, running)
        assert {each.id for each in receiver.deliveries} == {each.replace("exe_", "dlv_") for each in (ended, running)}
        assert all(each.is_signed_by(SECRET) for each in receiver.deliveries)
    finally:
        receiver.close()


@pytest.mark.parametrize("url", [
    "http://127.0.0.1:{port}/ok", "http://localhost:{port}/ok", "http://[::1]:{port}/ok", "http://[::ffff:127.0.0.1]:{port}/ok",
    "http://0.0.0.0:{port}/ok", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://2130706433:{port}/ok",
])
def test_private_addresses_are_refused_by_default(api, receiver, url):
    body = {"command": ["true"], "webhook": {"url": url.format(port=receiver.port), "secret": SECRET}}
    answer = api.post("/v1/executions", body)
    assert answer.status == 400 and list(answer.fields()) == ["webhook.url"], answer.value
    assert receiver.deliveries == []


def test_a_name_that_stands_for_a_private_address_is_given_up(api, receiver):
    """It is judged where it is connected to: this host's own name is known to its resolver only."""
    name = socket.gethostname()
    own = {found[4][0] for found in socket.getaddrinfo(name, None)}
    one = start(api, f"http://{name}:{receiver.port}/ok")
    shown = until(lambda: (found := state(api, one))["state"] == "failed" and found)
    assert own and "only private addresses or this host's own" in shown["last_error"], own
    assert not any(address in shown["last_error"] for address in own) and receiver.deliveries == []

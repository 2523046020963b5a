"""The rows of the catalogue that are requests, each twice; after each the world is as it was."""

import base64
import json
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.waiting import until
from harness.websocket import Refused

from catalogue import ROWS
from world import World

PASSES = [1, 2]


@pytest.fixture(params=PASSES)
def row(campaign, request):
    """Names the row by the test's name, test_a01_…; afterwards nothing is left behind. Its result goes to the table."""
    identity = request.function.__name__.split("_")[1].upper()
    assert ROWS[identity]["lang"] == "api"
    world = World(campaign.server, campaign.canary)
    entry = {"case": identity, "name": ROWS[identity]["name"], "runtime": campaign.runtime, "pass": request.param, "result": "failed", "problems": []}
    campaign.rows.append(entry)
    yield identity
    left = world.left_behind()
    entry["problems"] = [f"left behind: {left}"] if left else []
    if request.node.report_call.passed and not left:
        entry["result"] = "held"
    assert not left


@pytest.fixture
def api(campaign, row):
    return campaign.attackers[0]


@pytest.fixture
def victim(campaign):
    return campaign.neighbour


def raw_answer(api, data, more=()):
    """Sends bytes, then pieces of `more` until the server answers or closes; the first line of what it says."""
    with socket.create_connection(api.address, 30) as one:
        one.sendall(data)
        try:
            for piece in more:
                one.sendall(piece)
        except OSError:
            pass
        got = b""
        try:
            while b"\r\n" not in got:
                piece = one.recv(65536)
                if not piece:
                    break
                got += piece
        except ConnectionError:
            pass
        return got.split(b"\r\n")[0]


def head(api, *lines):
    first = ["POST /v1/executions HTTP/1.1", "Host: x", f"Authorization: Bearer {api.key}", "Content-Type: application/json"]
    return ("\r\n".join([*first, *lines]) + "\r\n\r\n").encode()


OUTWARD = ["../../x", "/abs", "a/../../x", "./../x", "a//../..//x", "..", "a/..", ".", "", "a/", "/", "a\0b"]
ODD_BUT_PLAIN = ["..foo", "..%2fx", "..\\x", "a/..b/...", " ", "-rf", "~", "$(id)"]


def test_a01_path_traversal_in_file_names(api):
    for name in OUTWARD:
        answer = api.post("/v1/executions", {"command": ["true"], "files": {name: "x"}})
        assert answer.status == 400 and any(field.startswith("files") for field in answer.fields()), (name, answer.value)
    record = api.run(command=["find", "/workspace", "-type", "f"], files={name: "x" for name in ODD_BUT_PLAIN})
    assert sorted(record["stdout"].splitlines()) == sorted("/workspace/" + name for name in ODD_BUT_PLAIN)


def test_a05_environment_injection(api):
    poison = {"LD_PRELOAD": "/tmp/x.so", "LD_LIBRARY_PATH": "/tmp", "PATH": "/tmp", "BASH_ENV": "/tmp/b", "PYTHONPATH": "/tmp", "GCONV_PATH": "/tmp",
              "TMPDIR": "/nonexistent", "LD_AUDIT": "/tmp/a.so", "GLIBC_TUNABLES": "glibc.malloc.check=3", "X": "a\nb"}
    record = api.run(command=["/usr/bin/env"], env=poison)
    assert record["status"] == "success" and "X=a\nb" in record["stdout"] and "SRV_SECRET" not in record["stdout"], record
    bad = [{"A=B": "x"}, {"": "x"}, {"A\0": "x"}, {"A": "x\0y"}, {f"V{n}": "" for n in range(10_000)}, {"A": "x" * (2 << 20)}, {"A": 1}, ["A=B"]]
    for env in bad:
        answer = api.post("/v1/executions", {"command": ["true"], "env": env})
        assert answer.status == 400 and any(field.startswith("env") for field in answer.fields()), (str(env)[:80], answer.value)


NUMBERS = ["0", "-1", "1e308", "-1e308", "1e999", "'10'", '"10"', "null", str(2**63), str(2**64), "1.5", "true", "[]", "{}", "NaN", "Infinity"]


def test_a07_numeric_limits(api):
    for limit in ("wall_ms", "cpu_ms", "memory_bytes", "pids", "disk_bytes", "inodes", "open_files", "file_bytes", "max_output_bytes"):
        for number in NUMBERS:
            body = f'{{"command":["true"],"limits":{{"{limit}":{number}}}}}'
            answer = api.post("/v1/executions", raw=body.encode())
            assert answer.status == 400, (limit, number, answer.value)
            if "body" not in answer.fields():  # where it is no JSON at all
                assert "between" in answer.fields()[f"limits.{limit}"], answer.value


MALFORMED = {
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "the same name twice": b'{"command":["true"],"command":["false"]}',
    "no UTF-8": b'{"command":["\xff\xfe"]}',
    "half a surrogate": b'{"command":["\\ud800"]}',
    "cut base64": b'{"command":["cat"],"stdin":{"base64":"eA="}}',
    "nothing": b"",
    "two values": b'{"command":["true"]} {}',
    "a long number": b'{"command":["true"],"limits":{"wall_ms":' + b"9" * 100_000 + b"}}",
}


def test_a09_oversized_and_malformed_bodies(api):
    for what, body in MALFORMED.items():
        answer = api.post("/v1/executions", raw=body)
        assert answer.status == 400, (what, answer.status, answer.value)
    for encoding in ("gzip", "deflate", "br", "zstd"):
        answer = api.post("/v1/executions", raw=base64.b64decode("H4sIAAAAAAACA6uuBQBDv6ajAgAAAA=="), headers={"Content-Encoding": encoding})
        assert answer.status == 415, (encoding, answer.status)
    for size in (1 << 30, 1 << 63, (1 << 64) + 1):
        assert b" 413 " in raw_answer(api, head(api, f"Content-Length: {size}")), size
    endless = (b"10000\r\n" + b" " * 65536 + b"\r\n" for _ in range(3_200))
    said = raw_answer(api, head(api, "Transfer-Encoding: chunked"), endless)
    assert b" 413 " in said or said == b"", said  # a reset may overtake the answer
    for lie in ("Content-Length: -1", "Content-Length: 5x", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nTransfer-Encoding: chunked"):
        assert b" 400 " in raw_answer(api, head(api, lie)), lie


def test_a11_disconnect_in_mid_run(api):
    socket_ = api.websocket("/v1/connect")
    socket_.send_json({"type": "run", "ref": "a", "command": ["sleep", "3600"], "cancel_on_disconnect": True, "limits": {"wall_ms": 3_600_000},
                       "labels": {"row": "a11"}})
    find = {"label": "row=a11", "status": "running"}
    found = until(lambda: api.get("/v1/executions", query=find)["items"])
    socket_.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket_.socket.close()
    assert api.ended(found[0]["execution_id"])["status"] == "cancelled"


def test_a13_cross_site_websocket(api):
    for origin in ("http://evil.test", "https://127.0.0.1.evil.test", "null", "file://"):
        with pytest.raises(Refused) as refused:
            api.websocket("/v1/connect", headers={**api.credentials(), "Origin": origin})
        assert refused.value.status == 403, origin


def test_a15_queue_flood_and_fairness(new_server, row):
    server = new_server("--set", "executions.max_running=4", "--set", "executions.tenant_max_running=4", "--set", "executions.tenant_max_queued=100")
    flooder, other = server.tenant("flooder"), server.tenant("other")
    refused = []

    def flood(_):
        answer = flooder.post("/v1/executions", {"command": ["sleep", "0.2"], "wait": False})
        if answer.status != 202:
            refused.append((answer.status, answer.headers.get("retry-after")))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(flood, range(400)))
    record = other.run(command=["echo", "ok"])
    waiting = flooder.get("/v1/executions", query={"status": "queued"})["items"]
    assert record["stdout"] == "ok\n" and waiting, "the other did not wait for the flood to end"
    assert refused and all(status in (429, 503) and after and int(after) > 0 for status, after in refused), refused[:3]
    for state in ("queued", "running"):
        while found := flooder.get("/v1/executions", query={"status": state, "limit": 200})["items"]:
            for each in found:
                flooder.cancel(each["execution_id"])
    server.stop()


def test_a17_duplicate_request_or_idempotency_key(api, request):
    key = {"Idempotency-Key": f"attack-{request.node.name}"}
    body = {"command": ["sh", "-c", "echo once"], "labels": {"row": request.node.callspec.id}}
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: api.post("/v1/executions", body, headers=key), range(100)))
    assert {answer.status for answer in answers} == {200}, {answer.status for answer in answers}
    assert len({answer["execution_id"] for answer in answers}) == 1
    assert len(api.get("/v1/executions", query={"label": f"row={request.node.callspec.id}"})["items"]) == 1
    assert api.post("/v1/executions", {**body, "args": ["x"]}, headers=key).status in (409, 422)


def test_a19_network_flag_escalation(api):
    for network in ({"mode": "full"}, {"mode": "bridge"}, {"mode": "allow", "allow": ["*"]}, True, "host"):
        answer = api.post("/v1/executions", {"command": ["true"], "network": network})
        assert answer.status in (400, 403, 501), (network, answer.value)
    record = api.run(language="python", code="import socket\nprint([n for _, n in socket.if_nameindex()])")
    assert record["stdout"] == "['lo']\n"


HOST_WORDS = ("/usr/bin/bwrap", "caisson-launch", "caisson-agent", "/tmp/", "/var/", "/work/", ".cpp", "what():", "Traceback", "sqlite", "seccomp")


def test_a21_error_bodies(api, campaign):
    answers = [
        api.post("/v1/executions", {"command": ["/no/such/program"]}), api.post("/v1/executions", {"command": ["true"], "cwd": "/no/such/place"}),
        api.post("/v1/executions", {"command": ["true"], "runtime": "mock"}), api.post("/v1/executions", {"language": "cobol", "code": "x"}),
        api.post("/v1/executions", {"command": ["/workspace"]}), api.get("/v1/nothing"), api.get("/v1/executions/exe_x"), api.post("/v1/executions", raw=b"{"),
        api.post("/v1/executions", {"command": ["true"], "files": {"a": "x" * (3 << 20)}, "limits": {"disk_bytes": 1 << 20}}),
        api.post("/v1/executions", {"command": ["true"], "files": {"a": "x", "a/b": "y"}}),
    ]
    for answer in answers:
        assert answer.status < 500 or answer.status == 501, answer.value
        said = json.dumps([answer.value.get("message"), answer.value.get("error")])
        assert not any(word in said for word in HOST_WORDS + (str(campaign.server.folder),)), said


MANY_RUNS = 500


def run_many(api, number):
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: api.start(command=["head", "-c", "65536", "/dev/zero"]), range(number)))
        ends = list(pool.map(lambda one: api.ended(one)["status"], made))
        assert set(ends) == {"success"}
        assert {api.delete(f"/v1/executions/{one}").status for one in made} == {204}


@pytest.fixture(scope="module")
def many_before(campaign):
    """Many runs at once take memory that the server keeps for the next ones, the cache of database pages (32 MiB) among it: what counts
    is that a repeat, of as many, takes no more."""
    run_many(campaign.attackers[0], MANY_RUNS)



def test_a23_memory_of_finished_runs(many_before, api, campaign):
    """A thousand runs in two passes. The rows of the second take the place that those of the first left."""
    run_many(api, MANY_RUNS)
    size = sum(path.stat().st_size for path in campaign.server.data.glob("*.db*"))
    campaign.sizes.append(size)
    assert size <= campaign.sizes[0] + (16 << 20), campaign.sizes


def test_l15_identifiers_of_another_tenant(api, victim):
    one = victim.run(command=["echo", "private"])["execution_id"]
    at = len(one) - 1
    near = [one, one[:at] + chr(ord(one[at]) ^ 1), one[:-1], one[:10], one.upper(), one + "0", one.replace("exe_", "sbx_"), "exe_" + "0" * 26]
    for name in near:
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/logs"), ("GET", "/events"), ("POST", "/cancel")):
            answer = api.call(method, f"/v1/executions/{name}{path}")
            assert answer.status == 404 and "private" not in answer.body.decode(), (name, method, path, answer.status)
        with pytest.raises(Refused) as refused:
            api.stream(name)
        assert refused.value.status == 404
    assert victim.show(one)["stdout"] == "private\n"

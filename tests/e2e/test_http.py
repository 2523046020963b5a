"""HTTP/1.1 by hand: what ordinary clients never send."""

import json
import socket

import pytest

from harness.waiting import until

GET = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


class Raw:
    """A socket that speaks bytes."""

    def __init__(self, api, timeout=15):
        self.socket = socket.create_connection(api.address, timeout)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))

    def fill(self):
        piece = self.socket.recv(65536)
        self.buffer += piece
        return bool(piece)

    def head(self):
        while b"\r\n\r\n" not in self.buffer:
            assert self.fill(), f"closed after {self.buffer!r}"
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode("latin-1").split("\r\n")
        fields = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in rest)}
        return int(first.split()[1]), fields

    def answer(self, method="GET"):
        """Status, fields and body of the next answer, chunked or counted."""
        status, fields = self.head()
        if method == "HEAD" or status in (204, 304) or status < 200:
            return status, fields, b""
        if fields.get("transfer-encoding") == "chunked":
            return status, fields, self.chunks()
        return status, fields, self.exactly(int(fields.get("content-length", 0)))

    def exactly(self, size):
        while len(self.buffer) < size:
            assert self.fill(), "closed in the middle of a body"
        piece, self.buffer = self.buffer[:size], self.buffer[size:]
        return piece

    def line(self):
        while b"\r\n" not in self.buffer:
            assert self.fill()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def chunks(self):
        body = b""
        while size := int(self.line().split(b";")[0], 16):
            body += self.exactly(size)
            assert self.line() == b""
        assert self.line() == b""
        return body

    def ended(self):
        """Whether the server closes; reads what is left."""
        try:
            while self.fill():
                pass
        except ConnectionResetError:
            pass
        return True


@pytest.fixture
def raw(api):
    made = Raw(api)
    yield made
    made.socket.close()


def post(api, body, *fields, path="/v1/executions"):
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"X-API-Key: {api.key}", "Content-Type: application/json", *fields]
    return "\r\n".join([*lines, "", ""]) + body


RUN = json.dumps({"command": ["echo", "raw"]})


def test_a_connection_serves_many_requests(raw):
    for _ in range(20):
        raw.send(GET)
        assert raw.answer()[0] == 200


def test_pipelined_requests_are_answered_in_order(raw):
    raw.send("".join(f"GET /nothing-{i} HTTP/1.1\r\nHost: x\r\n\r\n" for i in range(30)))
    for i in range(30):
        status, _, body = raw.answer()
        assert status == 404 and f"/nothing-{i};" in body.decode() + ";" or f"/nothing-{i}" in body.decode()


def test_bytes_may_come_one_by_one(raw, api):
    for byte in GET:
        raw.send(byte)
    assert raw.answer()[0] == 200


def test_a_chunked_body(raw, api):
    raw.send(post(api, "", "Transfer-Encoding: chunked"))
    for at in range(0, len(RUN), 7):
        piece = RUN[at : at + 7]
        raw.send(f"{len(piece):x};ext=1\r\n{piece}\r\n")
    raw.send("0\r\nTrailer: ignored\r\n\r\n")
    status, _, body = raw.answer()
    assert status == 200 and json.loads(body)["stdout"] == "raw\n"


def test_expect_100_continue(raw, api):
    raw.send(post(api, "", f"Content-Length: {len(RUN)}", "Expect: 100-continue"))
    assert raw.answer()[0] == 100
    raw.send(RUN)
    status, _, body = raw.answer()
    assert status == 200 and json.loads(body)["stdout"] == "raw\n"


def test_head_is_get_without_its_body(raw):
    raw.send("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n")
    status, fields, _ = raw.answer("HEAD")
    assert status == 200 and int(fields["content-length"]) > 0
    raw.send(GET)
    assert raw.answer()[0] == 200


def test_connection_close_and_http_1_0_close(api):
    for request in ("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /health HTTP/1.0\r\n\r\n"):
        one = Raw(api)
        one.send(request)
        assert one.answer()[0] == 200
        assert one.ended()


def test_the_request_id_is_echoed_or_made(raw):
    raw.send("GET /health HTTP/1.1\r\nHost: x\r\nX-Request-ID: my-id-1\r\n\r\n")
    assert raw.answer()[1]["x-request-id"] == "my-id-1"
    raw.send(GET)
    made = raw.answer()[1]["x-request-id"]
    assert made and made != "my-id-1"


BAD_HEADS = [
    ("garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),
    ("no_version", "GET /health\r\n\r\n", 400),
    ("http_3", "GET /health HTTP/3.0\r\nHost: x\r\n\r\n", (400, 505)),
    ("space_before_colon", "GET /health HTTP/1.1\r\nHost : x\r\n\r\n", 400),
    ("folded_header", "GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400),
    ("nul_in_header", "GET /health HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n", 400),
    ("bare_line_feed_in_header", "GET /health HTTP/1.1\r\nHost: x\r\nA: b\nB: c\r\n\r\n", (200, 400)),
    ("two_lengths", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
    ("length_and_chunked", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("length_not_a_number", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
    ("length_negative", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ("length_with_plus", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", 400),
    ("unknown_coding", "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", (400, 501)),
    ("bad_chunk_size", "POST /v1/executions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", (400, 401)),
    ("line_too_long", "GET /" + "a" * 20_000 + " HTTP/1.1\r\nHost: x\r\n\r\n", (414, 413, 400)),
    ("headers_too_long", "GET /health HTTP/1.1\r\nHost: x\r\n" + ("A: " + "b" * 8000 + "\r\n") * 10 + "\r\n", (431, 413)),
    ("too_many_headers", "GET /health HTTP/1.1\r\nHost: x\r\n" + "".join(f"A{i}: b\r\n" for i in range(150)) + "\r\n", (431, 413)),
    ("percent_in_path", "GET /v1/executions/%zz HTTP/1.1\r\nHost: x\r\n\r\n", (400, 401, 404)),
]


@pytest.mark.parametrize("text, wanted", [pytest.param(t, w, id=n) for n, t, w in BAD_HEADS])
def test_a_bad_request_is_refused_and_the_next_client_is_served(api, contract, text, wanted):
    one = Raw(api)
    one.send(text)
    status, fields, body = one.answer()
    assert status in (wanted if isinstance(wanted, tuple) else (wanted,)), (status, body)
    if status >= 400:
        contract.check_named(json.loads(body), "Error", "error")
    one.socket.close()
    assert api.get("/health").status == 200


def test_a_body_over_the_limit_is_413_before_it_is_read(raw, api):
    raw.send(post(api, "", f"Content-Length: {1 << 40}"))
    status, _, body = raw.answer()
    assert status == 413 and json.loads(body)["error"] == "too_large"
    assert str(80 << 20) in body.decode()


def test_a_chunked_body_over_the_limit_is_413(new_server):
    api = new_server("--set", "http.max_body_bytes=1048576").api
    one = Raw(api)
    one.send(post(api, "", "Transfer-Encoding: chunked"))
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    try:
        for _ in range(64):
            one.send(chunk)
    except OSError:
        pass    # it hung up on us, which is its right
    assert one.answer()[0] == 413


def test_slow_clients_are_dropped(new_server):
    api = new_server("--set", "http.header_timeout_ms=300", "--set", "http.body_timeout_ms=300", "--set", "http.idle_timeout_ms=300").api
    idle, head, body = Raw(api), Raw(api), Raw(api)
    head.send("GET /health HTTP/1.1\r\nHo")
    body.send(post(api, "{", "Content-Length: 100"))
    assert idle.ended() and head.ended() and body.ended()
    assert api.get("/health").status == 200


def test_connections_are_bounded(new_server):
    server = new_server("--set", "http.max_connections=8")
    held = [Raw(server.api) for _ in range(8)]
    for one in held:
        one.send(GET)
        assert one.answer()[0] == 200
    extra = Raw(server.api, timeout=5)
    extra.send(GET)
    assert extra.answer()[0] == 200, "one that waits between requests gave way"
    assert 1 <= sum(1 for line in open(f"/proc/{server.pid}/net/tcp") if line.split()[1] == f"0100007F:{server.api.address[1]:04X}" and line.split()[3] == "01") <= 8
    for one in held:
        one.socket.close()
    until(lambda: _health(server.api), what="a connection again")


def _health(api):
    try:
        return api.get("/health", judged=False).status == 200
    except OSError:
        return False


def test_a_client_that_goes_away_does_not_end_its_run(api):
    one = Raw(api)
    body = json.dumps({"shell": "echo begun; read line; echo end", "stdin_open": True, "labels": {"test": "gone"}})
    one.send(post(api, body, f"Content-Length: {len(body)}"))
    found = until(lambda: api.get("/v1/executions", query={"label": "test=gone"})["items"])
    one.socket.close()
    execution = found[0]["execution_id"]
    assert next(e for e in api.follow(execution) if e["kind"] == "output")["data"] == "begun\n"
    api.stdin(execution, "\n", eof=True)
    assert api.ended(execution)["stdout"] == "begun\nend\n"


def test_a_client_that_asked_for_it_ends_its_run_by_going_away(api):
    one = Raw(api)
    body = json.dumps({"command": ["sleep", "600"], "cancel_on_disconnect": True, "labels": {"test": "leaver"}, "limits": {"wall_ms": 60_000}})
    one.send(post(api, body, f"Content-Length: {len(body)}"))
    found = until(lambda: api.get("/v1/executions", query={"label": "test=leaver", "status": "running"})["items"])
    one.socket.close()
    assert api.ended(found[0]["execution_id"])["status"] == "cancelled"


def test_a_client_that_leaves_is_no_error_in_the_log(new_server):
    server = new_server()
    for path, body in (("/v1/executions", {"command": ["sleep", "600"], "cancel_on_disconnect": True}),
                       ("/v1/executions/batch", {"executions": [{"command": ["sleep", "600"], "cancel_on_disconnect": True}]})):
        connection = server.api.connect()
        connection.request("POST", path, json.dumps(body), {**server.api.credentials(), "Content-Type": "application/json"})
        until(lambda: [each for each in server.api.get("/v1/executions", query={"status": "running"})["items"]], what="it runs")
        connection.close()
        until(lambda: not server.api.get("/v1/executions", query={"status": "running"})["items"], what="it was cancelled")
    server.stop()
    assert "a request handler failed" not in server.log_file.read_text()


@pytest.mark.parametrize("kind", ["Application/JSON", "APPLICATION/JSON;Charset=UTF-8", "application/json\t; charset=utf-8", "Application/Merge-Patch+JSON"])
def test_media_types_have_no_case(api, kind):
    answer = api.post("/v1/executions/batch", raw=b'  ["x"]', headers={"Content-Type": kind})
    assert answer.status == 400, "it is read, and is no object"
    assert api.post("/v1/executions/batch", raw=b'  ["x"]', headers={"Content-Type": "Text/Plain"}).status == 415


def test_service_routes_need_no_key(api):
    anonymous = api.with_key(None)
    assert anonymous.get("/health")["status"] == "ok"
    ready = anonymous.get("/ready")
    assert ready.status == 200 and ready["status"] == "ready"
    document = json.loads(anonymous.get("/openapi.json").body)
    assert document["openapi"].startswith("3.") and "/v1/executions" in document["paths"]

"""Clients that are slow, broken or hostile: they are refused or dropped, others are served meanwhile, and nothing stays behind."""

import json
import time

import pytest

from harness import raw
from harness.raw import GET, MIB, request, upgrade
from harness.leaks import Baseline
from harness.programs import paced
from harness.waiting import until

RUN = json.dumps({"command": ["echo", "hi"]}).encode()


# Slow clients

SLOW = {
    "heads": lambda api: b"GET /health HTTP/1.1\r\nHo",
    "silence": lambda api: b"",
    "bodies_without_a_key": lambda api: request(api, "Content-Length: 1000", key=False) + b"{",
    "answers_not_taken": lambda api: b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 200,
}


@pytest.mark.parametrize("kind", SLOW)
def test_slow_strangers_shut_nobody_out(new_server, kind):
    server = new_server("--set", "http.max_connections=40")
    before = Baseline(server)
    held = [raw.connect(server.api.address, receive_buffer=4096) for _ in range(60)]
    for one in held:
        one.sendall(SLOW[kind](server.api))
    started = time.monotonic()
    one = paced(server.api, 1)
    viewer = server.api.follow(one)
    assert next(e for e in viewer if e["kind"] == "output")["data"].startswith("line 0")
    again = [raw.connect(server.api.address, receive_buffer=4096) for _ in range(60)]
    for each in again:
        each.sendall(SLOW[kind](server.api))
    server.api.stdin(one, "\n", eof=True)
    assert [e for e in viewer][-1]["status"] == "success", "who has shown a key is not closed to make room"
    assert time.monotonic() - started < 9, "without the help of a timeout"
    assert "all connections are in use" in server.log_file.read_text()
    for each in held + again:
        raw.reset(each)
    before.compare()


def test_byte_by_byte_has_an_end(hasty):
    api = hasty.api
    head, body, chunked = (raw.connect(api.address) for _ in range(3))
    head.sendall(b"GET /health HTTP/1.1\r\nX: ")
    body.sendall(request(api, "Content-Length: 100000"))
    chunked.sendall(request(api, "Transfer-Encoding: chunked"))
    drips = {head: b"a", body: b" ", chunked: b"1\r\n \r\n"}
    ended = {}

    def drip():
        for one, byte in drips.items():
            if one not in ended:
                try:
                    one.sendall(byte)
                    one.setblocking(False)
                    piece = one.recv(4096)
                    ended[one] = piece
                except BlockingIOError:
                    pass
                except OSError:
                    ended[one] = b""
                one.setblocking(True)
        return len(ended) == 3

    until(drip, 8, "an end of all three")
    assert [ended[one].split(b" ")[1] for one in drips] == [b"408"] * 3
    for one in drips:
        one.close()


# Reset at every stage

STAGES = {
    "nothing": (b"", 0),
    "half_a_line": (b"POST /v1/exe", 0),
    "half_a_head": (b"POST /v1/executions HTTP/1.1\r\nHost: x\r\nX-API", 0),
    "head": (lambda api: request(api, f"Content-Length: {len(RUN)}"), 0),
    "half_a_body": (lambda api: request(api, f"Content-Length: {len(RUN)}") + RUN[:10], 0),
    "whole": (lambda api: request(api, f"Content-Length: {len(RUN)}") + RUN, 0),
    "large_body": (lambda api: request(api, f"Content-Length: {8 * MIB}") + b" " * (3 * MIB), 0),
    "continue": (lambda api: request(api, f"Content-Length: {len(RUN)}", "Expect: 100-continue"), 10),
    "chunk_size": (lambda api: request(api, "Transfer-Encoding: chunked") + b"1", 0),
    "chunk_data": (lambda api: request(api, "Transfer-Encoding: chunked") + b"ff\r\n{", 0),
    "chunk_trailer": (lambda api: request(api, "Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\nA: ", 0),
    "answer": (lambda api: request(api, method="GET", path="/openapi.json"), 100),
    "pipeline": (GET * 100, 50),
    "handshake": (lambda api: upgrade(api, "/v1/connect"), 0),
    "websocket": (lambda api: upgrade(api, "/v1/connect"), 100),
    "refusal": (b"GET / HTTP/9.9\r\n\r\n", 20),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_reset_leaves_nothing(hasty, stage):
    sent, read = STAGES[stage]
    for _ in range(5):
        one = raw.connect(hasty.api.address, receive_buffer=4096)
        one.sendall(sent(hasty.api) if callable(sent) else sent)
        if read:
            assert one.recv(read)
        raw.reset(one)


def test_a_reset_in_the_middle_of_a_stream_or_a_frame(hasty):
    api = hasty.api
    one = paced(api, 1)
    for sse in (False, True):
        response, connection = api.open_events(one, sse=sse)
        assert response.read(20)
        raw.reset(connection.sock)
        response.close()
    for frame in (b"\x81", b"\x81\xfe\x10\x00", b"\x81\xfe\x10\x00\x00\x00\x00\x00{", b"\x01\x81\x00\x00\x00\x00{"):
        viewer = api.stream(one)
        viewer.socket.sendall(frame)
        raw.reset(viewer.socket)
    api.stdin(one, "\n", eof=True)
    assert api.ended(one)["stdout"] == "line 0 é\n"


# What two readers could understand differently

EXTRA = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
TICKET = b"POST /v1/tickets HTTP/1.1\r\nHost: x\r\n"
SMUGGLED = {
    "length_then_chunked": TICKET + b"Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked_then_length": TICKET + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two_lengths": TICKET + b"Content-Length: 0\r\nContent-Length: 36\r\n\r\n",
    "two_equal_lengths": TICKET + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "length_list": TICKET + b"Content-Length: 0, 36\r\n\r\n",
    "length_sign": TICKET + b"Content-Length: +0\r\n\r\n",
    "length_hex": TICKET + b"Content-Length: 0x0\r\n\r\n",
    "length_negative": TICKET + b"Content-Length: -1\r\n\r\n",
    "length_space_inside": TICKET + b"Content-Length: 1 0\r\n\r\n",
    "length_overflow": TICKET + b"Content-Length: 18446744073709551616\r\n\r\n",
    "length_empty": TICKET + b"Content-Length: \r\n\r\n",
    "chunked_twice": TICKET + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked_and_identity": TICKET + b"Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
    "chunked_with_tab": TICKET + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    "chunked_quoted": TICKET + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "space_before_colon": TICKET + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "folded": TICKET + b"X: a\r\n Content-Length: 36\r\n\r\n",
    "folded_first": b"POST /v1/tickets HTTP/1.1\r\n Host: x\r\n\r\n",
    "bare_line_feeds": b"GET /health HTTP/1.1\nHost: x\n\n",
    "bare_line_feed_in_fields": b"GET /health HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
    "bare_carriage_return": b"GET /health HTTP/1.1\r\nHost: x\rX: y\r\n\r\n",
    "nul_in_name": b"GET /health HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n",
    "nul_in_value": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
    "nul_in_target": b"GET /hea\0lth HTTP/1.1\r\nHost: x\r\n\r\n",
    "no_colon": b"GET /health HTTP/1.1\r\nHost: x\r\nA\r\n\r\n",
    "empty_name": b"GET /health HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n",
    "no_host": b"GET /health HTTP/1.1\r\n\r\n",
    "two_hosts": b"GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "space_in_target": b"GET /health x HTTP/1.1\r\nHost: x\r\n\r\n",
    "two_spaces": b"GET  /health HTTP/1.1\r\nHost: x\r\n\r\n",
    "tab_for_space": b"GET\t/health\tHTTP/1.1\r\nHost: x\r\n\r\n",
    "user_in_target": b"GET http://a@b/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "old_coding": b"POST /v1/tickets HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "expect_something": TICKET + b"Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}",
    "chunk_size_negative": TICKET + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
    "chunk_size_overflow": TICKET + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    "chunk_size_empty": TICKET + b"Transfer-Encoding: chunked\r\n\r\n\r\n",
    "chunk_size_hex_prefix": TICKET + b"Transfer-Encoding: chunked\r\n\r\n0x1\r\n",
    "chunk_size_space": TICKET + b"Transfer-Encoding: chunked\r\n\r\n1 \r\n{\r\n",
    "chunk_line_feed_only": TICKET + b"Transfer-Encoding: chunked\r\n\r\n0\n\n",
    "chunk_too_long": TICKET + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "chunk_extension_large": TICKET + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"a" * 2000 + b"\r\n{\r\n0\r\n\r\n",
    "chunk_extension_line_feed": TICKET + b"Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\n{\r\n0\r\n\r\n",
    "trailers_large": TICKET + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 2000 + b"\r\n",
    "trailer_line_feed_only": TICKET + b"Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\n",
}


@pytest.mark.parametrize("case", SMUGGLED)
def test_what_could_be_read_in_two_ways_ends_the_connection(hasty, case):
    # A chunked body of a stranger is not read before its key is: this one has a key.
    text = SMUGGLED[case].replace(TICKET, TICKET + f"X-API-Key: {hasty.api.key}\r\n".encode())
    sock = raw.connect(hasty.api.address)
    sock.sendall(text + EXTRA)
    got = raw.answers(sock)
    assert len(got) == 1, "one answer, and what follows is not a request"
    status, fields, body = got[0]
    assert 400 <= status < 500 or status == 501, got
    assert fields["connection"] == "close"
    hasty.api.contract.check_named(json.loads(body), "Error", case)


def test_garbage_behind_a_good_request_is_refused_and_the_good_one_served(hasty):
    for garbage in (b"\0\0\0\0", b"\x16\x03\x01", b"garbage\r\n\r\n", b"}\r\n\r\n" * 1000, bytes(range(256)) * 40):
        sock = raw.connect(hasty.api.address)
        sock.sendall(GET + GET + garbage)
        got = [status for status, _, _ in raw.answers(sock)]
        assert got[:2] == [200, 200] and got[2:] == [400], (garbage[:20], got)


def test_sizes_of_lines_and_fields(hasty):
    def status(text):
        sock = raw.connect(hasty.api.address)
        sock.sendall(text)
        return raw.answers(sock)[0][0]

    line = 16 << 10
    spare = len("GET / HTTP/1.1") + len("Connection: close")
    close = b"Connection: close\r\nHost: x\r\n"
    assert status(b"GET /" + b"a" * (line - spare) + b" HTTP/1.1\r\n" + close + b"\r\n") == 404
    assert status(b"GET /" + b"a" * line + b" HTTP/1.1\r\n" + close + b"\r\n") == 414
    assert status(b"GET /" + b"a" * (line + 100)) == 414, "before the line is whole"
    assert status(b"GET /health HTTP/1.1\r\n" + close + b"A: " + b"b" * 60_000 + b"\r\n\r\n") == 200
    assert status(b"GET /health HTTP/1.1\r\n" + close + b"A: " + b"b" * 70_000) == 431
    assert status(b"GET /health HTTP/1.1\r\n" + close + b"A: b\r\n" * 98 + b"\r\n") == 200
    assert status(b"GET /health HTTP/1.1\r\n" + close + b"A: b\r\n" * 99 + b"\r\n") == 431


def test_continue_is_asked_for_only_where_it_helps(hasty):
    api = hasty.api
    for text, wanted in (
        (request(api, "Content-Length: 0", "Expect: 100-continue", "Connection: close", path="/v1/tickets"), [201]),
        (request(api, f"Content-Length: {1 << 40}", "Expect: 100-continue"), [413]),
        (request(api, "Content-Length: 100000", "Expect: 100-continue", key=False), [401]),
        (request(api, "Transfer-Encoding: chunked", "Expect: 100-continue", key=False), [401]),
        (b"POST /v1/tickets HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", [401]),
    ):
        sock = raw.connect(api.address)
        sock.sendall(text)
        assert [status for status, _, _ in raw.answers(sock)] == wanted, text


UPGRADES = {
    "h2c": (request, ("Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), 400),
    "version": (request, ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 8", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), 400),
    "no_key": (request, ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"), 400),
    "bad_key": (request, ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: short"), 400),
    "two_keys": (upgrade, ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",), 400),
    "body": (upgrade, ("Content-Length: 5", "Connection: close"), (101, 400)),
}


@pytest.mark.parametrize("case", UPGRADES)
def test_upgrades_that_are_none(hasty, case):
    how, fields, wanted = UPGRADES[case]
    text = upgrade(hasty.api, "/v1/connect", *fields) if how is upgrade else request(hasty.api, *fields, method="GET", path="/v1/connect")
    sock = raw.connect(hasty.api.address)
    sock.sendall(text + (b"hello" if case == "body" else b""))
    sock.settimeout(5)
    status = int(sock.recv(4096).split(b" ")[1])
    assert status in (wanted if isinstance(wanted, tuple) else (wanted,))
    raw.reset(sock)


def test_data_before_the_handshake_is_answered_is_refused(hasty):
    sock = raw.connect(hasty.api.address)
    sock.sendall(upgrade(hasty.api, "/v1/connect") + b"\x81\x82\0\0\0\0{}")
    assert sock.recv(4096).split(b" ")[1] == b"400"
    sock.close()


def test_compression_is_not_agreed_to(hasty):
    sock = raw.connect(hasty.api.address)
    sock.sendall(upgrade(hasty.api, "/v1/connect", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"))
    answer = sock.recv(4096)
    assert answer.startswith(b"HTTP/1.1 101") and b"extensions" not in answer.lower()
    raw.reset(sock)


def test_connections_are_probed(hasty):
    """A client that vanished without a word is found by the kernel: keep-alive is on for each connection."""
    sock = raw.connect(hasty.api.address)
    sock.sendall(GET)
    assert sock.recv(4096)
    ends = [":%04X" % port for port in (hasty.api.address[1], sock.getsockname()[1])]
    with open("/proc/net/tcp") as table:    # others may have either port, to other peers
        [line] = [fields for fields in map(str.split, table) if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1])]
    assert line[5].startswith("02"), "the keep-alive timer runs"
    sock.close()

"""WebSocket frames that are wrong, floods of good ones, and viewers that never read."""

import json
import struct

import pytest

from harness import raw
from harness.leaks import descriptors, resident_bytes
from harness.raw import MIB, request
from harness.waiting import until
from harness.websocket import Closed

MASK = b"\0\0\0\0"


def frame(first, payload=b"", size=None):
    size = len(payload) if size is None else size
    if size < 126:
        return bytes([first, 0x80 | size]) + MASK + payload
    if size < 65536:
        return bytes([first, 0xFE]) + size.to_bytes(2, "big") + MASK + payload
    return bytes([first, 0xFF]) + size.to_bytes(8, "big") + MASK + payload


FRAMES = {
    "unmasked": (b"\x81\x02{}", 1002),
    "reserved_1": (frame(0xC1, b"{}"), 1002),
    "reserved_2": (frame(0xA1, b"{}"), 1002),
    "reserved_3": (frame(0x91, b"{}"), 1002),
    "reserved_opcode": (frame(0x83, b"{}"), 1002),
    "reserved_control": (frame(0x8B, b"{}"), 1002),
    "large_ping": (frame(0x89, b"a" * 126), 1002),
    "fragmented_ping": (frame(0x09, b"a"), 1002),
    "nothing_to_continue": (frame(0x80, b"{}"), 1002),
    "a_message_in_a_message": (frame(0x01, b"{") + frame(0x81, b"}"), 1002),
    "not_utf8": (frame(0x81, b"\xff\xfe"), 1007),
    "not_utf8_over_fragments": (frame(0x01, b"\xc3") + frame(0x80, b"\x28"), 1007),
    "surrogate": (frame(0x81, b"\xed\xa0\x80"), 1007),
    "oversize": (frame(0x81, b"", 8 * MIB + 1), 1009),
    "absurd": (frame(0x81, b"", 1 << 62), 1009),
    "negative": (b"\x81\xff" + b"\xff" * 8 + MASK, (1002, 1009)),
    "long_form_of_a_short_size": (b"\x81\xfe\x00\x02" + MASK + b"{}", 1002),
    "close_of_one_byte": (frame(0x88, b"\x03"), 1002),
    "close_with_a_bad_code": (frame(0x88, struct.pack(">H", 1005)), 1002),
    "close_with_a_bad_reason": (frame(0x88, struct.pack(">H", 1000) + b"\xff"), (1002, 1007)),
    "binary": (frame(0x82, b"{}"), 1003),
}


@pytest.mark.parametrize("case", FRAMES)
def test_a_frame_that_is_wrong_ends_its_connection(hasty, case):
    sent, wanted = FRAMES[case]
    with hasty.api.websocket("/v1/connect") as client:
        client.socket.sendall(sent)
        with pytest.raises(Closed) as end:
            while True:
                client.receive()
        assert end.value.code in (wanted if isinstance(wanted, tuple) else (wanted,))
        assert end.value.reason, "says why"


def test_fragments_that_grow_too_large_are_1009(hasty):
    with hasty.api.websocket("/v1/connect") as client:
        piece = b" " * MIB
        with pytest.raises((Closed, OSError)) as end:
            client.socket.sendall(frame(0x01, b"{"))
            for _ in range(12):
                client.socket.sendall(frame(0x00, piece))
            client.receive()
        assert not isinstance(end.value, Closed) or end.value.code == 1009


def test_thousands_of_tiny_fragments_and_pings(hasty):
    api = hasty.api
    before = resident_bytes(hasty.pid)
    text = json.dumps({"type": "run", "ref": "a", "command": ["echo", "x" * 5000]}).encode()
    with api.websocket("/v1/connect") as client:
        pieces = [frame(0x01, b"")] + [frame(0x00, text[i : i + 1]) + frame(0x00) + frame(0x89, b"p") for i in range(len(text))] + [frame(0x80)]
        client.socket.settimeout(20)
        sent = b"".join(pieces)
        for at in range(0, len(sent), 2000):    # the pongs are read meanwhile, or both sides would wait
            client.socket.sendall(sent[at : at + 2000])
            client.socket.setblocking(False)
            try:
                client.buffer += client.socket.recv(65536)
            except BlockingIOError:
                pass
            client.socket.setblocking(True)
            client.socket.settimeout(20)
        assert api.get("/health").status == 200
        while (event := json.loads(client.receive()))["kind"] != "exit":
            pass
        assert event["status"] == "success"
    assert resident_bytes(hasty.pid) - before < 64 * MIB


def test_a_flood_of_pings_that_takes_no_pongs_is_held_up(hasty):
    client = hasty.api.websocket("/v1/connect", receive_buffer=4096)
    before = resident_bytes(hasty.pid)
    client.socket.settimeout(0.5)
    sent, flood = 0, frame(0x89, b"p" * 125) * 1000
    try:
        while sent < 64 * MIB:
            sent += client.socket.send(flood)
    except OSError:
        pass
    assert sent < 64 * MIB, "the server reads no more than it can answer"
    assert hasty.api.get("/health").status == 200
    assert resident_bytes(hasty.pid) - before < 32 * MIB
    raw.reset(client.socket)


def test_a_flood_of_frames_that_takes_no_answers_is_held_up(new_server):
    server = new_server()
    wrong = json.dumps({"type": "cancel", "ref": "a", **{f"unknown{i}": 0 for i in range(60)}}).encode()
    one = frame(0x81, wrong)
    many = one * 11
    with server.api.websocket("/v1/connect", receive_buffer=4096) as client:
        client.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < 64 * MIB:
                sent += client.socket.send(many[sent % len(one):])    # from where the last call stopped, be it within a frame
        except OSError:
            pass
        assert sent < 64 * MIB, "the server reads no more than it can answer"
        client.socket.settimeout(30)
        for _ in range(sent // len(one)):    # all have their answers: what waits to be sent did not grow until the connection was cut
            assert json.loads(client.receive())["kind"] == "error"


def test_a_message_that_dribbles_and_a_client_that_sleeps_are_dropped(hasty):
    dribbling, sleeping = hasty.api.websocket("/v1/connect"), hasty.api.websocket("/v1/connect")
    dribbling.socket.sendall(frame(0x01, b"{"))
    ended = set()

    def drop():
        for one in (dribbling, sleeping):
            try:
                one.socket.setblocking(False)
                if one is dribbling:
                    one.socket.send(frame(0x00, b" ") + frame(0x8A))    # it answers pings and goes on, slowly
                    piece = one.socket.recv(4096)
                    if piece == b"":
                        ended.add(one)
                elif one.socket.recv(4096) == b"":
                    ended.add(one)
            except BlockingIOError:
                pass
            except OSError:
                ended.add(one)
        return len(ended) == 2

    until(drop, 10, "both to be dropped")
    dribbling.socket.close()
    sleeping.socket.close()


# Clients that never read

def test_clients_that_never_read_are_dropped_and_harm_nobody(hasty):
    api = hasty.api
    one = api.start(language="python", stdin_open=True, limits={"max_output_bytes": 64 * MIB},
                    code="import sys\nsys.stdin.readline()\nfor _ in range(48): sys.stdout.write('x' * 1023 * 1024 + '\\n' * 1024)\n")
    good = api.follow(one, sse=True)
    next(good)
    before, held = resident_bytes(hasty.pid), descriptors(hasty.pid).get("socket", 0)
    lazy = [api.websocket(f"/v1/executions/{one}/stream", receive_buffer=4096) for _ in range(10)]
    socks = [each.socket for each in lazy]
    for fields in (["Accept: text/event-stream"], []):
        for _ in range(10):
            sock = raw.connect(api.address, receive_buffer=4096)
            sock.sendall(request(api, *fields, method="GET", path=f"/v1/executions/{one}/events?follow=1"))
            socks.append(sock)
    api.stdin(one, "go\n", eof=True)
    size, most = 0, 0
    for event in good:
        if event["kind"] == "output":
            size += len(event["data"])
            most = max(most, resident_bytes(hasty.pid) - before)
    assert size == 48 * 1024 * 1024 and event["status"] == "success", "the good viewer has all"
    assert most < 192 * MIB, f"{most / MIB:.0f} MiB for 30 clients that read nothing of 48 MiB"
    for _ in range(5):
        sock = raw.connect(api.address, receive_buffer=4096)
        sock.sendall(request(api, method="GET", path=f"/v1/executions/{one}/logs"))
        socks.append(sock)
    until(lambda: descriptors(hasty.pid).get("socket", 0) <= held, 15, "all of them to be dropped")
    for sock in socks:
        raw.reset(sock)


def test_a_close_that_is_not_answered_is_waited_for_only_so_long(hasty):
    one = hasty.api.run(command=["true"])["execution_id"]
    held = descriptors(hasty.pid).get("socket", 0)
    clients = [hasty.api.stream(one) for _ in range(3)]
    until(lambda: descriptors(hasty.pid).get("socket", 0) <= held, 10, "the server to hang up")
    for each in clients:
        each.socket.close()

"""WebSocket: one execution by /stream, many by /connect; control the other way, tickets, and a client that others wrote."""

import asyncio
import json
import socket
import subprocess

import aiohttp
import pytest

from harness import events as tools
from harness.programs import paced
from harness.server import BINARY, ROOT
from harness.websocket import Closed, Refused


def test_a_websocket_shows_the_log_and_closes(api):
    one = api.run(shell="echo out; echo err >&2")["execution_id"]
    with api.stream(one) as socket:
        assert list(api.frames(socket)) == api.log(one)


def test_a_websocket_resumes_at_a_cursor(api):
    one = api.run(shell="echo out; echo err >&2")["execution_id"]
    log = api.log(one)
    with api.stream(one, after=log[1]["cursor"]) as socket:
        assert list(api.frames(socket)) == log[2:]


def test_binary_frames_hold_the_exact_bytes(api):
    code = "import sys\nfor i in range(4): sys.stdout.buffer.write(bytes(range(256)) * 500)\n"
    one = api.run(language="python", code=code)["execution_id"]
    got, others, last_end = b"", [], 0
    with api.stream(one, frames="binary") as socket:
        for frame in api.frames(socket):
            if isinstance(frame, bytes):
                stream, ref, offset, data = tools.binary(frame)
                assert (stream, ref, offset) == ("stdout", 0, last_end)
                last_end += len(data)
                got += data
            else:
                others.append(frame)
    assert got == bytes(range(256)) * 2000
    assert [frame["kind"] for frame in others] == ["state", "state", "usage", "exit"]
    assert all(frame["ref_no"] == 0 for frame in others)
    # After a resume the offset tells what was had before.
    cursor = next(e for e in api.log(one) if e["kind"] == "output")["cursor"]
    with api.stream(one, frames="binary", after=cursor) as socket:
        pieces = [tools.binary(frame) for frame in api.frames(socket) if isinstance(frame, bytes)]
    rest = b"".join(data for _, _, _, data in pieces)
    assert got.endswith(rest) and pieces[0][2] + len(rest) == len(got)


def test_control_through_the_stream(api):
    one = api.start(shell="read a; echo got $a; trap 'echo hup' HUP; echo trap; cat; read never", stdin_open=True)
    with api.stream(one) as socket:
        socket.send_json({"type": "stdin", "data": "hello\n"})
        frames = api.frames(socket)
        text = ""
        while "trap\n" not in text:
            frame = next(frames)
            text += frame.get("data", "") if frame["kind"] == "output" else ""
        assert text == "got hello\ntrap\n"
        socket.send_json({"type": "resize", "cols": 80})
        assert next(frames)["kind"] == "error"    # refused: rows are missing; the connection goes on
        socket.send_json({"type": "nonsense"})
        assert next(frames)["kind"] == "error"
        socket.send_text("not json")
        assert next(frames)["kind"] == "error"
        socket.send_json({"type": "cancel"})
        assert list(frames)[-1]["status"] == "cancelled"


def test_a_terminal_echoes_and_follows_its_size(api):
    one = api.start(shell="stty size; read line; stty size; test -t 0 && test -t 1 && test -t 2 && echo tty", pty={"cols": 100, "rows": 30}, stdin_open=True)
    with api.stream(one) as socket:
        frames = api.frames(socket)
        text = ""
        while "30 100" not in text:
            frame = next(frames)
            if frame["kind"] == "output":
                assert frame["stream"] == "pty"
                text += frame["data"]
        socket.send_json({"type": "resize", "cols": 120, "rows": 40})
        socket.send_json({"type": "stdin", "data": "typed\n"})
        text += "".join(frame["data"] for frame in frames if frame["kind"] == "output")
    assert "typed\r\n" in text and "40 120\r\n" in text and text.endswith("tty\r\n"), text
    record = api.show(one)
    assert record["status"] == "success" and record["stderr"] == ""


def test_control_c_in_a_terminal_is_sigint(api):
    one = api.start(shell="trap 'echo interrupted; exit 3' INT; echo ready; while :; do read x; done", pty={}, stdin_open=True)
    next(e for e in api.follow(one) if e["kind"] == "output" and "ready" in e["data"])
    api.stdin(one, "\x03")
    record = api.ended(one)
    assert record["exit_code"] == 3 and "interrupted" in record["stdout"]


def test_connect_runs_and_follows_many(api):
    finished, text = {}, {}
    with api.websocket("/v1/connect") as socket:
        for ref in "abcde":
            socket.send_json({"type": "run", "ref": ref, "shell": f"echo from {ref}; exit {ord(ref) - 97}"})
        while len(finished) < 5:
            frame = json.loads(socket.receive())
            api.contract.check_frame(frame)
            if frame["kind"] == "output":
                text[frame["ref"]] = text.get(frame["ref"], "") + frame["data"]
            if frame["kind"] == "exit":
                finished[frame["ref"]] = frame
        socket.close()
    for ref in "abcde":
        assert text[ref] == f"from {ref}\n" and finished[ref]["exit_code"] == ord(ref) - 97
        assert api.show(finished[ref]["execution_id"])["exit_code"] == ord(ref) - 97


def test_connect_talks_to_one_of_many_and_attaches(api):
    other = paced(api, 1)
    with api.websocket("/v1/connect") as socket:
        socket.send_json({"type": "run", "ref": "cat", "command": ["cat"], "stdin_open": True})
        socket.send_json({"type": "attach", "execution_id": other, "ref": "paced"})
        socket.send_json({"type": "stdin", "ref": "cat", "data": "meow\n"})
        seen = {"cat": "", "paced": ""}
        ended = set()
        while ended != {"cat", "paced"}:
            frame = json.loads(socket.receive())
            api.contract.check_frame(frame)
            if frame["kind"] == "output":
                seen[frame["ref"]] += frame["data"]
            if frame["kind"] == "output" and frame["ref"] == "cat":
                socket.send_json({"type": "stdin_eof", "ref": "cat"})
            if frame["kind"] == "output" and frame["ref"] == "paced":
                socket.send_json({"type": "stdin", "ref": "paced", "data": "\n"})
            if frame["kind"] == "exit":
                ended.add(frame["ref"])
        socket.close()
    assert seen == {"cat": "meow\n", "paced": seen["paced"]} and "line 0 é\n" in seen["paced"]


CONNECT_MISTAKES = [
    ({"type": "run", "command": ["true"]}, "ref"),
    ({"type": "run", "ref": "a", "command": []}, "command"),
    ({"type": "run", "ref": "a", "skill": "x"}, "skill"),
    ({"type": "attach", "execution_id": "exe_" + "0" * 26}, ""),
    ({"type": "attach"}, "execution_id"),
    ({"type": "stdin", "ref": "nobody", "data": "x"}, "ref"),
    ({"type": "cancel"}, "ref"),
    ({"type": "x"}, "type"),
    ({}, "type"),
    ([], ""),
]


def test_refused_frames_leave_the_connection(api):
    with api.websocket("/v1/connect") as socket:
        for mistake, word in CONNECT_MISTAKES:
            socket.send_json(mistake)
            frame = json.loads(socket.receive())
            api.contract.check_frame(frame)
            assert frame["kind"] == "error" and word in json.dumps(frame), (mistake, frame)
        socket.send_json({"type": "run", "ref": "a", "command": ["true"]})
        assert json.loads(socket.receive())["kind"] == "state"
        socket.close()


def test_a_binary_message_and_bad_utf8_close_the_socket(api):
    for code, payload, wanted in ((2, b"\0\1", 1003), (1, b"\xff\xfe", 1007)):
        with api.websocket("/v1/connect") as socket:
            socket.send_frame(code, payload)
            with pytest.raises(Closed) as closed:
                socket.receive()
            assert closed.value.code == wanted


def test_fragments_and_pings_are_understood(api):
    with api.websocket("/v1/connect") as socket:
        socket.send_frame(1, b'{"type":"run","ref":"f",', final=False)
        socket.send_frame(9, b"are you there")
        socket.send_frame(0, b'"command":["echo","whole"]}')
        kinds = []
        while "exit" not in kinds:
            frame = json.loads(socket.receive())
            kinds.append(frame["kind"])
        assert "output" in kinds
        socket.close()


def test_a_handshake_names_no_library(api):
    socket_ = api.websocket("/v1/connect")
    assert socket_.fields["server"] == "caisson" and "beast" not in str(socket_.fields).lower(), socket_.fields
    socket_.close()


def test_a_client_of_ours_names_itself_alone(tmp_path):
    """What `caisson logs -f` sends when it opens its WebSocket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        env = {"PATH": "/usr/bin:/bin", "CAISSON_URL": f"http://127.0.0.1:{listener.getsockname()[1]}", "CAISSON_API_KEY": "k"}
        client = subprocess.Popen([BINARY, "run", "--shell", "true"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said = b""
            while b"upgrade: websocket" not in said.lower():
                connection, _ = listener.accept()
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += connection.recv(65_536)
                    said += head
                    if b"upgrade: websocket" not in head.lower():
                        one = json.dumps({"execution_id": "exe_01jd2c00000000000000000000", "status": "queued", "kind": "shell"}).encode()
                        connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(one) + one)
        finally:
            client.kill()
            client.communicate()
    assert b"beast" not in said.lower() and b"boost" not in said.lower(), said


def test_a_page_of_another_origin_is_refused(api):
    one = api.run(command=["true"])["execution_id"]
    for path in (f"/v1/executions/{one}/stream", "/v1/connect"):
        with pytest.raises(Refused) as refused:
            api.websocket(path, headers={**api.credentials(), "Origin": "https://evil.example"})
        assert refused.value.status == 403
        own = f"http://{api.address[0]}:{api.address[1]}"
        api.websocket(path, headers={**api.credentials(), "Origin": own}).close()


def test_an_upgrade_that_is_none_is_refused(api):
    one = api.run(command=["true"])["execution_id"]
    assert api.get(f"/v1/executions/{one}/stream").status in (400, 426)
    with pytest.raises(Refused) as refused:
        api.websocket("/v1/executions/exe_" + "0" * 26 + "/stream")
    assert refused.value.status == 404


# Tickets


def test_a_ticket_opens_one_connection_once(api):
    one = api.run(command=["echo", "seen"])["execution_id"]
    ticket = api.post("/v1/tickets")
    assert ticket.status == 201
    with api.websocket(f"/v1/executions/{one}/stream", {"ticket": ticket["ticket"]}, headers={}) as socket:
        assert list(api.frames(socket))[-1]["kind"] == "exit"
    with pytest.raises(Refused) as refused:
        api.websocket(f"/v1/executions/{one}/stream", {"ticket": ticket["ticket"]}, headers={})
    assert refused.value.status == 401


def test_a_ticket_is_not_in_the_log(server):
    ticket = server.api.post("/v1/tickets")["ticket"]
    server.api.with_key(None).get("/v1/executions", query={"ticket": ticket})
    assert ticket not in server.log_file.read_text() and server.api.key not in server.log_file.read_text()


# Clients that others wrote


def test_aiohttp_is_served(api):
    """An independent implementation of WebSocket and of chunked streams."""

    async def talk():
        async with aiohttp.ClientSession(headers=api.credentials()) as session:
            async with session.ws_connect(f"{api.url}/v1/connect", compress=0) as socket:
                await socket.send_json({"type": "run", "ref": "r", "command": ["sha256sum", "LICENSE"], "files": {"LICENSE": (ROOT / "LICENSE").read_text()}})
                frames = []
                async for message in socket:
                    frames.append(message.json())
                    if frames[-1]["kind"] == "exit":
                        await socket.close()
            one = frames[-1]["execution_id"]
            async with session.get(f"{api.url}/v1/executions/{one}/events", params={"follow": "1"}) as response:
                lines = [json.loads(line) async for line in response.content]
        return frames, lines

    frames, lines = asyncio.run(talk())
    assert tools.summary(frames) == tools.summary(lines)
    assert lines[-1]["status"] == "success"

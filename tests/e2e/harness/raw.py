"""Sockets that speak bytes: for what ordinary clients never send."""

import socket
import struct

GET = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
MIB = 1 << 20


def reset(sock):
    """Ends a connection by RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def connect(address, timeout=15, receive_buffer=None):
    made = socket.socket()
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.settimeout(timeout)
    made.connect(address)
    return made


def rest(sock):
    """All bytes until the server closes."""
    got = b""
    try:
        while piece := sock.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


def answers(sock):
    """All answers until the server closes, as (status, fields, body). Bodies are counted, not chunked."""
    got, found = rest(sock), []
    while got:
        head, _, behind = got.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}
        size = int(fields.get("content-length", 0))
        found.append((int(first.split()[1]), fields, behind[:size]))
        got = behind[size:]
    return found


def request(api, *fields, method="POST", path="/v1/executions", key=True):
    lines = [f"{method} {path} HTTP/1.1", "Host: x", "Content-Type: application/json", *([f"X-API-Key: {api.key}"] if key else []), *fields]
    return "\r\n".join([*lines, "", ""]).encode()


def upgrade(api, path, *fields):
    return request(api, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *fields, method="GET", path=path)

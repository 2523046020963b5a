"""A WebSocket client on a plain socket: small, synchronous, and in full control of when it reads."""

import base64
import hashlib
import json
import os
import socket
import struct
from dataclasses import dataclass

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The handshake was answered by something else than 101."""

    def __init__(self, status, headers, body):
        super().__init__(f"{status}: {body[:300]!r}")
        self.status, self.headers, self.body = status, headers, body


@dataclass
class Closed(Exception):
    code: int
    reason: str


class WebSocket:
    def __init__(self, address, path, headers=(), timeout=30.0, receive_buffer=None, tls=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=address[0])
        self.buffer = b""
        self.pings = 0
        self._shake_hands(address, path, headers)

    def _shake_hands(self, address, path, headers):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {address[0]}:{address[1]}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *(f"{n}: {v}" for n, v in headers)]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode("latin-1").split("\r\n")
        got = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in rest)}
        status = int(first.split()[1])
        if status != 101:
            body = self._exactly(int(got.get("content-length", 0)))
            self.socket.close()
            raise Refused(status, got, body)
        accept = base64.b64encode(hashlib.sha1((key + MAGIC).encode()).digest()).decode()
        assert got["sec-websocket-accept"] == accept
        self.fields = got    # of the answer to the handshake, by their names in lower case

    def _fill(self):
        piece = self.socket.recv(256 * 1024)
        if not piece:
            raise Closed(1006, "the connection ended without a close frame")
        self.buffer += piece

    def _exactly(self, size):
        while len(self.buffer) < size:
            self._fill()
        piece, self.buffer = self.buffer[:size], self.buffer[size:]
        return piece

    def _frame(self):
        first, second = self._exactly(2)
        assert not second & 0x80, "a server must not mask"
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big")
        return bool(first & 0x80), first & 0x0F, self._exactly(size)

    def receive(self):
        """The next message: str or bytes. Answers pings; raises Closed."""
        parts, kind = [], None
        while True:
            final, code, payload = self._frame()
            if code == PING:
                self.pings += 1
                self.send_frame(PONG, payload)
            elif code == CLOSE:
                status = struct.unpack(">H", payload[:2])[0] if payload else 1005
                self._answer_close(payload)
                raise Closed(status, payload[2:].decode())
            elif code != PONG:
                kind = code or kind
                parts.append(payload)
                if final:
                    whole = b"".join(parts)
                    return whole.decode("utf-8") if kind == TEXT else whole

    def _answer_close(self, payload):
        try:
            self.send_frame(CLOSE, payload[:2])
        except OSError:
            pass
        self.socket.close()

    def send_frame(self, code, payload, final=True):
        mask = os.urandom(4)
        size = len(payload)
        if size < 126:
            head = struct.pack(">BB", (0x80 if final else 0) | code, 0x80 | size)
        elif size < 65536:
            head = struct.pack(">BBH", (0x80 if final else 0) | code, 0x80 | 126, size)
        else:
            head = struct.pack(">BBQ", (0x80 if final else 0) | code, 0x80 | 127, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big") if size else b""
        self.socket.sendall(head + mask + masked)

    def send_text(self, text):
        self.send_frame(TEXT, text.encode())

    def send_json(self, value):
        self.send_text(json.dumps(value))

    def close(self, code=1000):
        try:
            self.send_frame(CLOSE, struct.pack(">H", code))
        except OSError:
            pass
        self.socket.close()

    def abort(self):
        """Ends the connection without a word, by RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

"""Ten thousand idle viewers: each costs little, all get the event when it comes, and when they leave nothing stays."""

import resource
import select
import socket

import pytest

from harness.leaks import Baseline, resident_bytes
from harness.programs import paced
from harness.waiting import until

VIEWERS = 10_000
BATCH = 200
MOST_KIB = 96    # resident, for each viewer, in a build with sanitizers


class Crowd:
    """Viewers on non-blocking sockets, all read by one loop."""

    def __init__(self, address):
        self.address = address
        self.poll = select.epoll()
        self.sockets, self.got = {}, {}

    def join(self, count, text):
        """Opens `count` connections that send `text`, a batch at a time, and waits for the first answer of each."""
        while count:
            batch = min(count, BATCH)
            for _ in range(batch):
                one = socket.create_connection(self.address, 30)
                one.setblocking(False)
                one.send(text)
                self.sockets[one.fileno()], self.got[one.fileno()] = one, b""
                self.poll.register(one.fileno(), select.EPOLLIN)
            count -= batch
            self.read_until(lambda got: b'"queued"' in got and b'"running"' in got)

    def read_until(self, seen):
        """Reads until all have seen it."""
        waiting = {fd for fd, got in self.got.items() if not seen(got)}

        def turn():
            for fd, _ in self.poll.poll(0.05):
                piece = self.sockets[fd].recv(65536)
                if not piece:
                    assert seen(self.got[fd]), f"the server left viewer {fd}: {self.got[fd]}"
                    self.poll.unregister(fd)
                self.got[fd] = (self.got[fd] + piece)[-4096:]
                if seen(self.got[fd]):
                    waiting.discard(fd)
            return not waiting

        until(turn, 60, f"all of {len(self.sockets)}")

    def leave(self):
        self.poll.close()
        for one in self.sockets.values():
            one.close()


@pytest.fixture
def descriptors_for_all():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = VIEWERS + 500
    assert hard == resource.RLIM_INFINITY or hard >= needed, f"this test needs {needed} descriptors: ulimit -Hn is {hard}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def quiet(api):
    """An execution that waits for a line of input."""
    one = api.start(shell="read line; echo here it is", stdin_open=True)
    until(lambda: api.show(one)["status"] == "running")
    return one


def follow(api, execution):
    return f"GET /v1/executions/{execution}/events HTTP/1.1\r\nHost: x\r\nX-API-Key: {api.key}\r\nAccept: text/event-stream\r\n\r\n"


def test_ten_thousand_idle_viewers(new_server, descriptors_for_all, record_property):
    server = new_server("--set", f"http.max_connections={VIEWERS + 100}")
    api = server.api
    assert api.run(shell="echo warm")["status"] == "success"
    before, base = Baseline(server), resident_bytes(server.pid)
    one = quiet(api)
    events = follow(api, one)
    stream = (f"GET /v1/executions/{one}/stream HTTP/1.1\r\nHost: x\r\nX-API-Key: {api.key}\r\nUpgrade: websocket\r\n"
              "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    crowd = Crowd(api.address)
    crowd.join(VIEWERS // 2, events.encode())
    by_events = resident_bytes(server.pid) - base
    crowd.join(VIEWERS - VIEWERS // 2, stream.encode())
    all_of_them = resident_bytes(server.pid) - base
    figures = {"sse_kib": by_events / 1024 / (VIEWERS // 2), "websocket_kib": (all_of_them - by_events) / 1024 / (VIEWERS - VIEWERS // 2)}
    for name, value in figures.items():
        record_property(name, round(value, 1))
        assert value < MOST_KIB, figures
    assert api.run(shell="echo served")["stdout"] == "served\n", "others are served meanwhile"
    api.stdin(one, "\n", eof=True)
    crowd.read_until(lambda got: b"here it is" in got and b'"exit"' in got)
    peak = resident_bytes(server.pid) - base
    crowd.leave()
    before.compare()
    again = Crowd(api.address)
    other = quiet(api)
    again.join(VIEWERS // 10, follow(api, other).encode())
    figures["after_all_left"] = (resident_bytes(server.pid) - base) / peak
    print(figures)
    assert figures["after_all_left"] < 1.05, "what they took is free for others"
    again.leave()
    api.cancel(other)
    before.compare()

"""Prints what an earlier release's agent says over the link, and the orders that it obeys, as older_agent_transcript.hpp has them:

    python3 tests/core/protocol/record_older_agent.py build/release/caisson-agent >tests/core/protocol/older_agent_transcript.hpp

The orders are put together here, by the description in core/protocol/frame.hpp, so that this release's encoder can be compared with them."""

import os
import socket
import struct
import subprocess
import sys
import tempfile

MARKER = b"\xff\xc5caisson-link\xc5\xff"
SERVERS = ("resume", "spawn", "file", "stdin_data", "stdin_eof", "ack", "signal", "resize", "forget", "shutdown", "ping", "park")
AGENTS = ("state", "started", "output", "eof", "stdin_ack", "exited", "error", "forgotten", "orders", "parked")
NAMES = {1: "hello", **dict(enumerate(SERVERS, 16)), **dict(enumerate(AGENTS, 32))}
NUMBERS = {name: number for number, name in NAMES.items()}
SCRIPT = "trap 'echo heard >&2; exit 3' USR1; cat a.txt; read x; echo $x; while :; do sleep 0.05; done"
SIGUSR1, RLIMIT_NOFILE = 10, 7
WORK = "/tmp/older-agent"    # named in what is recorded


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def texts(*values):
    return struct.pack("<I", len(values)) + b"".join(map(text, values))


def frame(name, exec, body=b""):
    rest = struct.pack("<BQ", NUMBERS[name], exec) + body + b"\0"
    return struct.pack("<I", len(rest)) + rest


def hello(nonce):
    return MARKER + frame("hello", 0, struct.pack("<IQQQ", 4, 1, nonce, 3_600_000) + text("test"))


def program(*argv):
    env = struct.pack("<I", 1) + text("PATH") + text("/usr/bin:/bin")
    no_terminal, limits, wall_ms = struct.pack("<BHH", 0, 0, 0), struct.pack("<IIQ", 1, RLIMIT_NOFILE, 64), struct.pack("<Q", 60_000)
    return texts(*argv) + env + text(WORK) + no_terminal + limits + wall_ms + text("")


def spawn(exec, *argv):
    request = program(*argv)
    return frame("spawn", exec, struct.pack("<IIB", 0, len(request), 0) + request)


class Connection:
    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(address)
        self.heard, self.frames = b"", []

    def say(self, data):
        self.socket.sendall(data)
        self.frames.append(("server", data))

    def hear(self, *wanted):
        """Until each of these was heard, in any order, by its name and execution."""
        missing = list(wanted)
        while missing:
            while (size := self.whole()) is None:
                got = self.socket.recv(65536)
                assert got, missing
                self.heard += got
            found, self.heard = self.heard[:size], self.heard[size:]
            self.frames.append(("agent", found))
            name = described(found)
            if name in missing:
                missing.remove(name)

    def whole(self):
        at = len(MARKER) if self.heard.startswith(MARKER) else 0
        if len(self.heard) < at + 4:
            return None
        size = at + 4 + struct.unpack_from("<I", self.heard, at)[0]
        return size if len(self.heard) >= size else None


def described(data):
    at = len(MARKER) if data.startswith(MARKER) else 0
    kind, exec = struct.unpack_from("<BQ", data, at + 4)
    return f"{NAMES[kind]} {exec}"


def first(one):
    one.say(hello(77))
    one.hear("hello 0")
    one.say(frame("park", 1, text("") + text("") + text("") + texts() + texts()))
    one.hear("parked 0")
    one.say(frame("file", 1, struct.pack("<IQB", 0o644, 0, 1) + text("a.txt") + b"given\n"))
    one.say(spawn(1, "/bin/sh", "-c", SCRIPT))
    one.hear("started 1", "output 1")
    one.say(frame("stdin_data", 1, struct.pack("<Q", 0) + b"word\n"))
    one.say(frame("stdin_eof", 1, struct.pack("<Q", 5)))
    one.hear("orders 1", "stdin_ack 1", "output 1")
    one.say(frame("ack", 1, struct.pack("<BQ", 1, 6)))
    one.say(frame("ping", 0))


def second(one):
    one.say(hello(78))
    one.hear("hello 0")
    one.say(frame("resume", 1, struct.pack("<QQQ", 6, 0, 5)))
    one.hear("state 1", "orders 1", "output 1")
    one.say(frame("resize", 1, struct.pack("<HH", 100, 30)))
    one.say(frame("signal", 1, struct.pack("<IBQ", SIGUSR1, 0, 1)))
    one.hear("orders 1", "output 1", "eof 1", "eof 1", "exited 1")
    one.say(spawn(2, "/no/such/program"))
    one.hear("error 2")
    one.say(frame("resume", 9, struct.pack("<QQQ", 0, 0, 0)))
    one.hear("state 9")
    one.say(frame("forget", 1))
    one.hear("forgotten 1")
    one.say(frame("shutdown", 0))


def printed(name, frames):
    lines = [f'    {{"{described(data)}", speaker::{who}, "{data.hex()}"}},' for who, data in frames]
    return f"inline constexpr recorded_frame {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


HEAD = """\
#pragma once

#include <string_view>

/// What the agent of an earlier release said over two connections, and the orders that it obeyed, byte for byte. Made by
/// record_older_agent.py.
namespace caisson::protocol::older {

enum class speaker { server, agent };

struct recorded_frame {
    std::string_view name;    // of the frame, and its execution
    speaker from;
    std::string_view hex;    // the first frame of each speaker with the marker before it
};

// clang-format off
"""


def recorded(address, talk):
    one = Connection(address)
    talk(one)
    one.socket.close()
    return one.frames


def main(agent):
    with tempfile.TemporaryDirectory(prefix="agent-", dir="/tmp") as folder:
        os.makedirs(WORK, exist_ok=True)
        address = folder + "/s"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
        listener.listen(4)
        process = subprocess.Popen([agent, "--subreaper", "--work", WORK, "--listen-fd", str(listener.fileno())], pass_fds=[listener.fileno()])
        try:
            found = [recorded(address, talk) for talk in (first, second)]
            process.wait(20)
        finally:
            process.kill()
        os.remove(WORK + "/a.txt")
        os.rmdir(WORK)
    tables = printed("first_connection", found[0]) + "\n" + printed("second_connection", found[1])
    print(HEAD + tables + "// clang-format on\n\n}    // namespace caisson::protocol::older")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]))

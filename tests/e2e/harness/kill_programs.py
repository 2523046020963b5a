"""Random programs whose every byte is known, for the test that kills the server. A plan is a list of steps; PROGRAM does them
in a sandbox, Expectation says here what must come of them."""

import inspect
import json
import random
import signal
from dataclasses import dataclass, field

BLOCK = 1 << 20
KEPT_TAIL = 256 << 10

# Steps: ["out", stream, kind, seed, bytes], ["blocks", seed, count], ["sleep", ms], ["echo", bytes], ["daemon", keeps_streams],
# ["spin"], ["exit", code], ["kill", signal]. The functions are those of this file.
PROGRAM = '''
import json, os, random, signal, sys, time
%s
def put(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]
def daemon(keeps_streams):
    if os.fork():
        return
    os.setsid()
    if not keeps_streams:
        for fd in (0, 1, 2):
            os.close(fd)
    time.sleep(3600)
    os._exit(0)
for step in json.loads(sys.argv[1]):
    what, *rest = step
    if what == "out":
        put(rest[0], piece(*rest[1:]))
    elif what == "blocks":
        base = piece("ascii", rest[0], 1 << 20)
        for number in range(rest[1]):
            put(1, block(base, number))
    elif what == "sleep":
        time.sleep(rest[0] / 1000)
    elif what == "echo":
        left = rest[0]
        while left:
            got = os.read(0, min(left, 65536))
            if not got:
                os._exit(77)
            put(1, got)
            left -= len(got)
    elif what == "end":
        os._exit(76) if os.read(0, 1) else None
    elif what == "daemon":
        daemon(rest[0])
    elif what == "spin":
        while True:
            pass
    elif what == "exit":
        os._exit(rest[0])
    elif what == "kill":
        os.kill(os.getpid(), rest[0])
'''

def piece(kind, seed, size):
    """So many bytes that only this seed makes."""
    if kind == "binary":
        return random.Random(seed).randbytes(size)
    line = f"{seed:010d} " + ("" if kind == "ascii" else "\u00e9\u20ac") + "0123456789abcdefghijklmnopqrstuvwxyz\n"
    whole = line.encode() * (size // len(line) + 1)
    return whole[:size]


def block(base, number):
    """Block `number` of a long stream: its number, then the same bytes."""
    return f"{number:015d}\n".encode() + base[16:]


CODE = PROGRAM % "".join(map(inspect.getsource, (piece, block)))    # both sides have the same functions


@dataclass
class Plan:
    """What to ask for, and what must come of it."""

    kind: str
    steps: list
    stdin: bytes = b""
    pty: bool = False
    limits: dict = field(default_factory=dict)
    on_output_limit: str = "truncate"
    cancel_after: float = 0.0

    def request(self, labels):
        body = {"language": "python", "code": CODE, "args": [json.dumps(self.steps)], "labels": labels, "wait": False}
        body["limits"] = {"wall_ms": 240_000, "cpus": 1, **self.limits}
        if self.stdin:
            body["stdin_open"] = True
        if self.pty:
            body["pty"] = {"cols": 80, "rows": 24}
        if self.on_output_limit != "truncate":
            body["on_output_limit"] = self.on_output_limit
        return body

    def written(self, descriptor):
        """All that the program writes there."""
        out, at = [], 0
        for what, *rest in self.steps:
            if what == "out" and (rest[0] == descriptor or self.pty and descriptor == 1):
                data = piece(*rest[1:])
                out.append(data.replace(b"\n", b"\r\n") if self.pty else data)
            elif what == "echo" and descriptor == 1:
                out.append(self.stdin[at : at + rest[0]])
                at += rest[0]
        return b"" if self.pty and descriptor == 2 else b"".join(out)

    def blocks(self):
        return next(((seed, count) for what, *rest in self.steps if what == "blocks" for seed, count in [rest]), None)

    def slept_ms(self):
        return sum(step[1] for step in self.steps if step[0] == "sleep")

    def end(self):
        """(status, verdict, exit code, signal) without limits and cancels."""
        what, value = self.steps[-1]
        if what == "kill":
            return "failed", "signaled", None, value
        return ("success" if value == 0 else "failed"), "exited", value, None


def block_slice(seed, offset, size):
    """What a stream of blocks has there."""
    base = piece("ascii", seed, BLOCK)
    out = b"".join(block(base, number) for number in range(offset // BLOCK, (offset + size - 1) // BLOCK + 1))
    return out[offset % BLOCK :][:size]


def _chatter(rng):
    steps = []
    for _ in range(rng.randint(5, 30)):
        kind = rng.choice(["utf8", "utf8", "binary"])
        steps.append(["out", rng.choice([1, 1, 2]), kind, rng.randrange(10**9), rng.randint(1, rng.choice([40, 4000, 60_000]))])
        if rng.random() < 0.7:
            steps.append(["sleep", rng.randint(0, 250)])
    return Plan("chatter", steps + [["exit", rng.choice([0, 0, 3, 255])]])


def _burst(rng):
    steps = [["sleep", rng.randint(0, 800)]]
    for _ in range(rng.randint(1, 3)):
        steps.append(["out", rng.choice([1, 2]), rng.choice(["ascii", "utf8"]), rng.randrange(10**9), rng.randint(200_000, 2_500_000)])
    return Plan("burst", steps + [["exit", rng.choice([0, 9])]])


def _silence(rng):
    return Plan("silence", [["sleep", rng.randint(500, 5000)], ["out", 1, "utf8", rng.randrange(10**9), 100], ["exit", 0]])


def _echo(rng):
    parts = [rng.randint(1, rng.choice([10, 5000, 200_000])) for _ in range(rng.randint(2, 8))]
    steps = []
    for size in parts:
        steps.append(["echo", size])
        if rng.random() < 0.5:
            steps.append(["sleep", rng.randint(0, 400)])
    return Plan("echo", steps + [["end"], ["exit", 0]], stdin=rng.randbytes(sum(parts)))


def _pty(rng):
    steps = []
    for _ in range(rng.randint(3, 15)):
        steps += [["out", 1, "utf8", rng.randrange(10**9), rng.randint(1, 3000)], ["sleep", rng.randint(0, 300)]]
    return Plan("pty", steps + [["exit", rng.choice([0, 5])]], pty=True)


def _daemon(rng):
    steps = [["out", 1, "ascii", 1, 500], ["daemon", rng.random() < 0.5], ["sleep", rng.randint(0, 1500)], ["out", 2, "ascii", 2, 500]]
    return Plan("daemon", steps + [["exit", rng.choice([0, 4])]])


def _signal(rng):
    steps = [["out", 1, "utf8", rng.randrange(10**9), 2000], ["sleep", rng.randint(0, 1500)]]
    return Plan("signal", steps + [["kill", int(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))]])


def _wall(rng):
    return Plan("wall", [["out", 1, "ascii", 3, 100], ["sleep", 100_000], ["exit", 0]], limits={"wall_ms": rng.randint(700, 3000)})


def _cpu(rng):
    return Plan("cpu", [["out", 1, "ascii", 4, 100], ["spin"], ["exit", 0]], limits={"cpu_ms": rng.randint(300, 900)})


def _cut(rng):
    steps = [["sleep", rng.randint(0, 500)], ["blocks", rng.randrange(10**9), rng.randint(5, 60)], ["exit", 0]]
    return Plan("cut", steps, limits={"max_output_bytes": rng.choice([4096, 70_001, 1 << 20])})


def _cut_kill(rng):
    steps = [["sleep", rng.randint(0, 1500)], ["blocks", rng.randrange(10**9), 40], ["sleep", 60_000], ["exit", 0]]
    return Plan("cut_kill", steps, limits={"max_output_bytes": 100_000}, on_output_limit="kill")


def _cancel(rng):
    steps = [["out", 1, "ascii", 5, 1000], ["sleep", 200_000], ["exit", 0]]
    return Plan("cancel", steps, cancel_after=rng.uniform(0, 3))


def _short(rng):
    return Plan("short", [["out", 1, "utf8", rng.randrange(10**9), rng.randint(1, 500)], ["exit", rng.choice([0, 1])]])


def huge(rng):
    """More than two gigabytes past a small limit."""
    return Plan("huge", [["blocks", rng.randrange(10**9), 2100], ["exit", 0]], limits={"max_output_bytes": 65_536})


def short(rng):
    return _short(rng)


KINDS = [_chatter] * 5 + [_burst] * 3 + [_silence] * 2 + [_echo] * 4 + [_pty] * 2 + [_daemon] * 2
KINDS += [_signal] * 2 + [_wall, _cpu, _cut, _cut, _cut_kill, _cancel, _cancel, _short, _short]


def any_plan(rng: random.Random) -> Plan:
    return rng.choice(KINDS)(rng)

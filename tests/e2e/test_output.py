"""Output is bytes: any bytes, any amount, each with an address, and every cut is said."""

import hashlib

from harness import events as tools
from harness.leaks import resident_bytes

MIB = 1 << 20
TAIL = 256 << 10


def test_bytes_that_are_not_text_are_exact_in_events(api):
    every = bytes(range(256)) * 64
    record = api.run(language="python", code="import sys; sys.stdout.buffer.write(bytes(range(256)) * 64)")
    assert record["stdout_lossy"] is True and "\ufffd" in record["stdout"] and record["stderr_lossy"] is False
    log = api.log(record["execution_id"])
    assert tools.joined(log) == every
    assert any(event.get("encoding") == "base64" for event in log if event["kind"] == "output")


def test_characters_are_not_cut(api):
    """One byte at a time: no event may end inside a character."""
    code = """
import os, sys
for byte in "é€😀".encode() * 3:
    os.write(1, bytes([byte]))
    sys.stdin.read(1)
"""
    record = api.run(language="python", code=code, stdin="x" * 100)
    assert record["stdout"] == "é€😀" * 3 and record["stdout_lossy"] is False
    for event in api.log(record["execution_id"]):
        assert "encoding" not in event


def test_the_merged_text_keeps_lines_together(api):
    """As `python3 -u` writes them: the text, then its end."""
    code = """
import os
for n in range(200):
    os.write(1, b"out %d" % n)
    os.write(2, b"err %d" % n)
    os.write(1, b"\\n")
    os.write(2, b"\\n")
"""
    one = api.run(language="python", code=code)
    wanted = sorted(f"{stream} {n}" for stream in ("out", "err") for n in range(200))
    assert sorted(one["logs"].splitlines()) == wanted
    assert sorted(api.get(f"/v1/executions/{one['execution_id']}/logs").body.decode().splitlines()) == wanted
    for stream in ("out", "err"):
        assert one[f"std{stream}"].splitlines() == [f"{stream} {n}" for n in range(200)]


def test_a_character_that_never_ends_is_shown(api):
    one = api.start(shell="printf '\\342\\202'; read x", stdin_open=True)
    event = next(e for e in api.follow(one) if e["kind"] == "output")
    assert event["encoding"] == "base64" and tools.bytes_of(event) == b"\xe2\x82"
    api.stdin(one, "\n", eof=True)
    assert api.ended(one)["stdout"] == "\ufffd"


def test_what_fits_is_kept_whole(api):
    record = api.run(shell="head -c 1000000 /dev/zero | tr '\\0' y", limits={"max_output_bytes": MIB})
    assert record["stdout_truncated"] is False and record["limits_hit"] == [] and record["stdout"] == "y" * 1_000_000


def numbered_lines(count):
    return "".join(f"{i:09d}\n" for i in range(count)).encode()


def check_head_and_tail(log, wanted, limit, stream="stdout"):
    """Head from the beginning, one cut, and the newest 256 KiB, byte for byte."""
    cuts = tools.cut(log, stream)
    assert len(cuts) == 1, cuts
    at, missing = cuts[0]
    assert 0 < at <= limit and at + missing >= len(wanted) - TAIL
    kept = tools.joined(log, stream)
    assert kept == wanted[:at] + wanted[at + missing :]
    assert len(wanted) - at - missing <= TAIL and len(wanted) - at - missing >= TAIL - 65536


def test_past_the_limit_head_and_tail_are_kept_and_the_cut_is_said(api):
    lines = numbered_lines(300_000)
    code = "import sys\nfor i in range(300000): sys.stdout.write(f'{i:09d}\\n')"
    record = api.run(language="python", code=code, limits={"max_output_bytes": MIB})
    assert record["status"] == "success" and record["limits_hit"] == ["output"] and record["stdout_truncated"] is True
    assert record["usage"]["output_bytes"] == len(lines)
    log = api.log(record["execution_id"])
    check_head_and_tail(log, lines, MIB)
    assert record["stdout"].startswith("000000000\n") and record["stdout"].endswith("000299999\n")


def test_a_live_viewer_sees_more_than_is_kept_and_is_told_of_the_cut(api):
    one = api.start(shell="read x; head -c 5000000 /dev/zero | tr '\\0' z; echo end", stdin_open=True, limits={"max_output_bytes": MIB})
    stream = api.follow(one)
    seen = [next(stream), next(stream)]
    api.stdin(one, "\n", eof=True)
    seen = tools.check_log(seen + list(stream), live=True)
    stored = api.log(one)
    assert len(tools.cut(stored)) == 1 and tools.cut(stored)[0] in tools.cut(seen)
    assert len(tools.joined(seen)) >= len(tools.joined(stored))
    assert tools.joined(seen).endswith(b"zend\n") and tools.joined(stored).endswith(b"zend\n")
    assert seen[-1] == stored[-1]


def test_the_limit_may_end_the_program(api):
    record = api.run(shell="yes", on_output_limit="kill", limits={"max_output_bytes": 100_000})
    assert record["status"] == "failed" and record["verdict"] == "output_limit" and "100000" in record["error"]
    assert "output" in record["limits_hit"]


def test_a_hundred_megabytes_in_bounded_memory(server):
    """Half to each stream, by two programs at once."""
    api = server.api
    before = resident_bytes(server.pid)
    record = api.run(shell="(head -c 50000000 /dev/zero | tr '\\0' o) & (head -c 50000000 /dev/zero | tr '\\0' e >&2); wait", limits={"cpus": 2})
    assert record["status"] == "success" and record["usage"]["output_bytes"] == 100_000_000
    assert record["stdout_truncated"] and record["stderr_truncated"] and record["limits_hit"] == ["output"]
    log = api.log(record["execution_id"])
    check_head_and_tail(log, b"o" * 50_000_000, 16 * MIB)
    check_head_and_tail(log, b"e" * 50_000_000, 16 * MIB, "stderr")
    grown = resident_bytes(server.pid, "VmHWM") - before
    assert grown < 256 * MIB, f"the server's memory grew by {grown / MIB:.0f} MiB"


def test_one_line_of_a_hundred_megabytes(api):
    record = api.run(shell="head -c 100000000 /dev/zero | tr '\\0' l; echo", limits={"cpus": 2})
    assert record["usage"]["output_bytes"] == 100_000_001 and record["stdout"].endswith("l\n")
    assert len(record["stdout"]) <= MIB + 200


def test_many_small_writes_are_all_there(api):
    code = "import os\nfor i in range(20000): os.write(1, b'%d\\n' % i)"
    record = api.run(language="python", code=code, limits={"cpus": 1})
    assert record["stdout"] == "".join(f"{i}\n" for i in range(20000))
    assert tools.joined(api.log(record["execution_id"])).decode() == record["stdout"]


def test_large_input_comes_back_whole(api):
    data = hashlib.sha256(b"seed").hexdigest() * 100_000
    record = api.run(command=["cat"], stdin=data, limits={"max_output_bytes": 16 << 20, "cpus": 2})
    kept = tools.joined(api.log(record["execution_id"]))
    assert hashlib.sha256(kept).digest() == hashlib.sha256(data.encode()).digest()

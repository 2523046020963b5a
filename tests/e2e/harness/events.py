"""Event logs as tests look at them: parsing, and what must hold of every log."""

import base64
import json
import struct


def bytes_of(event):
    data = event["data"]
    return base64.b64decode(data, validate=True) if event.get("encoding") == "base64" else data.encode("utf-8")


def sse(lines):
    """Yields (id, event) of server-sent events; comments and keep-alives are passed over."""
    identity, data = None, []
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.startswith("id:"):
            identity = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            raise AssertionError(f"events have no names: {line}")
        elif not line and data:
            event = json.loads("\n".join(data))
            assert identity == event["cursor"], (identity, event)
            yield identity, event
            identity, data = None, []


def binary(message):
    """Stream, ref number, offset and bytes of a binary frame."""
    stream, ref, offset = struct.unpack(">BIQ", message[:13])
    return {1: "stdout", 2: "stderr", 3: "pty"}[stream], ref, offset, message[13:]


def joined(events, stream="stdout"):
    """All bytes of a stream; fails if they are not one unbroken row from where the first begins."""
    out, end = b"", None
    for event in events:
        if event["kind"] == "output" and event["stream"] == stream:
            assert end is None or event["offset"] == end, f"{stream}: a hole or a repeat at {end}: {event['offset']}"
            piece = bytes_of(event)
            assert piece, "an empty output event"
            end = event["offset"] + len(piece)
            out += piece
        elif event["kind"] == "truncated" and event["stream"] == stream:
            assert end is None or event["offset"] == end
            end = event["offset"] + event["missing_bytes"]
    return out


def cut(events, stream="stdout"):
    return [(e["offset"], e["missing_bytes"]) for e in events if e["kind"] == "truncated" and e["stream"] == stream]


def end_of(events):
    return events[-1]


def check_log(events):
    """What holds of a whole log: order, addresses, one usage and one exit at the end. Returns it."""
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs)), "seq must strictly increase"
    assert len({event["cursor"] for event in events}) == len(events)
    kinds = [event["kind"] for event in events]
    assert kinds.count("exit") == 1 and kinds[-1] == "exit", kinds
    assert kinds.count("usage") <= 1
    control = ends = 0
    last_end = {}
    for event in events:
        if event["kind"] == "output":
            size = len(bytes_of(event))
            assert event["offset"] == last_end.get(event["stream"], 0)
            last_end[event["stream"]] = event["offset"] + size
            ends += size
        else:
            control += 1
            if event["kind"] == "truncated":
                last_end[event["stream"]] = event["offset"] + event["missing_bytes"]
                ends += event["missing_bytes"]
        assert event["seq"] == control + ends, f"seq of {event['kind']} is not control events plus bytes"
    return events

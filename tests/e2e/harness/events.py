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


def _after_cut(event, end, live):
    """Where a stream goes on after a truncated event. A live viewer may have seen all or some of the bytes that were cut afterwards."""
    past = event["offset"] + event["missing_bytes"]
    fits = end is None or event["offset"] == end or (live and event["offset"] < end)
    assert fits, f"a cut at {event['offset']} after {end}"
    return past if end is None else max(end, past)


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
            end = _after_cut(event, end, live=True)    # check_log() knows better
    return out


def cut(events, stream="stdout"):
    return [(e["offset"], e["missing_bytes"]) for e in events if e["kind"] == "truncated" and e["stream"] == stream]


def summary(events):
    """What live and later viewers agree on: the bytes of each stream and the control events in their order. (A live viewer
    may see output before the state that was not stored yet.)"""
    streams = sorted({event["stream"] for event in events if event["kind"] == "output"})
    control = [{k: v for k, v in event.items() if k not in ("seq", "cursor", "ref", "ref_no")} for event in events if event["kind"] != "output"]
    return {stream: joined(events, stream) for stream in streams}, control


def check_log(events, live=False):
    """What holds of a whole log: order, addresses, one usage and one exit at the end. Returns it. A live viewer that fell
    behind what is kept is told so by a cut of its own, which counts as no event of the log."""
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs)), "seq must strictly increase"
    assert len({event["cursor"] for event in events}) == len(events)
    kinds = [event["kind"] for event in events]
    assert kinds.count("exit") == 1 and kinds[-1] == "exit", kinds
    assert kinds.count("usage") <= 1
    control, ends = 0, {}
    for event in events:
        stream = event.get("stream")
        if event["kind"] == "output":
            assert event["offset"] == ends.get(stream, 0)
            ends[stream] = event["offset"] + len(bytes_of(event))
        else:
            control += 1
            if event["kind"] == "truncated":
                ends[stream] = _after_cut(event, ends.get(stream, 0), live)
        assert live or event["seq"] == control + sum(ends.values()), f"seq of {event['kind']} is not control events plus bytes"
    return events

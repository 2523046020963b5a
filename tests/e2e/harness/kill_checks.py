"""What must hold of every run that the killed servers had: record, log, bytes, what its viewer saw."""

from . import events as tools
from . import kill_programs as programs

STREAMS = {1: "stdout", 2: "stderr"}


def check_run(run, record, log):
    """Returns how many bytes were compared."""
    tools.check_log(log)
    plan = run.plan
    check_end(run, record, log)
    compared = check_blocks(plan, record, log) if plan.blocks() else check_bytes(plan, record, log)
    if run.events:
        check_view(run, log)
    return compared


def check_end(run, record, log):
    plan, end = run.plan, log[-1]
    got = (record["status"], record["verdict"])
    for name in ("status", "verdict", "limits_hit", "exit_code", "signal", "usage"):
        assert end.get(name) == record.get(name), (name, end, record)
    if plan.kind == "wall":
        assert got == ("timeout", "wall_limit"), record
    elif plan.kind == "cpu":
        assert got == ("timeout", "cpu_limit"), record
    elif plan.kind == "cut_kill":
        assert got == ("failed", "output_limit") and "output" in record["limits_hit"], record
    elif plan.kind == "cancel":
        # Without an answered POST nobody cancels it; then it is cancelled at the end by the test.
        assert got == ("cancelled", "cancelled"), record
    else:
        want = plan.end()
        assert (*got, record.get("exit_code"), record.get("signal")) == want, (want, record)
        check_usage(plan, record)


def check_usage(plan, record):
    usage = record["usage"]
    assert usage["wall_ms"] >= plan.slept_ms() - 1, (plan.slept_ms(), record)
    assert usage["wall_ms"] <= record["duration_ms"] + 1000, record
    assert 0 < usage["cpu_ms"] <= usage["wall_ms"] * 8 + 1000, record
    assert usage["memory_peak_bytes"] > 1 << 20, record
    assert usage.get("pids_peak", 0) >= 1 or "pids" in record["degraded"], record


def check_bytes(plan, record, log):
    """The whole output, to the byte."""
    compared = 0
    killed = plan.kind in ("wall", "cpu", "cancel")    # it may have been ended before it wrote
    for descriptor, name in STREAMS.items():
        want = plan.written(descriptor)
        got = tools.joined(log, "pty" if plan.pty and descriptor == 1 else name)
        assert not tools.cut(log, name), record
        if not (killed and got == b""):
            assert got == want, f"{name} of {record['execution_id']} ({plan.kind}): {differs(got, want)}"
        compared += len(got)
    assert record["usage"]["output_bytes"] == compared, record
    assert not record["stdout_truncated"] and not record["stderr_truncated"]
    return compared


def differs(got, want):
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    return f"{len(got)} bytes instead of {len(want)}, other from {at} on: {got[at:at+40]!r} instead of {want[at:at+40]!r}"


def check_blocks(plan, record, log):
    """Output past the limit: head, notice, tail, each byte where it belongs."""
    seed, count = plan.blocks()
    limit, compared = plan.limits["max_output_bytes"], 0
    for event in log:
        if event["kind"] == "output":
            piece = tools.bytes_of(event)
            assert piece == programs.block_slice(seed, event["offset"], len(piece)), f"wrong bytes at {event['offset']} of {record}"
            compared += len(piece)
    total = record["usage"]["output_bytes"]
    cuts = tools.cut(log)
    missing = sum(size for _, size in cuts)
    assert compared == total - missing, (compared, missing, record)
    assert record["stdout_truncated"] == bool(cuts) and [offset for offset, _ in cuts] in ([], [limit]), (cuts, record)
    if plan.kind != "cut_kill":
        assert total == count * programs.BLOCK, record
        assert missing == total - limit - programs.KEPT_TAIL, (missing, record)
    assert "output" in record["limits_hit"]
    return compared


def check_view(run, log):
    """A viewer that came back by cursor after each kill saw each byte once and in order, and the same control events."""
    seen = run.events
    if run.plan.blocks():
        check_view_of_blocks(run.plan, seen, log)
        return
    tools.check_log(seen, live=True)
    assert tools.summary(seen) == tools.summary(log), run.plan


def check_view_of_blocks(plan, seen, log):
    """Such a viewer may have seen, live, a part of what was cut afterwards, and is told of what it did not see."""
    seqs = [event["seq"] for event in seen]
    assert seqs == sorted(set(seqs)), "seq must strictly increase"
    (seed, _), end = plan.blocks(), 0
    for event in seen:
        if event["kind"] == "output":
            piece = tools.bytes_of(event)
            assert event["offset"] == end, f"a viewer at {end} was given {event['offset']}"
            assert piece == programs.block_slice(seed, end, len(piece)), f"a viewer saw wrong bytes at {end}"
            end += len(piece)
        elif event["kind"] == "truncated":
            assert event["offset"] <= end, f"a cut at {event['offset']} of a viewer at {end}"
            end = max(end, event["offset"] + event["missing_bytes"])
    assert end == log[-1]["usage"]["output_bytes"] and seen[-1] == log[-1], (end, seen[-1], log[-1])

"""One row of the table, and how a record is compared with it."""

import re
from dataclasses import dataclass, field

from harness import events as tools

MIB = 1 << 20
STATUS = {
    "exited": None, "signaled": "failed", "wall_limit": "timeout", "cpu_limit": "timeout", "memory_limit": "failed",
    "output_limit": "failed", "runtime_error": "failed", "lost": "interrupted",
}
# What holds the limits: a control group of each execution, what setrlimit(2) can without one, or the group of the whole sandbox, whose kernel
# and agent count in it (gVisor).
COLUMNS = ("groups", "rlimits", "whole")


def column_of(runtime):
    """Which column of the table holds for a runtime on this host, by what it says of itself."""
    enforces = runtime["enforces"]
    held = enforces["memory"], enforces["pids"], runtime["execution_usage"]
    columns = {(True, True, True): "groups", (False, False, False): "rlimits", (True, False, False): "whole"}
    assert held in columns, f"the table has no column for a host with some controllers only: {runtime}"
    return columns[held]


@dataclass
class End:
    """An outcome. `hit` is limits_hit; None for texts means that they are not looked at; a pattern must match the whole."""

    verdict: str = "exited"
    exit: int = None
    signal: int = None
    hit: list = field(default_factory=list)
    stdout: object = ""
    stderr: object = ""
    error: str = ""  # a part of it
    usage: dict = field(default_factory=dict)  # name -> (least, most)
    look: object = None  # further checks of (api, record)

    def __post_init__(self):
        if self.verdict == "exited" and self.exit is None:
            self.exit = 0


@dataclass
class Row:
    """`groups`, `rlimits` and `whole` are the ends that are right in that column: one, or a list where the host decides."""

    name: str
    request: dict
    groups: object
    rlimits: object = None  # None: as with groups
    whole: object = None  # None: as with groups
    needs: str = None  # the control that the process runtime lacks for it: there nobody holds the limit, and the record says so

    def ends(self, column):
        ends = {"groups": self.groups, "rlimits": self.rlimits, "whole": self.whole}[column] or self.groups
        return ends if isinstance(ends, list) else [ends]


def python(code, *args, **more):
    """A program in Python that the sandbox runs without a language's own start."""
    return {"command": ["python3", "-c", code, *map(str, args)], **more}


def shell(script, **more):
    return {"shell": script, **more}


def matches(wanted, text):
    if wanted is None:
        return True
    if isinstance(wanted, re.Pattern):
        return wanted.fullmatch(text) is not None
    return text == wanted


def usage_problems(wanted, usage):
    found = []
    for name, (least, most) in wanted.items():
        if name not in usage:
            found.append(f"usage.{name} is absent")
        elif not least <= usage[name] <= most:
            found.append(f"usage.{name} is {usage[name]}, not within {least} and {most}")
    return found


def problems(end, record):
    """What of a record is not as `end` has it."""
    status = STATUS[end.verdict] or ("success" if end.exit == 0 else "failed")
    pairs = [
        ("status", status, record["status"]), ("verdict", end.verdict, record["verdict"]), ("limits_hit", end.hit, record["limits_hit"]),
        ("exit_code", end.exit, record.get("exit_code")), ("signal", end.signal, record.get("signal")),
    ]
    found = [f"{name} is {got!r}, not {wanted!r}" for name, wanted, got in pairs if wanted != got]
    for name in ("stdout", "stderr"):
        if not matches(getattr(end, name), record[name]):
            found.append(f"{name} is {record[name][:400]!r}, not {str(getattr(end, name))[:400]!r}")
    if (record["error"] is None) != (status == "success") or end.error not in (record["error"] or ""):
        found.append(f"error is {record['error']!r}")
    return found + usage_problems(end.usage, record["usage"])


def check(row, column, api, record):
    """Fails unless the record is one of the row's ends; then the log must tell the same."""
    tried = [(end, problems(end, record)) for end in row.ends(column)]
    right = next((end for end, wrong in tried if not wrong), None)
    assert right is not None, (row.name, column, [wrong for _, wrong in tried], record)
    log = api.log(record["execution_id"])
    last = log[-1]
    for name in ("status", "verdict", "limits_hit", "exit_code", "signal", "error", "usage"):
        assert last.get(name) == record.get(name), (row.name, name, last, record)
    sizes = [sum(len(tools.bytes_of(e)) for e in log if e["kind"] == "output"), sum(e["missing_bytes"] for e in log if e["kind"] == "truncated")]
    assert sum(sizes) == record["usage"]["output_bytes"], (row.name, sizes, record["usage"])
    if right.look:
        right.look(api, record)

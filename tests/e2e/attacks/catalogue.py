"""The rows of catalogue.json: with what limits each runs, and what its end must look like.

A line with BREACH or LEAK fails whatever else is seen, REACHABLE too unless JUSTIFIED names the row."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from harness import events

from artifact_judges import as_large_as_told, first_thousand, links_stay, plain_modes, typed_reasons

FOLDER = Path(__file__).parent
ROWS = {row["id"]: row for row in json.loads((FOLDER / "catalogue.json").read_text())}
WAITING = json.loads((FOLDER / "waiting.json").read_text())
MIB = 1 << 20

# Attack surface that stays, by case; each is justified in docs/security.md under its name.
JUSTIFIED = {"X46"}


@dataclass
class Case:
    id: str
    name: str
    lang: str  # sh, py, c (compiled before), compile (compiled by the attack), none
    program: str
    judge: object  # (record, api) -> None; asserts
    limits: dict = field(default_factory=dict)
    more: dict = field(default_factory=dict)  # further fields of the request
    alone: bool = False
    twice: bool = False  # two tenants run it at the same time


def says(word):
    def judge(record, api):
        assert word in record["stdout"], "it did not say " + word

    return judge


def ends_by(*verdicts):
    def judge(record, api):
        assert record["verdict"] in verdicts, record["verdict"]

    return judge


def at_most(most):
    """The last number printed is not above `most`."""

    def judge(record, api):
        numbers = re.findall(r"\d+", record["stdout"])
        assert record["verdict"] in ("memory_limit", "wall_limit", "cpu_limit") or (numbers and int(numbers[-1]) <= most), numbers

    return judge


def fork_bomb(record, api):
    assert record["status"] in ("timeout", "failed", "success"), record["status"]
    assert "pids" in record["limits_hit"] or "pids" in record["degraded"], record["limits_hit"]
    assert record["usage"].get("pids_peak", 0) <= 64 + 1


def child_out_of_memory(record, api):
    # The group is killed as one when it runs out of memory, if the parent does not end first: either way it is told.
    assert record["verdict"] == "memory_limit" or (record["exit_code"] == 0 and "parent ok" in record["stdout"]), record["verdict"]
    assert "memory" in record["limits_hit"] or "memory" in record["degraded"], record["limits_hit"]


def flood(record, api):
    assert record["verdict"] == "output_limit" and record["stdout_truncated"], record["verdict"]
    assert len(record["stdout"]) <= MIB + 200


def exact_bytes(record, api):
    got = events.joined(api.log(record["execution_id"]))
    assert got == b"\xe2\x82\xac\xff\x00\x1b[2J", got


def cpu_of_all(record, api):
    # The row's loop doubles its processes each time: some meet the limit of processes and end, the leader may be among them.
    assert record["verdict"] in ("cpu_limit", "wall_limit", "exited"), record["verdict"]
    assert record["usage"].get("cpu_ms", 0) <= 2_500, record["usage"]


def no_core(record, api):
    assert record["verdict"] == "signaled" and record["signal"] == 6, (record["verdict"], record.get("signal"))


def identity(record, api):
    lines = record["stdout"].splitlines()
    assert lines[0] == "sandbox", "a fixed name: " + lines[0]
    for line in lines[1:]:
        assert re.fullmatch(r"lowerdir=([a-z0-9]+:|\.:/)tmp/empty", line), "more of the host than that: " + line


def own_files(record, api):
    for word in ("sbx_", "exe_", "caisson-e2e", "/w/", "sessions"):
        assert word not in record["stdout"], record["stdout"]


DOCUMENTED = {"CANARY", "SRV_PORT", "HOME", "PATH", "PWD", "LANG", "TERM", "USER", "LOGNAME", "SHLVL", "_", "OLDPWD", "TMPDIR", "SHELL",
              "ASAN_OPTIONS", "LSAN_OPTIONS"}


def documented_environment(record, api):
    names = {line.split("=")[0] for line in record["stdout"].splitlines() if "=" in line}
    extra = {name for name in names - DOCUMENTED if not name.startswith("CAISSON_")}
    assert not extra and "SRV_SECRET" not in record["stdout"], extra


def mitigations(record, api):
    assert record["exit_code"] in (0, 1), record["exit_code"]


def contained_or_killed(record, api):
    assert record["verdict"] == "signaled" or "contained" in record["stdout"]


def opened_per_kind(record, api):
    counts = dict(line.split() for line in record["stdout"].splitlines())
    assert set(counts) == {"inotify", "epoll", "timerfd"} and all(int(count) <= 1_024 for count in counts.values()), counts


def exit_three(record, api):
    assert record["exit_code"] == 3 and record["verdict"] == "exited", (record["verdict"], record["exit_code"])


def done_at_once(record, api):
    assert record["stdout"] == "done\n" and record["verdict"] == "exited", record["verdict"]


def bounded_compile(record, api):
    assert record["status"] in ("failed", "timeout") and record["usage"]["output_bytes"] <= MIB, record["status"]


def alive_or_over(record, api):
    assert record["stdout"] == "alive\n" or record["status"] != "success"


def ended(record, api):
    # Some shells end at the first place that they cannot write; the words LEAK and BREACH are looked for anyway.
    assert record["verdict"] == "exited", record["verdict"]


def got_the_lock(record, api):
    assert record["stdout"] == "got\n", record["stdout"] + record["stderr"]


def alone(record, api):
    assert record["stdout"] == "alone\n" or record["stdout"] == "", record["stdout"]


contained = says("contained")
SHORT = {"wall_ms": 2_000}
LONG = {"wall_ms": 20_000, "cpus": 1}

# id -> (judge, limits, further fields)
HOW = {
    "E05": (contained, {"wall_ms": 10_000}, {}),
    "E11": (contained, {"wall_ms": 30_000, "cpus": 1}, {}),
    "E17": (contained_or_killed, {}, {}),
    "E27": (identity, {}, {}),
    "E31": (alive_or_over, {"wall_ms": 5_000}, {}),
    "E35": (mitigations, {}, {}),
    "R02": (fork_bomb, {**SHORT, "pids": 64}, {}),
    "R04": (ends_by("wall_limit", "cpu_limit"), {**SHORT, "pids": 64}, {}),
    "R06": (child_out_of_memory, {"memory_bytes": 48 * MIB, "disk_bytes": 16 * MIB}, {}),
    "R08": (ends_by("memory_limit", "exited"), {"memory_bytes": 64 * MIB, "disk_bytes": 16 * MIB}, {}),
    "R10": (ends_by("memory_limit", "exited"), {"memory_bytes": 64 * MIB, "disk_bytes": 16 * MIB}, {}),
    "R12": (says(" 24"), {"open_files": 256}, {}),
    "R14": (at_most(16), {"disk_bytes": 16 * MIB, "memory_bytes": 64 * MIB}, {}),
    "R16": (at_most(16_384), {"wall_ms": 20_000, "cpus": 1}, {}),
    "R18": (flood, {"max_output_bytes": MIB, "wall_ms": 20_000}, {"on_output_limit": "kill"}),
    "R20": (flood, {"max_output_bytes": MIB, "wall_ms": 20_000}, {"on_output_limit": "kill"}),
    "R22": (exact_bytes, {}, {}),
    "R24": (cpu_of_all, {**SHORT, "cpus": 0.5, "memory_bytes": 512 * MIB}, {}),
    "R26": (ends_by("wall_limit"), {"wall_ms": 1_000}, {}),
    "R28": (done_at_once, {"wall_ms": 20_000}, {}),
    "R30": (exit_three, {}, {"stdin": "x" * (64 * MIB)}),
    "R32": (no_core, {"memory_bytes": 512 * MIB, "cpus": 1}, {}),
    "R34": (opened_per_kind, {"open_files": 1_024}, {}),
    "R36": (ends_by("wall_limit", "cpu_limit"), SHORT, {}),
    "R38": (bounded_compile, {"wall_ms": 3_000, "memory_bytes": 128 * MIB, "disk_bytes": 32 * MIB, "max_output_bytes": MIB}, {}),
    "R40": (ends_by("wall_limit", "cpu_limit"), SHORT, {}),
    "R42": (ends_by("memory_limit"), {"memory_bytes": 64 * MIB, "disk_bytes": 16 * MIB}, {}),
    "L01": (ended, {}, {}),
    "L03": (says("fresh"), {}, {}),
    "L05": (got_the_lock, LONG, {}),
    "L07": (alone, LONG, {}),
    "L11": (own_files, {}, {}),
    "L13": (documented_environment, {}, {}),
    "S01": (links_stay("out.txt", "out2.txt"), {}, {"collect": ["**"]}),
    "S03": (links_stay("out", "out2"), {}, {"collect": ["**"]}),
    "S05": (typed_reasons, {}, {"collect": ["good", "out", "out2", "out3", "out4"], "files": {"good": "delivered"}}),
    "S07": (as_large_as_told(24 * MIB), {"disk_bytes": 24 * MIB}, {"collect": ["out"]}),
    "S09": (first_thousand, {"wall_ms": 3_000, "cpus": 1, "inodes": 1_000_000}, {"collect": ["o/*"]}),
    "S11": (plain_modes, {}, {"collect": ["*"]}),
}
# Changes to programs that could not tell one outcome from the other as they stand: (what, by what).
AMENDED = {
    # Its own listener is still there when it looks for another one's: closed first.
    "L07": ("except OSError:\n try: c", "except OSError:\n s.close()\n try: c"),
}
# Their programs make packages for the server to take: test_attacks_skills.py does.
PACKAGES = {"S13", "S15", "S17", "S19", "S23"}
# Run by two tenants at once.
BY_TWO = {"L05", "L07"}
ALONE = {"R30"}


def catalogue_cases():
    cases = []
    for identity_, row in ROWS.items():
        if row["lang"] == "api" or identity_ in PACKAGES or identity_ in WAITING:
            continue
        judge, limits, more = HOW.get(identity_, (contained, {}, {}))
        lang = "compile" if identity_ == "R38" else row["lang"]
        was, now = AMENDED.get(identity_, ("", ""))
        assert was in row["program"]
        program = row["program"].replace(was, now) if was else row["program"]
        cases.append(Case(identity_, row["name"], lang, program, judge, limits, more, identity_ in ALONE, identity_ in BY_TWO))
    return cases

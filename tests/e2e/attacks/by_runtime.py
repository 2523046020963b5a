"""What of the cases is different in containers: cases that do not apply there, ends that are right there, and what stays reachable.

All of it is told in docs/security.md, "In containers"."""

import os
import re
from dataclasses import replace

from catalogue import JUSTIFIED, at_most, catalogue_cases
from own_cases import own_cases
from own_resource import over

# Cases that need what the images lack.
LEFT_OUT = {"R38"}    # a compiler


def layers_of_the_engine(record, api):
    """The engine's root is an overlay, whose options name the engine's directories."""
    lines = record["stdout"].splitlines()
    assert lines[0] == "sandbox", "a fixed name: " + lines[0]
    for line in lines[1:]:
        assert re.fullmatch(r"(lower|upper|work)dir=\S*/overlay2/\S*", line), "more of the host than that: " + line


def kernel_of_its_own(record, api):
    """What gVisor's kernel says of itself, to everyone the same."""
    lines = record["stdout"].splitlines()
    assert lines[0] == "sandbox", "a fixed name: " + lines[0]
    for line in lines[1:]:
        assert re.fullmatch(r"BOOT_IMAGE=/vmlinuz-[0-9.]+-gvisor quiet", line), "more of the host than that: " + line


def ended_itself_alone(record, api):
    """gVisor's first process takes every signal: the sandbox ends, which is the program's doing and no reason for another attempt."""
    assert record["verdict"] == "lost" and record["status"] == "interrupted", record["verdict"]
    assert len(record["attempts"]) == 1, record["attempts"]


def fork_bomb(record, api):
    """Its kernel may be refused a thread by the host's group, and end."""
    assert record["verdict"] in ("wall_limit", "exited", "signaled", "lost"), record["verdict"]
    assert "pids" in record["degraded"] and "pids_peak" not in record["usage"], record["usage"]
    assert len(record["attempts"]) == 1, record["attempts"]


def as_many_files_as_memory(record, api):
    """gVisor does not bound their number."""
    assert "inodes" in record["degraded"], record["degraded"]
    over(record, api)


def terminal_without_its_name(record, api):
    """/dev/tty cannot be opened; the terminal is there."""
    assert record["stdout"].startswith("24 80\r\n/dev/pts/0\r\n") and "/dev/tty" in record["stdout"], record["stdout"]


def contained_or_over(record, api):
    assert "contained" in record["stdout"] or record["verdict"] in ("wall_limit", "cpu_limit", "memory_limit"), record["verdict"]


# runtime -> case -> judge: ends that are right there and not on bubblewrap.
JUDGES = {
    "docker": {"E27": layers_of_the_engine, "R16": at_most(4_096)},
    "gvisor": {
        "E27": kernel_of_its_own, "E31": ended_itself_alone, "P03": terminal_without_its_name, "R02": fork_bomb, "R16": as_many_files_as_memory,
        "X03": ended_itself_alone, "X33": contained_or_over, "X61": contained_or_over,
    },
}

# runtime -> case -> limits in place of its own: where the machine would be busy for long with what a smaller one shows as well.
# What is busy all the time on half a processor has CPU time to spare, so that one limit of time comes first.
LIMITS = {"docker": {"R16": {"inodes": 4_096}}, "gvisor": {"R02": {"cpu_ms": 10_000}, "R16": {"wall_ms": 5_000}}}

# runtime -> case -> further fields of the request. Even one that may be tried again is not.
AGAIN = {"idempotent": True, "retry": {"attempts": 3}}
MORE = {"docker": {}, "gvisor": {"E31": AGAIN, "R02": AGAIN, "X03": AGAIN}}

# What gVisor shows of its own first process to all others. The descriptors are those of the link.
SHOWN = '("environ", "maps", "auxv", "fd", "fdinfo")'
KNOWN = '{"PATH", "HOSTNAME", "LANG", "HOME"}'
# runtime -> case -> changes to its program: (what, by what). What is the same for everyone there is compared with that.
AMENDED = {
    "docker": {
        "X10": [(r"/|/((\.\./)?work|", r"/|/(\.\./)+caisson-[0-9a-z]{12}/(sbx_[0-9a-z]{26}/work|")],
    },
    "gvisor": {
        # Locks are its kernel's, which is in the sandbox's limit.
        "X49": [('print("REACHABLE: 250000', 'print("contained: 250000')],
        "X02": [
            ('if got: print("BREACH:" + name, got)', f'if got: print(("REACHABLE:" if name in {SHOWN} else "BREACH:") + name, got)'),
            ('print("BREACH: descriptor", number)', 'print("REACHABLE: descriptor", number)'),
            ('own = {', f'names = {{line.split("=")[0] for line in open("/proc/1/environ").read().split(chr(0)) if line}}\n'
                       f'if names - {KNOWN}: print("BREACH: variables", names)\nown = {{'),
        ],
        "X10": [('for path in ("/sys", ', 'if os.listdir("/sys/class/net") != ["lo"]: print("BREACH: interfaces")\n'
                 'for path in ("/sys/block", "/sys/bus", "/sys/dev", "/sys/firmware", "/sys/module", "/sys/power", ')],
        # gVisor keeps a priority as a number, by which it schedules nothing.
        "X13": [('tried("a better priority", ', '(lambda what, action: action())("a better priority", ')],
        "X21": [("sysrq-trigger cmdline", "sysrq-trigger"),
                ("dmesg >", "grep -qxE 'BOOT_IMAGE=/vmlinuz-[0-9.]+-gvisor quiet' /proc/cmdline || echo BREACH:cmdline; dmesg >")],
    },
}

# runtime -> cases of which REACHABLE, or what their judge allows there, is told and justified.
STAYS = {
    "docker": {"E27", "X10", "X59"},
    "gvisor": {"E31", "R16", "X02", "X03", "X12", "X14", "X30", "X33", "X59"},
}


# runtime -> cases that are justified elsewhere and not reachable there: its kernel is the sandbox's own.
CLOSED = {"gvisor": {"X46"}}


def stays_on(runtime):
    ordinary = {"X59", "X61", "X62", "X63", "X66", "X68"} if runtime == "bubblewrap" and os.getuid() != 0 else set()
    return JUSTIFIED - CLOSED.get(runtime, set()) | STAYS.get(runtime, set()) | ordinary


def amended(program, changes):
    for was, now in changes:
        assert was in program, was
        program = program.replace(was, now)
    return program


def cases_on(runtime):
    """The cases as they run on a runtime with containers."""
    judges, changes, limits, more = JUDGES[runtime], AMENDED[runtime], LIMITS[runtime], MORE[runtime]

    def here(case):
        return replace(case, judge=judges.get(case.id, case.judge), program=amended(case.program, changes.get(case.id, ())),
                       limits={**case.limits, **limits.get(case.id, {})}, more={**case.more, **more.get(case.id, {})})

    return [here(case) for case in catalogue_cases() + own_cases() if case.id not in LEFT_OUT]

"""What the kernel itself takes for a load: a profile of all processors by perf(1), which only root may take."""

import bisect
import collections
import os
import shutil
import signal
import statistics
import subprocess
import time

from processes import run
from results import number

PER_SECOND = 1999
PAUSE_MS = 50    # between the runs of a profile, for what is removed after each
PATIENCE_S = 10


def samples(bench, work):
    """What `work` gave, and of the samples in the kernel (when, in ns of CLOCK_MONOTONIC, and the thread's name), idle processors left out;
    (…, None) where perf cannot look."""
    if os.geteuid() != 0 or not shutil.which("perf"):
        return work(), None
    path = bench.path("kernel.perf")
    argv = ["perf", "record", "-q", "-a", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-F", str(PER_SECOND), "-o", str(path)]
    perf = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + PATIENCE_S
        while not path.exists():
            if perf.poll() is not None or time.monotonic() > until:
                return work(), None
            time.sleep(0.01)
        answer = work()
    finally:
        perf.send_signal(signal.SIGINT)
        perf.wait()
    text, _ = run(["perf", "script", "--ns", "-i", path, "-F", "comm,time,ip"])
    path.unlink()
    found = []
    for line in text.splitlines():
        name, (when, ip) = line[:16].strip(), line[16:].split()[-2:]
        if ip.startswith("ffff") and name != "swapper":
            seconds, part = when.rstrip(":").split(".")
            found.append((int(seconds) * 10**9 + int(part), name))
    return answer, found


def while_waiting(bench, work):
    """The kernel's processor time in ms per run, by the thread's name, while the client of a load waited for its answers; None where perf cannot
    look. `work` gives the load's answer."""
    answer, found = samples(bench, work)
    if found is None:
        return None
    spans = joined(sorted((begin, begin + took) for begin, took in zip(answer["begins_ns"], answer["samples_ns"])))
    begins = [begin for begin, _ in spans]
    names = collections.Counter()
    for when, name in found:
        at = bisect.bisect_right(begins, when) - 1
        if at >= 0 and when <= spans[at][1]:
            names[name] += 1
    return {name: count / PER_SECOND * 1000 / len(answer["samples_ns"]) for name, count in names.items()}


def joined(spans):
    """Those that overlap as one."""
    whole = []
    for begin, end in spans:
        if whole and begin <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((begin, end))
    return whole


def note(bench, found, what, rounds, work):
    """Notes the profile of a load: the processor time of our own calls, some of which run beside each other. Returns all of it in ms per run,
    None where perf cannot look."""
    profiles = [while_waiting(bench, work) for _ in range(rounds)]
    if None in profiles:
        found.note(f"{what}: the kernel's part is not known, since perf cannot look at it here")
        return None
    parts = {name: statistics.mean(each.get(name, 0) for each in profiles) for name in set().union(*profiles)}
    most = sorted(((name, ms) for name, ms in parts.items() if ms >= 0.01), key=lambda each: -each[1])[:12]
    found.note(f"{what}: processor time that the kernel takes for our run while the client waits, in ms ({PER_SECOND} samples a second): "
               + ", ".join(f"{name} {number(ms)}" for name, ms in most) + f"; all together {number(sum(parts.values()))}")
    return sum(parts.values())

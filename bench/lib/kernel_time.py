"""What the kernel itself takes for a load: a profile of all processors by perf(1), which only root may take."""

import bisect
import collections
import os
import shutil
import signal
import statistics
import subprocess

from machine import sync_ms
from processes import run
from results import number

PER_SECOND = 1999
MOST_BESIDE = 0.1    # ms per run that making the sandboxes of later runs may take in a profile that is used
PAUSE_MS = 50    # between the runs of a profile, for what is removed after each
# Threads whose work for a run comes one behind the other, as it is: of the server, the agent and the program. Not those of the store, whose first
# commit the program does not wait for, nor the client, nor threads of the kernel.
READY = ("caisson", "agent", "caisson-waits", "busybox")
MADE = ("caisson", "caisson-work", "caisson-launch", "bwrap", "agent", "busybox", "true")    # with those that make the sandbox


def samples(bench, work):
    """What `work` gave, and of the samples in the kernel (when, in ns of CLOCK_MONOTONIC, and the thread's name), idle processors left out;
    (…, None) where perf cannot look."""
    if os.geteuid() != 0 or not shutil.which("perf"):
        return work(), None
    path = bench.path("kernel.perf")
    argv = ["perf", "record", "-q", "-a", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-F", str(PER_SECOND), "-o", str(path)]
    perf = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while not path.exists():
            if perf.poll() is not None:
                return work(), None
        answer = work()
    finally:
        perf.send_signal(signal.SIGINT)
        perf.wait()
    text, _ = run(["perf", "script", "--ns", "-i", path, "-F", "comm,time,ip"])
    path.unlink()
    found = []
    for line in text.splitlines():
        name, (time, ip) = line[:16].strip(), line[16:].split()[-2:]
        if ip.startswith("ffff") and name != "swapper":
            seconds, part = time.rstrip(":").split(".")
            found.append((int(seconds) * 10**9 + int(part), name))
    return answer, found


def while_waiting(bench, work):
    """The kernel's processor time in ms per run, by the thread's name, while the client of a load waited for its answers; None where perf cannot
    look. `work` gives the load's answer."""
    answer, found = samples(bench, work)
    if found is None:
        return None
    spans = sorted((begin, begin + took) for begin, took in zip(answer["begins_ns"], answer["samples_ns"]))
    begins = [begin for begin, _ in spans]
    names = collections.Counter()
    for when, name in found:
        at = bisect.bisect_right(begins, when) - 1
        if at >= 0 and when <= spans[at][1]:
            names[name] += 1
    return {name: count / PER_SECOND * 1000 / len(spans) for name, count in names.items()}


def floor(bench, found, what, chain, rounds, work):
    """Notes the profile of a load. Returns the time in ms below which no run of it can be on this machine: the kernel's in the threads of
    `chain`, and one write to the disk; None where it is not known."""
    profiles = [while_waiting(bench, work) for _ in range(rounds)]
    if None in profiles:
        found.note(f"{what}: the kernel's part is not known, since perf cannot look at it here")
        return None
    parts = {name: statistics.mean(each.get(name, 0) for each in profiles) for name in set().union(*profiles)}
    if "bwrap" not in chain and parts.get("bwrap", 0) > MOST_BESIDE:
        found.note(f"{what}: the kernel's part is not known, since sandboxes were made for later runs meanwhile")
        return None
    sync = sync_ms(bench.dir)
    least = sum(parts.get(name, 0) for name in chain) + sync
    most = sorted(((name, ms) for name, ms in parts.items() if ms >= 0.01), key=lambda each: -each[1])[:12]
    found.note(f"{what}: the kernel's processor time in ms per run while the client waits ({PER_SECOND} samples a second): "
               + ", ".join(f"{name} {number(ms)}" for name, ms in most) + "; one behind the other come those of "
               + ", ".join(name for name in chain if name in parts) + f", and one fdatasync(2) of {number(sync)} ms: {number(least)} ms without an "
               "instruction of any program")
    return least

"""What the figures were measured on."""

import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import time


def first_line(argv):
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=10, check=False)
        return done.stdout.splitlines()[0] if done.stdout else ""
    except OSError:
        return ""


def read(path, pattern):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
            return found.group(1) if found else ""
    except OSError:
        return ""


def cgroups():
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return "v2"
    return "hybrid" if os.path.exists("/sys/fs/cgroup/unified") else "v1"


def package(name):
    return first_line(["dpkg-query", "-W", "-f", "${Version}\n", name])


def describe(root):
    memory_gib = int(read("/proc/meminfo", r"^MemTotal:\s+(\d+)") or 0) / 2**20
    disk = first_line(["stat", "-f", "-c", "%T", str(root / "build")])
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    peers = {"bubblewrap": "bubblewrap", "nginx": "nginx", "wrk": "wrk", "busybox": "busybox-static"}
    parts = {"SQLite": "libsqlite3-0", "Boost": "libboost1.81-dev"}
    return [
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        f"{os.cpu_count()} × {read('/proc/cpuinfo', r'^model name.*: (.*)') or platform.machine()}, {memory_gib:.0f} GiB",
        f"{read('/etc/os-release', r'^PRETTY_NAME=.(.*).$')}, Linux {platform.release()}, cgroup {cgroups()}, data on {disk}, run by {user}",
        first_line(["clang++-19", "--version"]) + ", release flags; " + ", ".join(f"{name} {package(of)}" for name, of in parts.items()),
        "peers: " + ", ".join(f"{name} {package(of)}" for name, of in peers.items()),
    ]


def build_times(root):
    path = root / "build/bench/build-times.json"
    return json.loads(path.read_text()) if path.exists() else None


def wait_for_rest(share=0.1, look_s=0.1, patience_s=30):
    """Returns when the machine did little for two looks: what an earlier run left to be done is done."""
    def busy():
        ticks = [int(each) for each in read("/proc/stat", r"^cpu +(.*)$").split()]
        idle = ticks[3] + ticks[4]    # and waiting for the disk
        return (sum(ticks[:8]) - idle) / os.sysconf("SC_CLK_TCK")

    until, quiet, before = time.monotonic() + patience_s, 0, busy()
    while quiet < 2:
        if time.monotonic() > until:
            raise RuntimeError(f"the machine was not at rest within {patience_s} s: end what runs beside")
        time.sleep(look_s)
        now = busy()
        quiet = quiet + 1 if now - before < share * look_s * os.cpu_count() else 0
        before = now


def memory_of(pid):
    """(RSS, PSS) in MiB; PSS is None where another user's process hides it."""
    rss = int(read(f"/proc/{pid}/status", r"^VmRSS:\s+(\d+)") or 0) / 1024
    pss = read(f"/proc/{pid}/smaps_rollup", r"^Pss:\s+(\d+)")
    return rss, int(pss) / 1024 if pss else None


def peak_memory_of(pid):
    """The highest RSS so far, in MiB."""
    return int(read(f"/proc/{pid}/status", r"^VmHWM:\s+(\d+)") or 0) / 1024


def sync_ms(directory, count=50):
    """What it takes to make 4 KiB durable, in the median: the floor of every durable answer."""
    path = directory / "sync"
    taken = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"x" * 4096)
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append((time.perf_counter() - begin) * 1000)
    path.unlink()
    return statistics.median(taken)

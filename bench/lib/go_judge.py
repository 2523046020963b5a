"""go-judge as a peer: a server that runs programs in containers which it keeps and uses again, over REST."""

import contextlib
import os
import re
import time
import urllib.request
from pathlib import Path

from bench_setup import free_port

CGROUPS = Path("/sys/fs/cgroup")
# What it takes to run a program with its input empty and its output collected; limits as the server's own by default.
RUN = {"env": ["PATH=/usr/bin:/bin"], "files": [{"content": ""}, {"name": "stdout", "max": 65536}, {"name": "stderr", "max": 65536}],
       "cpuLimit": 15 * 10**9, "clockLimit": 30 * 10**9, "memoryLimit": 512 << 20, "procLimit": 128}
WHAT_IT_IS = ("go-judge {version} as root with its default mounts and as many workers as there are cores: a run is a process in a control group of its own, "
              "inside a container that serves one run after the other (its tmpfs are emptied in between), without a system call filter; nothing is "
              "recorded. A run of the server's has a sandbox of its own, with new namespaces, limits and a filter, which is destroyed after it, "
              "and its record is durable before the answer")


def program(bench):
    """Where bench/run has built it."""
    return bench.built / "go-judge/go-judge"


def why_not(bench):
    """Why it cannot be measured; empty if it can."""
    if not program(bench).exists():
        return "no Go" if not (bench.built / "go-judge/build.log").exists() else "it could not be built"
    return "" if os.geteuid() == 0 else "it needs root"


def body(argv):
    return {"cmd": [{"args": argv, **RUN}]}


class GoJudge:
    """It runs while this is open; then its processes, files and control groups are removed."""

    def __init__(self, bench):
        self.bench = bench
        self.port = free_port()
        self.groups = f"caisson-bench-{os.getpid()}"

    def __enter__(self):
        work = self.bench.fresh_dir("go-judge")
        argv = [program(self.bench), "-http-addr", f"127.0.0.1:{self.port}", "-dir", work, "-cgroup-prefix", self.groups, "-release", "-silent",
                "-pre-fork", os.cpu_count(), "-mount-conf", work / "none.yaml", "-seccomp-conf", work / "none.yaml"]
        self.server = self.bench.background(argv, "go-judge", {**os.environ, "GIN_MODE": "release"})
        self.server.wait_until(self.answers)
        return self

    def __exit__(self, *_):
        self.server.stop()
        remove_groups(self.groups)

    def answers(self):
        with contextlib.suppress(OSError):
            self.version = self.ask("/version")
            return True
        return False

    def ask(self, target):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{target}", timeout=10) as answer:
            return answer.read().decode()

    def what_it_is(self):
        found = re.search(r'"buildVersion":"([^"]*)".*"goVersion":"([^"]*)"', self.version)
        return WHAT_IT_IS.format(version=f"{found.group(1)} ({found.group(2)})" if found else "")


@contextlib.contextmanager
def if_possible(bench):
    """A go-judge, or None."""
    if why_not(bench):
        yield None
    else:
        with GoJudge(bench) as running:
            yield running


def remove_groups(name, seconds=10):
    """Those that it made below each hierarchy; its containers may take a moment to go."""
    deadline = time.monotonic() + seconds
    left = trees(name)
    while left and time.monotonic() < deadline:
        for group in left:
            with contextlib.suppress(OSError):
                group.rmdir()
        left = trees(name)
        time.sleep(0.05)


def trees(name):
    """All groups of that name and below, the deepest first."""
    tops = [top for top in (CGROUPS / name, *CGROUPS.glob(f"*/{name}")) if top.is_dir()]
    return [Path(found) for top in tops for found, _, _ in os.walk(top, topdown=False)]

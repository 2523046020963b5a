"""What the kernel itself takes for a load: a profile of both processors by perf(1), which only root may take."""

import collections
import os
import shutil
import signal
import subprocess

from processes import run

PER_SECOND = 1999


def profile(bench, work, runs):
    """Processor time of the kernel in ms per run by the name of the thread it worked for, idle processors left out; None where perf cannot
    look. `work` is called once and makes `runs` runs."""
    if os.geteuid() != 0 or not shutil.which("perf"):
        return None
    path = bench.path("kernel.perf")
    argv = ["perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", str(PER_SECOND), "-o", str(path)]
    perf = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while not path.exists():
            if perf.poll() is not None:
                return None
        work()
    finally:
        perf.send_signal(signal.SIGINT)
        perf.wait()
    text, _ = run(["perf", "script", "-i", path, "-F", "comm,ip"])
    path.unlink()
    samples = collections.Counter(line[:16].strip() for line in text.splitlines() if line.split()[-1].startswith("ffff"))
    samples.pop("swapper", None)
    return {name: count / PER_SECOND * 1000 / runs for name, count in samples.items()}

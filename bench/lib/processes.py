"""Programs that are run to their end or kept in the background; each is ended by its own id."""

import json
import os
import signal
import subprocess
import time


class Failed(Exception):
    """A sentence for people."""


def run(argv, timeout=90, env=None):
    """Runs a program to its end and returns (standard output, standard error)."""
    child = subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env=env, start_new_session=True)
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"{argv[0]} did not end within {timeout} s") from None
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)    # its own session: what it started goes with it
            child.wait()
    if child.returncode != 0:
        raise Failed(f"{argv[0]} ended with {child.returncode}: {(err or out).strip()[-2000:]}")
    return out, err


def run_json(argv, timeout=90, env=None):
    """The one line of JSON that a program prints."""
    out, _ = run(argv, timeout, env)
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        raise Failed(f"{argv[0]} printed {out[:500]!r}")
    return json.loads(lines[0])


class Background:
    """A program that runs until stop()."""

    def __init__(self, argv, log, env=None, reads_line=False):
        self.name = str(argv[0])
        self.log = log
        with open(log, "wb") as err:
            self.child = subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stderr=err, env=env, start_new_session=True,
                                          stdout=subprocess.PIPE if reads_line else err)
        self.line = json.loads(self.child.stdout.readline() or "{}") if reads_line else {}

    @property
    def pid(self):
        return self.child.pid

    def wait_until(self, ready, seconds=30, pause=0.02):
        """Asks ready() until it is true."""
        deadline = time.monotonic() + seconds
        while not ready():
            if self.child.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{self.name} is not ready: {self.last_lines()}")
            time.sleep(pause)

    def last_lines(self):
        return self.log.read_text(errors="replace")[-2000:]

    def stop(self, seconds=20):
        """SIGTERM, and SIGKILL if that is not heard."""
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        if self.child.stdout:
            self.child.stdout.close()

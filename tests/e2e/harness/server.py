"""The built server as a process of its own: start, stop, start again on the same data."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from .api import Api
from .leaks import remove_groups
from .waiting import until

ROOT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("CAISSON_BIN", ROOT / "build" / "asan" / "caisson")).resolve()
PROGRAMS = ("caisson", "caisson-agent", "caisson-launch")
SANITIZER_REPORTS = ("AddressSanitizer", "LeakSanitizer", "runtime error:", "UndefinedBehaviorSanitizer")
START_S, STOP_S = 30, 30
MARKS = Path("/run/caisson/instances")    # of the servers of root
RUN = [Path("/run/caisson/run"), Path("/dev/shm/caisson-run")]    # of their sandboxes
# An account that no one has: what root drops to in order to test as an ordinary user.
ORDINARY_USER = 61_234


def new_folder():
    # Not pytest's own: another user must reach it, and the path should be short.
    return tempfile.TemporaryDirectory(prefix="caisson-e2e-", dir="/tmp")


def environment(**more):
    """What the server sees: nothing of the caller's but the path."""
    return {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        # A small quarantine: tests look at the server's memory.
        "ASAN_OPTIONS": "quarantine_size_mb=16:detect_leaks=1:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
        **ANY_HOST,
        **NOT_READY,
        **more,
    }


def pool_of(number):
    """The environment of a server that keeps so many sandboxes ready, and never more. Interpreters that wait are the business of the tests
    that ask for them."""
    return {"CAISSON_POOL_ENABLED": "true", "CAISSON_POOL_IDLE": str(number), "CAISSON_POOL_MAX": str(number),
            "CAISSON_POOL_WARM_INTERPRETERS": "false"}


def prepared(number):
    """The environment of a server that has so many sandboxes prepared: from 0 to 4, else it follows the demand."""
    return {"CAISSON_RUNTIMES_BUBBLEWRAP_MAX_PREPARED": str(number)}


# Programs of tests use little of what they may: as many of them run as a test says, on a host of any memory.
ANY_HOST = {"CAISSON_EXECUTIONS_MAX_MEMORY_BYTES": str(64 << 30)}
# Tests count sandboxes; those of a pool, and what is prepared, are the business of the ones that ask for it.
NOT_READY = {"CAISSON_POOL_ENABLED": "false", **prepared(0)}
# As a server is by default: most run in ready sandboxes, what is Python's by interpreters that waited.
READY = {**pool_of(3), **prepared(4), "CAISSON_POOL_WARM_INTERPRETERS": "true"}


def programs_for(user, folder):
    """The server's binary, copied to where `user` may execute it."""
    if user is None:
        return BINARY
    target = folder / "bin"
    target.mkdir(mode=0o755)
    for name in PROGRAMS:
        shutil.copy2(BINARY.parent / name, target / name)
        (target / name).chmod(0o755)
    return target / "caisson"


class Server:
    """One data directory, and at most one process on it at a time."""

    kept_connections = 0    # that it may have beyond those it had before, when all is over

    def __init__(self, folder, contract, user=None, options=(), env=None):
        self.folder, self.contract, self.user = Path(folder), contract, user
        self.options, self.env = list(options), environment(**(env or {}))
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        self.ready_file = self.folder / "ready.json"
        self.log_file = self.folder / "server.log"
        self.log_file.touch()
        if user is not None:
            self.folder.chmod(0o755)
            for path in (self.data, self.log_file):
                os.chown(path, user, user)
            self.run_folder = self.folder / "ready"
            self.run_folder.mkdir()
            os.chown(self.run_folder, user, user)
            self.ready_file = self.run_folder / "ready.json"
        self.binary = programs_for(user, self.folder)
        self.process, self.starts = None, 0
        self.api = None

    def as_user(self):
        return {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}

    def start(self, *more):
        assert self.process is None
        self.starts += 1
        self.ready_file.unlink(missing_ok=True)
        command = [self.binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--ready-file", self.ready_file]
        log = open(self.log_file, "ab")
        self.process = subprocess.Popen(
            [*map(str, command), *self.options, *more],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env, cwd="/", start_new_session=True, **self.as_user(),
        )
        log.close()
        until(self._is_ready, START_S, "the ready file")
        assert self.ready_file.stat().st_mode & 0o777 == 0o600
        ready = json.loads(self.ready_file.read_text())
        self.api = Api(ready["url"], ready["api_key"], self.contract)
        return self

    def _is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log_tail()}")
        return self.ready_file.exists() and self.ready_file.read_text().strip().endswith("}")

    @property
    def pid(self):
        return self.process.pid

    def instance(self):
        """What the server calls itself in the names of control groups."""
        return json.loads((self.data / "instance.json").read_text())["id"]

    def run_folders(self):
        """Where its sandboxes have run directories. Those in memory are root's, whom nobody else can look at."""
        in_memory = [top / self.instance() for top in RUN if os.access(top, os.X_OK)]
        return [self.data / "run", *(each for each in in_memory if each.is_dir())]

    def terminate(self):
        """SIGTERM without waiting."""
        self.process.send_signal(signal.SIGTERM)

    def join(self):
        """Waits for the end that terminate() asked for, and looks for reports of the sanitizers."""
        code = self.process.wait(STOP_S)
        self.process = None
        log = self.log_file.read_text(errors="replace")
        report = next((word for word in SANITIZER_REPORTS if word in log), None)
        assert report is None, f"{report} in the server's log:\n{self.log_tail(12000)}"
        assert code == 0, f"the server ended with {code}:\n{self.log_tail()}"

    def stop(self):
        if self.process is not None:
            self.terminate()
            self.join()

    def restart(self):
        self.stop()
        return self.start()

    def kill(self):
        """Last resort of a fixture whose test failed."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def discard(self):
        """The end of a server that nobody will start again: what it kept for the next one goes too."""
        self.kill()
        if (self.data / "instance.json").exists():
            remove_groups(self.instance())
            if os.getuid() == 0:
                (MARKS / self.instance()).unlink(missing_ok=True)
                for top in RUN:
                    shutil.rmtree(top / self.instance(), ignore_errors=True)

    def idle_sandboxes(self):
        """How many it keeps when it is at rest, (ready, prepared)."""
        ready = int(self.env["CAISSON_POOL_IDLE"]) if self.env["CAISSON_POOL_ENABLED"] == "true" else 0
        return ready, int(self.env["CAISSON_RUNTIMES_BUBBLEWRAP_MAX_PREPARED"])

    def kept_sandboxes(self):
        """How many it keeps now, (ready, prepared)."""
        runtimes = self.api.get("/v1/runtimes")["items"]
        return sum(each["ready_sandboxes"] for each in runtimes), sum(each["prepared_sandboxes"] for each in runtimes)

    def at_rest(self):
        """Waits until its pool is full, and all is prepared that should be."""
        if any(self.idle_sandboxes()):
            until(lambda: self.kept_sandboxes() == self.idle_sandboxes(), what=f"{self.idle_sandboxes()} sandboxes, ready and prepared")

    def log_tail(self, size=4000):
        return self.log_file.read_text(errors="replace")[-size:]

    def cli(self, *arguments, input=None, timeout=60, cwd="/", **env):
        """A client verb of the same binary, with address and key in its environment."""
        address = {"CAISSON_URL": self.api.url, "CAISSON_API_KEY": self.api.key} if self.api else {}
        return subprocess.run(
            [str(self.binary), *map(str, arguments)], input=input, capture_output=True, timeout=timeout, cwd=cwd,
            env={**self.env, **address, **env}, **self.as_user(),
        )

    def new_key(self, tenant, *more):
        """A key of `tenant`, as `caisson key create` prints it."""
        done = self.cli("key", "create", "--data", self.data, "--tenant", tenant, "--output", "json", *more)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)["key"]

    def tenant(self, name):
        return self.api.with_key(self.new_key(name))

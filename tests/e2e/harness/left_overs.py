"""Plants what crashes leave behind, as a server of that instance would name it."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

from .leaks import control_groups

UID_LOCKS = Path("/run/caisson/uids")
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def sandbox_name():
    return "sbx_" + "".join(ALPHABET[byte % 32] for byte in os.urandom(26))


def hierarchies():
    """Tops of the mounted control group hierarchies in which groups can be made: (path, is v2)."""
    found = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, _, kind = line.partition(" - ")
        kind = kind.split()
        if kind[0] == "cgroup2" or (kind[0] == "cgroup" and {"memory", "pids", "cpu", "cpuacct", "freezer", "blkio"} & set(kind[2].split(","))):
            found.setdefault(Path(place.split()[4]), kind[0] == "cgroup2")
    return sorted(found.items())


def sleeper(**more):
    return subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True, **more)


class Planted:
    """What was planted; clean() removes what a failed test left of it."""

    def __init__(self):
        self.processes, self.groups = [], []

    def process(self, stopped=False, **more):
        self.processes.append(sleeper(**more))
        if stopped:
            self.processes[-1].send_signal(signal.SIGSTOP)
        return self.processes[-1]

    def group(self, top, instance, sandbox, process=None):
        """<top>/caisson-<instance>/<sandbox>/work, with a process in it."""
        return self.named_group(top, instance, sandbox, "work", process)

    def flat_group(self, top, instance, sandbox, process=None):
        """<top>/caisson-<instance>/<sandbox>.compiler, as if it were one that only limits, with a process in it."""
        return self.named_group(top, instance, sandbox + ".compiler", "", process)

    def later_program_group(self, top, instance, sandbox, process=None):
        """<top>/caisson-<instance>/<sandbox>.programs/work.2, likewise, with a process in it."""
        return self.named_group(top, instance, sandbox + ".programs", "work.2", process)

    def named_group(self, top, instance, sandbox, part, process):
        path = top / f"caisson-{instance}" / sandbox / part
        self.groups.append(path)
        while True:    # a server that sweeps just now takes an empty one away
            try:
                path.mkdir(parents=True, exist_ok=True)
                if process:
                    (path / "cgroup.procs").write_text(str(process.pid))
                break
            except OSError as gone:
                if gone.errno not in (errno.ENOENT, errno.ENODEV):
                    raise
        return top / f"caisson-{instance}" / sandbox

    def clean(self):
        for path in self.groups:    # what is frozen cannot die
            for each, text in ((path / "freezer.state", "THAWED"), (path / "cgroup.freeze", "0")):
                while each.exists() and each.parent.parent.name != "cgroup" and each.parent.name != "cgroup":
                    each.write_text(text)
                    each = each.parent.parent / each.name
        for each in self.processes:
            each.kill()
            each.wait()
        for path in self.groups:
            while path.name and not path.name.startswith("caisson-"):
                try:
                    path.rmdir()
                except OSError:
                    pass
                path = path.parent


def unrecorded(server):
    """Sandboxes of a stopped server that no record says to live: no next server would look for them but by chance."""
    return {Path(path).name for path in control_groups(server.instance()) if Path(path).name.startswith("sbx_")} - set(Records(server).alive())


def uid_lock(uid, instance, sandbox, data_dir):
    """A lock that nobody holds."""
    UID_LOCKS.mkdir(parents=True, exist_ok=True)
    path = UID_LOCKS / str(uid)
    owner = {"instance": instance, "data_dir": str(data_dir), "sandbox": sandbox, "pid_namespace": os.readlink("/proc/self/ns/pid")}
    path.write_text(json.dumps(owner))
    return path


def uid_locks_of(instance):
    found = []
    for path in UID_LOCKS.glob("*"):
        try:
            text = path.read_text()
        except OSError:
            continue
        if text and json.loads(text)["instance"] == instance:
            found.append(path)
    return found


class Records:
    """The sandboxes in a server's records, beside the server."""

    def __init__(self, server):
        self.path = server.data / "records.db"

    def _run(self, statement, *values):
        connection = sqlite3.connect(self.path, timeout=20, isolation_level=None)
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def insert(self, sandbox, state="running", ended_at_ms=None):
        self._run(
            "INSERT INTO sandboxes (id, tenant_id, runtime, state, runtime_state, cause, created_at_ms, ended_at_ms)"
            " VALUES (?, 'ten_00000000000000000000000000', 'bubblewrap', ?, '', '', 1, ?)", sandbox, state, ended_at_ms,
        )

    def states(self):
        return dict(self._run("SELECT id, state FROM sandboxes"))

    def alive(self):
        return [name for name, state in self.states().items() if state in ("creating", "running", "paused", "stopped")]

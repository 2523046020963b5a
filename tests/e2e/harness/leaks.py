"""What a run may leave behind: nothing. Looks at processes, mounts, control groups, directories, descriptors and threads."""

import ctypes
import os
import re
import signal
from pathlib import Path

from .waiting import TimedOut, until

PR_SET_CHILD_SUBREAPER = 36
SETTLE_S = 10
KEPT_NETWORKS = 2 * 32 + 64    # that nobody is in any more: pool.max twice, and what may wait to be removed
NAMES = ("sbx_", "exe_")
HOST_TREE = "a directory of the host's tools"    # for the key of compiled code one thread looks through them
LOOK_THROUGH_S = 60
WORK_DIRECTORIES = ("/workspace", "/sandbox")    # as a sandbox sees its own


def adopt_orphans():
    """Makes this process the parent of all that a server leaves behind, so that it can be found."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def process_table():
    """pid -> (parent, state, name)."""
    table = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = Path(f"/proc/{entry}/stat").read_text(errors="replace")
        except OSError:
            continue
        name = text[text.index("(") + 1 : text.rindex(")")]
        state, parent = text[text.rindex(")") + 2 :].split()[:2]
        table[int(entry)] = (int(parent), state, name)
    return table


def descendants(root, table):
    found, waiting = set(), [root]
    while waiting:
        parent = waiting.pop()
        children = [pid for pid, (its_parent, _, _) in table.items() if its_parent == parent]
        found.update(children)
        waiting += children
    return found


def reap_orphans(known):
    """Takes the exit status of dead children that nobody else waits for. As the init of a host would."""
    table = process_table()
    for pid, (parent, state, _) in table.items():
        if parent == os.getpid() and state == "Z" and pid not in known:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def named_directories(tops):
    """Directories of sandboxes and executions."""
    found = set()
    for top in tops:
        for folder, names, _ in os.walk(top):
            found.update(os.path.join(folder, name) for name in names if name.startswith(NAMES))
    return found


def control_groups(instance):
    """Groups of sandboxes and executions of one server, by what it calls itself."""
    return {path for path in named_directories(["/sys/fs/cgroup"]) if instance in path}


def groups_of(instance):
    """The group of all that a server runs, in each hierarchy. Others' groups may vanish meanwhile, which os.walk() passes over and glob() does not."""
    return [Path(folder, name) for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names if name == f"caisson-{instance}"]


def files_of_groups(instance, *names):
    """Those of these files that the groups of a server have."""
    return [path for top in groups_of(instance) for path in (top / name for name in names) if path.exists()]


def remove_groups(instance):
    """Ends what a server left to its next one, which will not come, and removes all its control groups."""
    tops = groups_of(instance)

    def gone():
        for top in tops:
            for folder, _, files in os.walk(top, topdown=False):
                try:
                    if "freezer.state" in files:
                        Path(folder, "freezer.state").write_text("THAWED")    # what is frozen cannot die
                    for pid in Path(folder, "cgroup.procs").read_text().split():
                        os.kill(int(pid), signal.SIGKILL)
                    os.rmdir(folder)
                except OSError:
                    pass    # its processes are still ending, or it is gone
        return not any(os.path.exists(top) for top in tops)

    until(gone, SETTLE_S, f"the end of all groups of {instance}")


def mounts(pid):
    try:
        return Path(f"/proc/{pid}/mountinfo").read_text().count("\n")
    except OSError:
        return 0


def descriptors(pid):
    """How many of each kind; the database's own files come and go with its readers and are left out."""
    kinds = {}
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{entry}")
        except OSError:
            continue
        kind = target.split(":")[0] if ":" in target and not target.startswith("/") else target
        kind = re.sub(r"sbx_\w+", "sbx", re.sub(r"/uids/\d+", "/uids", kind))    # of one that waits for an execution
        kind = re.sub(r"^/proc/\d+/", "/proc/pid/", kind)
        kind = "a sandbox's files" if kind in WORK_DIRECTORIES else kind    # likewise, with a package or without
        kind = HOST_TREE if kind.startswith("/usr/") and os.path.isdir(kind) else kind
        if ".db" not in kind and ".sqlite" not in kind:
            kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def resident_bytes(pid, field="VmRSS"):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


def sandboxes(paths):
    return {name for path in paths for name in path.split("/") if name.startswith("sbx_")}


def additional(now, before):
    """What is there of sandboxes and was not before. One that waits for an execution may have taken the place of another."""
    fresh, gone = sandboxes(now) - sandboxes(before), sandboxes(before) - sandboxes(now)
    return sorted(now - before) if len(fresh) > len(gone) or not fresh else []


class Baseline:
    """The world before a test, its server at rest. compare() waits until it is back."""

    def __init__(self, server):
        self.server = server
        until(self._taken, SETTLE_S, "a server at rest")

    def _taken(self):
        """False if one of the sandboxes that wait was exchanged for another meanwhile: half of it would not be in what was seen.
        So those are looked at that were there before the pool was full, and still are when it is full once more."""
        server = self.server
        waiting = sandboxes(named_directories(server.run_folders()))
        server.at_rest()
        self.others = descendants(os.getpid(), process_table()) - descendants(server.pid, process_table()) - {server.pid}
        self.folders = named_directories([server.folder, *server.run_folders()])
        self.children = {name for _, _, name in self._children()}
        self.groups = control_groups(server.instance())
        self.mounts = mounts(server.pid)
        self.own_mounts = mounts("self")
        self.descriptors = descriptors(server.pid)
        server.at_rest()
        return not any(server.idle_sandboxes()) or waiting == sandboxes(self.folders) == sandboxes(named_directories(server.run_folders()))

    def _children(self):
        table = process_table()
        return [(pid, table[pid][1], table[pid][2]) for pid in descendants(self.server.pid, table) if pid in table]

    def differences(self):
        known = self.others | ({self.server.pid} if self.server.process else set())
        reap_orphans(known)
        table = process_table()
        for other in self.others & table.keys():    # what other servers start meanwhile is theirs
            known |= descendants(other, table)
        ours = descendants(os.getpid(), table) - known
        found = {}
        found["processes"] = [(pid, *table[pid][1:]) for pid in ours if pid in table and table[pid][2] not in self.children]
        found["cgroups"] = additional(control_groups(self.server.instance()), self.groups)
        found["directories"] = additional(named_directories([self.server.folder, *self.server.run_folders()]), self.folders)
        if self.server.process is not None:
            now = descriptors(self.server.pid)
            spare = {"socket": self.server.kept_connections, "net": KEPT_NETWORKS}
            found["descriptors"] = [(kind, count) for kind, count in now.items() if count > self.descriptors.get(kind, 0) + spare.get(kind, 0)]
            found["mounts"] = max(0, mounts(self.server.pid) - self.mounts)
        found["own mounts"] = max(0, mounts("self") - self.own_mounts)
        return {what: value for what, value in found.items() if value}

    def compare(self):
        last = {}

        def clean():
            last.clear()
            last.update(self.differences())
            return not last

        try:
            try:
                until(clean, SETTLE_S, "nothing left behind")
            except TimedOut:
                if last != {"descriptors": [(HOST_TREE, 1)]}:
                    raise
                until(clean, LOOK_THROUGH_S, "the look through the host's tools to end")
        except TimedOut:
            raise AssertionError(f"left behind: {last}") from None

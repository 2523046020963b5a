"""What an attack must leave as it was: the server's memory, descriptors and threads, the host's processes, mounts, control
groups, network namespaces, temporary directories and disk, and a canary file. Looked at after each batch, to a deadline."""

import os
import time
from pathlib import Path

from harness import leaks
from harness.sharing import share
from harness.waiting import TimedOut, until

WITHIN_S = 2
CONTAINERS_WITHIN_S = 30    # an engine takes its time to remove one; what it did not is swept
MEMORY_BYTES = 16 << 20
DISK_BYTES, DISK_INODES = 64 << 20, 5_000
SANDBOX_UIDS = range(700_000, 765_536)
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock")
OTHER_WORK = ("ninja", "clang", "caisson", "apt-get", "dpkg", "qemu", "cc1plus", "pytest", "ld.lld", "git", "ccache")


# Where the launcher and bwrap mount; other places below /tmp are other tests' own.
OWN_PLACES = ("work", "tmp", "shm", "empty", "view", "proc", "dev", "newroot", "oldroot")


# An engine's places are its containers', which are looked at by their names.
ENGINE = os.path.dirname(os.environ.get("CAISSON_TEST_ENGINE", "").removeprefix("unix://")) or "/none"


def mount_places(pid):
    """Mount points that a sandbox could have left, each as often as it is mounted."""
    places = [line.split()[4] for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()]
    places = [place for place in places if not place.startswith(ENGINE + "/")]
    return sorted(place for place in places if not place.startswith("/tmp/") or place.split("/")[2] in OWN_PLACES)


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def network_namespaces(pids):
    """Each, and the processes in it."""
    found = {}
    for pid in pids:
        try:
            found.setdefault(os.readlink(f"/proc/{pid}/ns/net"), []).append(pid)
        except OSError:
            pass
    return found


def fork_servers(pid, table):
    """Of a server, which makes a sandbox of its own to learn the versions of its languages, at any time after its start. From then on its
    fork server waits in the network namespace of the next one."""
    return {child for child, (parent, _, name) in table.items() if parent == pid and name == "caisson-forks"}


def held_namespaces(pid):
    """Network namespaces that a descriptor keeps alive."""
    found = set()
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{entry}")
        except OSError:
            continue
        if target.startswith("net:["):
            found.add(target)
    return found


def foreign_files():
    """What the uids of sandboxes own in the host's temporary directories."""
    found = set()
    for top in TEMPORARY:
        try:
            found.update(entry.path for entry in os.scandir(top) if entry.stat(follow_symlinks=False).st_uid in SANDBOX_UIDS)
        except OSError:
            pass
    return found


def tree_bytes(top):
    total, count = 0, 0
    for folder, _, files in os.walk(top):
        for name in files:
            try:
                total += os.stat(os.path.join(folder, name), follow_symlinks=False).st_blocks * 512
                count += 1
            except OSError:
                pass
    return total, count


def free_outside(folder):
    """Free bytes and inodes of the file system, with what the server's own folder takes counted as free."""
    seen = os.statvfs("/")
    used, files = tree_bytes(folder)
    return seen.f_bfree * seen.f_frsize + used, seen.f_ffree + files


def kept_outside():
    """Bytes and files that could be left where others write too: all in what this worker has for itself, of the rest what sandboxes own.

    Folders of other tests' servers are theirs to look at."""
    total, count = 0, 0
    for top in ("/dev/shm", "/run", "/tmp", "/var/tmp"):
        is_shared = top in ("/tmp", "/var/tmp")
        for folder, folders, files in os.walk(top):
            if is_shared and folder == top:
                folders[:] = [name for name in folders if not name.startswith("caisson-")]
            for name in files:
                try:
                    about = os.stat(os.path.join(folder, name), follow_symlinks=False)
                except OSError:
                    continue
                if not is_shared or about.st_uid in SANDBOX_UIDS:
                    total += about.st_blocks * 512
                    count += 1
    return total, count


class World:
    def __init__(self, server, canary):
        self.server, self.canary = server, canary
        self.engine = getattr(server, "engine", None)    # of a server whose programs run in containers
        if self.engine:
            server.nothing_left()    # of what ran before
        self.canary_was = canary.read_bytes()
        self.canary_folder = sorted(os.listdir(canary.parent))
        self.base = leaks.Baseline(server)
        self.threads = threads(server.pid)
        self.memory = leaks.resident_bytes(server.pid)
        self.mounts = mount_places(server.pid), mount_places(1)
        self.fork_servers = fork_servers(server.pid, leaks.process_table())
        self.named = self.network_namespaces_of_server(leaks.process_table())
        self.files = foreign_files()
        self.disk, self.kept = free_outside(server.folder), kept_outside()
        self.volumes = self.engine.volumes() if self.engine else set()

    def others_at_work(self):
        """Whether somebody else on this machine uses its disk meanwhile; a machine that only runs these tests has nobody."""
        if (ours := share()) and ours.others_work():
            return True
        table = leaks.process_table()
        own = leaks.descendants(os.getpid(), table) | {os.getpid()}
        return any(name.startswith(OTHER_WORK) for pid, (_, _, name) in table.items() if pid not in own)

    def disk_lost(self):
        """By the file system's own count; while others use it by what lies in places that sandboxes could reach."""
        now = free_outside(self.server.folder)
        lost = {"bytes": self.disk[0] - now[0], "inodes": self.disk[1] - now[1]}
        if self.others_at_work():
            kept = kept_outside()
            lost = {"bytes": kept[0] - self.kept[0], "inodes": kept[1] - self.kept[1]}
        return lost if lost["bytes"] > DISK_BYTES or lost["inodes"] > DISK_INODES else None

    def network_namespaces_of_server(self, table):
        ours = {self.server.pid} | leaks.descendants(self.server.pid, table)
        return network_namespaces(ours - self.fork_servers)

    def too_many_kept(self, table):
        """Network namespaces that a server keeps for later sandboxes are bounded."""
        kept = held_namespaces(self.server.pid) - network_namespaces(table).keys()
        return sorted(kept) if len(kept) > leaks.KEPT_NETWORKS else []

    def differences(self):
        found = self.base.differences()
        if self.canary.read_bytes() != self.canary_was or sorted(os.listdir(self.canary.parent)) != self.canary_folder:
            found["canary"] = "the file outside, or its directory, was changed"
        table = leaks.process_table()
        now = self.network_namespaces_of_server(table)
        extra = sorted(now.keys() - self.named.keys()) if len(now) > len(self.named) else []    # sandboxes that are ready come and go
        found["network namespaces"] = [(each, [(pid, table[pid][2]) for pid in now[each] if pid in table]) for each in extra]
        found["kept network namespaces"] = self.too_many_kept(table)
        found["threads"] = max(0, threads(self.server.pid) - self.threads)
        mounts = mount_places(self.server.pid), mount_places(1)
        found["mounts"], found["own mounts"] = None if mounts == self.mounts else mounts, None
        found["files of sandboxes"] = sorted(foreign_files() - self.files)
        grown = leaks.resident_bytes(self.server.pid) - self.memory
        found["memory"] = grown if grown > MEMORY_BYTES else 0
        found["disk"] = self.disk_lost()
        if self.engine:
            found["containers"] = self.server.containers()
            found["volumes"] = sorted(self.engine.volumes() - self.volumes)
        return {what: value for what, value in found.items() if value}

    def within_s(self):
        """On a machine that has nothing else to do, longer on one that is shared."""
        share = os.getloadavg()[0] / len(os.sched_getaffinity(0))
        return (CONTAINERS_WITHIN_S if self.engine else WITHIN_S) * max(1, share)

    def left_behind(self):
        """Empty if all is back within the deadline."""
        last = {}

        def clean():
            last.clear()
            last.update(self.differences())
            return not last

        try:
            until(clean, self.within_s(), "the world as it was")
        except TimedOut:
            return dict(last)
        return {}

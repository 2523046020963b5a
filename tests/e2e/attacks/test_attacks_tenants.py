"""What two tenants' sandboxes could tell each other through the kernel. As root nothing; as an ordinary user what is documented."""

import pytest

from harness.waiting import until

# Takes a lock and a watch on each file, says so, waits for a line; then tells whether anybody touched what it watches.
FIRST = """
import ctypes, fcntl, os, select, sys
c = ctypes.CDLL(None, use_errno=True)
files, watch = [], c.inotify_init1(0o4000)
for path in sys.argv[1:]:
    try: f = os.open(path, os.O_RDONLY)
    except OSError: continue
    fcntl.flock(f, fcntl.LOCK_EX)
    c.inotify_add_watch(watch, path.encode(), 0x21)
    files.append(f)
print("ready", flush=True)
sys.stdin.readline()
try: print("heard", len(os.read(watch, 65536)))
except BlockingIOError: print("silence")
"""
SECOND = """
import fcntl, os, sys
for path in sys.argv[1:]:
    try: f = os.open(path, os.O_RDONLY)
    except OSError: continue
    try: os.read(f, 1)
    except OSError: pass
    try: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError: print("LEAK", path)
print("done")
"""
PROGRAMS = ["/usr/bin/env", "/usr/bin", "/usr/lib", "/etc/ld.so.cache", "/etc/alternatives", "/etc/passwd", "/.caisson/agent"]
DEVICES = ["/dev/null", "/dev/zero", "/dev/urandom"]
KERNEL = ["/proc/version", "/proc/self/ns/time", "/proc/self/ns/user", "/proc/self/ns/mnt"]
SYSTEM = ["/proc/sys/kernel/hostname", "/proc/sys"]


def both(server, paths):
    one, other = server.tenant("one"), server.tenant("other")
    first = one.start(language="python", code=FIRST, args=paths, stdin_open=True)
    next(event for event in one.follow(first) if event["kind"] == "output")
    second = other.run(language="python", code=SECOND, args=paths)
    one.stdin(first, "\n", eof=True)
    return one.ended(first)["stdout"], second["stdout"]


def host_inodes(server):
    def probed():
        answer = server.api.get("/v1/runtimes").value
        return next((each for each in answer["items"] if each["name"] == answer["default"] and each["available"]), None)

    host = until(probed)
    return next((each["reason"] for each in host["degraded"] if each["control"] == "host_inodes"), "")


def test_locks_and_watches_meet_nobody_elses(attacked):
    assert host_inodes(attacked) == ""
    heard, locks = both(attacked, PROGRAMS + DEVICES + KERNEL + SYSTEM)
    assert (heard, locks) == ("ready\nsilence\n", "done\n")


def test_as_ordinary_user_neither_on_programs(ordinary_server):
    heard, locks = both(ordinary_server, PROGRAMS + KERNEL)
    assert (heard, locks) == ("ready\nsilence\n", "done\n")


def test_as_ordinary_user_what_is_shared_is_said(ordinary_server):
    shared = host_inodes(ordinary_server)
    assert "/dev/null" in shared and "/proc/sys" in shared and "/usr" not in shared


KEYS = """
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for name, number in (("add_key", 248), ("request_key", 249), ("keyctl", 250), ("io_uring_setup", 425)):
    print(name, c.syscall(number, b"user", b"caisson", b"x", 1, -5), ctypes.get_errno())
import socket
for family in (40, 38, 44):
    try: socket.socket(family, 1); print("REACHABLE", family)
    except OSError: pass
"""


@pytest.mark.parametrize("who", ["attacked", "ordinary_server"])
def test_keyrings_rings_and_vsock_are_closed(request, who):
    server = request.getfixturevalue(who)
    for tenant in ("one", "other"):
        record = server.tenant(tenant).run(language="python", code=KEYS)
        lines = record["stdout"].splitlines()
        assert len(lines) == 4 and all(line.split()[1] == "-1" and line.split()[2] == "38" for line in lines), lines


def test_a_second_layer_is_there_or_its_lack_is_said(attacked):
    """Writing /proc/self/comm is what ownership and mounts allow, and Landlock's rules do not."""
    record = attacked.api.run(command=["sh", "-c", "echo x > /proc/self/comm && echo written"])
    assert ("written" in record["stdout"]) == ("landlock" in record["degraded"]), record

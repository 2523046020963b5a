"""The disk, its inodes, the size of a file, open files."""

import re
from dataclasses import replace

from .row import MIB, End, Row, python, shell

FILL = """
import errno, os, sys, time
path, then = sys.argv[1:]
print('before', flush=True)
try:
    with open(path, 'wb', 0) as file:
        while True: file.write(b'x' * 65536)
except OSError as failed:
    print(errno.errorcode[failed.errno], os.path.getsize(path))
if then == 'free':
    time.sleep(1)
    os.remove(path)
"""
MANY = """
import errno
made = 0
try:
    while True:
        open(f'f{made}', 'w').close()
        made += 1
except OSError as failed:
    print(errno.errorcode[failed.errno], made)
"""
OPEN = """
import errno, os
count = 0
try:
    while True:
        os.open('/dev/null', 0)
        count += 1
except OSError as failed:
    print(errno.errorcode[failed.errno], count)
"""
DISK = {"disk_bytes": 4 * MIB, "file_bytes": 64 * MIB}
FULL = re.compile(r"before\nENOSPC (\d+)\n")


def nearly_all(_, record):
    """Little of the disk is lost to directories."""
    size = int(FULL.fullmatch(record["stdout"])[1])
    assert 4 * MIB - 65_536 <= size <= 4 * MIB, size


def full(**more):
    return End(stdout=FULL, hit=["disk"], look=nearly_all, **more)


def unseen(end):
    """From outside of gVisor nobody sees that a disk is full."""
    return replace(end, hit=[])


ROWS = [
    Row("disk_full_in_workspace", python(FILL, "/workspace/f", "keep", limits=DISK), full()),
    Row("disk_full_in_tmp", python(FILL, "/tmp/f", "keep", limits=DISK), full()),
    Row("disk_full_in_dev_shm", python(FILL, "/dev/shm/f", "keep", limits=DISK), full()),
    # The look from outside comes every 50 ms.
    Row("disk_full_and_freed", python(FILL, "f", "free", limits=DISK), full()),
    Row("disk_full_and_not_handled", shell("echo before; exec cat /dev/zero > f", limits=DISK),
        End(exit=1, stdout="before\n", stderr=re.compile(r".*No space left on device\n"), hit=["disk"])),
    Row("disk_half_used", shell("head -c 2000000 /dev/zero > f; wc -c < f", limits=DISK), End(stdout="2000000\n")),
    Row("inodes_used_up", python(MANY, limits={"inodes": 100, "cpu_ms": 2_000}), End(stdout="ENOSPC 100\n", hit=["inodes"]),
        whole=End("cpu_limit", signal=9)),    # gVisor does not bound the number of files
    Row("inodes_not_used_up", shell("for i in 1 2 3 4 5 6 7 8 9; do : > f$i; done; ls | wc -l", limits={"inodes": 64}), End(stdout="9\n")),
    # Whose write was refused, or whom SIGXFSZ ended, no host can tell from a signal that anybody may send.
    Row("file_size_ends_the_leader", shell("echo before; exec head -c 5000000 /dev/zero > f", limits={"file_bytes": MIB}),
        End("signaled", signal=25, stdout="before\n", error="File size limit exceeded")),
    Row("file_size_caught", shell("trap '' XFSZ; head -c 5000000 /dev/zero > f; echo $?; wc -c < f", limits={"file_bytes": MIB}),
        End(stdout=f"1\n{MIB}\n", stderr=re.compile(r".*File too large\n"))),
    Row("file_size_of_a_child", shell("head -c 5000000 /dev/zero > f; echo $?", limits={"file_bytes": MIB}),
        End(stdout="153\n", stderr=None)),
    Row("file_size_exactly_met", shell(f"head -c {MIB} /dev/zero > f; echo $?", limits={"file_bytes": MIB}), End(stdout="0\n")),
    Row("file_size_signal_of_its_own", shell("kill -XFSZ $$"), End("signaled", signal=25)),
    Row("open_files", python(OPEN, limits={"open_files": 32}), End(stdout="EMFILE 29\n")),
]
for row in ROWS:
    row.needs = "disk" if row.name.startswith(("disk_", "inodes_")) else None
    row.whole = row.whole or unseen(row.groups)

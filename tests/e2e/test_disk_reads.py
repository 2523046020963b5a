"""What sandboxes read of the host's disks is bounded, also past the page cache (O_DIRECT)."""

import os
import re
from pathlib import Path

import pytest

from harness.containers import BASH, RUNTIMES
from harness.leaks import files_of_groups
from harness.server import ORDINARY_USER
from harness.waiting import until

MIB = 1 << 20
RATE = 2 * MIB
READS = 1_000
BOUNDED = ("--set", f"executions.disk_read_bytes_per_s={RATE}", "--set", f"executions.disk_reads_per_s={READS}")
TIMES = 1.25    # the kernel counts in slices of a tenth of a second
LONG = {"wall_ms": 60_000}


def file_to_read():
    """Large enough to take seconds, not minutes. The programs of compilers and languages are such."""
    found = [(about.st_size, path) for path in Path("/usr").rglob("*") if path.is_file() and not path.is_symlink()
             and 4 * MIB <= (about := path.stat()).st_size <= 200 * MIB and about.st_mode & 0o4]
    return min(found)[1]


def read_of_disk(api, path, **more):
    """Bytes in a second, as the program sees it."""
    record = api.run(command=["dd", f"if={path}", "of=/dev/null", "bs=1M", "count=4", "iflag=direct"], limits=LONG, **more)
    assert record["status"] == "success", record
    copied, seconds = re.search(r"(\d+) bytes.* copied, ([\d.e-]+) s", record["stderr"]).groups()
    return int(copied) / float(seconds), record


def files_with_limits(instance):
    return files_of_groups(instance, "io.max", "blkio.throttle.read_bps_device")


def is_bounded(record):
    """Whether it is to be, and it says so."""
    v2 = Path("/sys/fs/cgroup/cgroup.controllers")
    can = os.geteuid() == 0 and (Path("/sys/fs/cgroup/blkio").is_dir() or (v2.exists() and "io" in v2.read_text().split()))
    assert can == ("disk_reads" not in record["degraded"]), record["degraded"]
    return can


def test_past_the_page_cache_no_more_is_read_than_may_be(new_server):
    server = new_server(*BOUNDED)
    rate, record = read_of_disk(server.api, file_to_read())
    if not is_bounded(record):
        return
    assert rate <= RATE * TIMES
    limits = files_with_limits(server.instance())
    assert limits and all(str(RATE) in path.read_text() for path in limits)


def names_in(folder):
    """Of the processes in a group and below it."""
    found = []
    for below, _, _ in os.walk(folder):
        try:
            found += [Path(f"/proc/{pid}/comm").read_text().strip() for pid in Path(below, "cgroup.procs").read_text().split()]
        except OSError:    # a process or the group ended just now
            pass
    return found


def test_all_that_runs_in_a_sandbox_is_bounded(new_server):
    """With cgroup v1 it is in one group with what other sandboxes run, with v2 below one."""
    server = new_server(*BOUNDED)
    one = server.api.start(shell="sleep 1000 & setsid sleep 1000 & echo begun; cat", stdin_open=True, limits=LONG)
    until(lambda: server.api.show(one)["stdout"] == "begun\n")
    if not is_bounded(server.api.show(one)):
        return
    group, = {path.parent for path in files_with_limits(server.instance())}
    until(lambda: (lambda names: names.count("sleep") == 2 and "cat" in names)(names_in(group)))
    server.api.cancel(one)


def test_without_a_bound_there_is_none(new_server):
    server = new_server("--set", "executions.disk_read_bytes_per_s=0", "--set", "executions.disk_reads_per_s=0")
    record = server.api.run(command=["true"])
    assert "disk_reads" not in record["degraded"]
    assert all(not re.search("[1-9][0-9]{3,}", path.read_text()) for path in files_with_limits(server.instance()))


def test_an_ordinary_users_server_says_where_nothing_bounds_it(new_server):
    server = new_server(*BOUNDED, user=ORDINARY_USER if os.geteuid() == 0 else None)
    bounded = [path for path in files_with_limits(server.instance()) if str(RATE) in path.read_text()]
    assert ("disk_reads" in server.api.run(command=["true"])["degraded"]) == (not bounded)



@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_container_is_bounded_by_the_engine(runtime, new_box):
    box = new_box(runtime, *BOUNDED)
    one = box.api.start(command=["sleep", "1000"], image=BASH, limits=LONG)
    until(lambda: box.api.show(one)["status"] == "running")
    host = box.engine.inspect(box.container())["HostConfig"]
    assert {each["Rate"] for each in host["BlkioDeviceReadBps"]} == {RATE}
    assert {each["Rate"] for each in host["BlkioDeviceReadIOps"]} == {READS}
    box.api.cancel(one)
    assert "disk_reads" not in box.api.ended(one)["degraded"]

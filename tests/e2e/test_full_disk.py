"""A data directory on a file system that is full: refused with a reason, nothing lost, and well again once there is room."""

import os
import subprocess

import pytest

from harness.server import Server

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which takes root")


@pytest.fixture
def small_disk(tmp_path, request):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={getattr(request, 'param', '24m')}", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_full_disk_is_503_and_passes(small_disk, contract):
    server = Server(str(small_disk), contract, None, (), {}).start()
    try:
        before = server.api.run(command=["echo", "before"])["execution_id"]
        filler = small_disk / "filler"
        with open(filler, "wb") as file:
            try:
                while True:
                    file.write(b"x" * 65536)
                    file.flush()
            except OSError:
                pass
        refused = None
        for _ in range(200):    # what the databases have left of their own pages is used up first
            refused = server.api.post("/v1/executions", {"shell": "true", "stdin": "y" * 100_000, "wait": False})
            if refused.status != 202:
                break
        assert refused.status == 503 and "disk" in refused["message"] and refused.headers["retry-after"]
        filler.unlink()
        assert server.api.run(command=["echo", "after"])["stdout"] == "after\n"
        assert server.api.show(before)["stdout"] == "before\n"
    finally:
        server.stop()
        server.discard()


@pytest.mark.parametrize("small_disk", ["160m"], indirect=True)
def test_files_that_do_not_fit_are_told_and_what_fits_is_kept(small_disk, contract):
    server = Server(str(small_disk), contract, None, (), {}).start()
    try:
        record = server.api.run(shell="echo small > a; head -c 100M /dev/zero > b; echo last > c", collect=["*"], limits={"disk_bytes": 200 << 20})
        assert record["status"] == "success" and "too little room" in record["artifacts"]["error"], record
        assert record["files_list"] == ["a"], record
        assert server.api.run(command=["echo", "after"], collect=["*"])["stdout"] == "after\n"
    finally:
        server.stop()
        server.discard()

"""A disk that gets full: who keeps most is refused first, and the others go on."""

import os
import subprocess

import pytest

from harness.server import ROOT, Server
from harness.waiting import until

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="run by an ordinary user: the test mounts a small file system, which takes root")

MIB = 1 << 20
DISK = 2_700 * MIB    # of a smaller one nothing is kept free
PIECE = 15 * MIB    # of output


@pytest.fixture
def small_disk(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def fill(disk, left):
    """With what is no tenant's, until so much is left."""
    with open(disk / "filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize - left)


def write(api):
    """The answer to one that prints much, when that has ended."""
    answer = api.post("/v1/executions", {"shell": f"head -c {PIECE} /dev/zero", "wait": False})
    if answer.status == 202:
        ended = api.get(f"/v1/executions/{answer.value['execution_id']}", query={"wait_ms": 60_000, "include": "none"})
        assert ended.value["status"] == "success", ended.value
    return answer


def has_room(api):
    return api.get("/ready").value["dependencies"]["disk"]["ready"]


def refused(answer):
    return answer.status == 503 and "the server's disk is nearly full" in answer.value["message"]


def test_who_keeps_most_is_refused_and_others_go_on(small_disk, contract):
    server = Server(str(small_disk), contract, None, (), {}).start()
    try:
        large, small = server.api, server.tenant("small")
        assert small.run(shell="echo before")["stdout"] == "before\n"
        fill(small_disk, DISK // 10 + 300 * MIB)
        kept = []
        for _ in range(40):
            answer = write(large)
            if refused(answer):
                break
            assert answer.status == 202, answer.value
            kept.append(answer.value["execution_id"])
        until(lambda: refused(large.post("/v1/executions", {"shell": "true"})), what="the one that keeps most is refused")
        assert 10 < len(kept) < 40
        for path, body in (("/v1/threads/t/checkpoints", {"state": {}}), ("/v1/executions", {"shell": "true", "wait": False})):
            assert refused(large.post(path, body)), path
        said = server.cli("skill", "push", ROOT / "examples/skills/word-counter")
        assert said.returncode != 0 and b"the server's disk is nearly full" in said.stderr, said.stderr
        assert not has_room(large) and small.run(shell="echo goes on")["stdout"] == "goes on\n"
        assert small.post("/v1/threads/t/checkpoints", {"state": {"a": 1}}).status == 201
        for each in kept:
            assert large.delete(f"/v1/executions/{each}").status == 204
        until(lambda: large.post("/v1/executions", {"shell": "true"}).status == 200, what="there is room again")
        until(lambda: has_room(large), what="it is told")
    finally:
        server.stop()
        server.discard()


def test_no_bound_is_a_bound_too(small_disk, contract):
    server = Server(str(small_disk), contract, None, ("--set", "storage.min_free_bytes=0"), {}).start()
    try:
        assert server.api.run(shell="true")["status"] == "success"
    finally:
        server.stop()
        server.discard()

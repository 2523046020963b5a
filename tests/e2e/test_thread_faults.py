"""Threads when the server is killed, its disk is full, or a tenant is."""

import json
import os
import subprocess
import threading

import pytest

from harness.server import BINARY, Server
from harness.threads import Thread
from harness.waiting import until


def kill(server):
    server.process.kill()
    server.process.wait()
    server.process = None


def check_data(server):
    done = subprocess.run([BINARY, "db", "check", "--deep", "--data", server.data], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("round_", range(6))
def test_kill_9_loses_nothing_that_was_answered(new_server, round_):
    """Writers repeat what was not answered, by the same ids: at the end each is there once, in one chain."""
    server = new_server()
    thread = Thread(server.api, "t")
    thread.configure(max_checkpoints=10_000)
    answered, unsure = [], {}

    def write(n):
        for count in range(10_000):
            name = f"w{n}-{count}"
            try:
                answer = server.api.post("/v1/threads/t/checkpoints", {"id": name, "state": {"name": name, "pad": "x" * (n * 4_000)}}, judged=False)
            except (OSError, json.JSONDecodeError, Exception):  # noqa: BLE001: the server is gone
                unsure[n] = name
                return
            assert answer.status == 201
            answered.append(name)

    writers = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for each in writers:
        each.start()
    while len(answered) < 20 + 15 * round_:
        pass
    kill(server)
    for each in writers:
        each.join()
    server.start()
    check_data(server)
    thread = Thread(server.api, "t")
    for n, name in unsure.items():
        answer = server.api.post("/v1/threads/t/checkpoints", {"id": name, "state": {"name": name, "pad": "x" * (n * 4_000)}})
        assert answer.status in (200, 201), answer.value
    chain = [each["id"] for each in thread.check_chain()]
    assert sorted(chain) == sorted([*answered, *unsure.values()])
    for name in chain[:: max(1, len(chain) // 20)]:
        assert thread.state(name)["name"] == name


def test_kill_9_in_an_import_leaves_none(new_server):
    server = new_server()
    thread = Thread(server.api, "t")
    thread.configure(max_checkpoints=1_000)
    for n in range(40):
        thread.save({"n": n, "pad": os.urandom(30_000).hex()})
    data = server.api.get("/v1/threads/t/export").body
    lines = data.splitlines(keepends=True)
    connection = server.api.connect()
    connection.putrequest("POST", "/v1/threads/copy/import")
    for name, value in {**server.api.credentials(), "Content-Type": "application/x-ndjson", "Content-Length": str(len(data))}.items():
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(b"".join(lines[:60]))
    kill(server)
    connection.close()
    server.start()
    assert Thread(server.api, "copy").show(404)
    check_data(server)
    made = server.api.post("/v1/threads/copy/import", raw=data, headers={"Content-Type": "application/x-ndjson"})
    assert made.status == 201 and made["checkpoints"] == 40


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which takes root")
def test_a_full_disk_is_503_and_keeps_what_was_saved(tmp_path, contract):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", tmp_path], check=True)
    server = Server(str(tmp_path), contract, None, (), {}).start()
    try:
        thread = Thread(server.api, "t")
        thread.configure(max_checkpoints=10_000)
        saved, refused = [], None
        for n in range(1_000):
            answer = server.api.post("/v1/threads/t/checkpoints", {"id": f"c{n}", "state": os.urandom(2_000_000).hex()})
            if answer.status != 201:
                refused = answer
                break
            saved.append(f"c{n}")
        assert refused is not None and refused.status == 503 and "disk" in refused["message"] and refused.headers["retry-after"]
        assert [each["id"] for each in thread.check_chain()] == saved
        thread.remove()
        answer = until(lambda: (got := server.api.post("/v1/threads/t/checkpoints", {"state": 1})).status == 201 and got, what="there is room again")
        assert answer["position"] == 1
    finally:
        server.stop()
        server.discard()
        subprocess.run(["umount", tmp_path], check=True)


def test_a_full_tenant_is_refused_and_loses_nothing(new_server):
    server = new_server("--set", "threads.max_bytes_per_tenant=200000", "--set", "threads.max_threads_per_tenant=2")
    thread = Thread(server.api, "t")
    saved = []
    while True:
        answer = server.api.post("/v1/threads/t/checkpoints", {"state": os.urandom(15_000).hex()})
        if answer.status != 201:
            break
        saved.append(answer["id"])
    assert answer.status == 429 and answer["error"] == "quota_exceeded" and answer.headers["retry-after"]
    assert answer["details"]["limit"] == "threads.max_bytes_per_tenant" and len(saved) > 5
    assert not {"running", "waiting"} & set(answer["details"]), "those are counts of executions"
    assert thread.ids(order="asc") == saved
    assert server.api.delete(f"{thread.path}/checkpoints/{saved[0]}").status == 204
    assert thread.save({"small": 1})
    Thread(server.api, "u").save(1)
    assert Thread(server.api, "v").save(1, want=429)["details"]["limit"] == "threads.max_threads_per_tenant"


def test_a_restart_keeps_all(new_server):
    server = new_server()
    thread = Thread(server.api, "t")
    big = {"items": [{"n": n, "text": "x" * (n % 50)} for n in range(3_000)]}
    for n in range(5):
        thread.save({**big, "step": n}, id=f"c{n}")
    before = thread.list(include="state")
    server.stop()
    server.start()
    assert Thread(server.api, "t").list(include="state") == before

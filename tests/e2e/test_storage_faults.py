"""Databases that are locked, damaged or on a full disk: said, nothing lost, and what works goes on."""

import json
import os
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from harness.leaks import Baseline
from harness.server import Server
from harness.waiting import until


def files_of(folder):
    """All bytes, but for the locks and SQLite's shared memory, which every opening makes."""
    return {each.name: each.read_bytes() for each in Path(folder).iterdir() if each.is_file() and not each.name.endswith((".lock", "-shm"))}


def start_that_fails(server):
    done = server.cli("serve", "--data", server.data, "--listen", "127.0.0.1:0", timeout=30)
    assert done.returncode == 1
    return done.stderr.decode()


def db_check(server, want):
    done = server.cli("db", "check", "--data", server.data, "--json")
    assert done.returncode == want, done.stderr.decode()
    return json.loads(done.stdout)["findings"]


def test_a_locked_database_is_503_and_passes(new_server):
    server = new_server()
    before = server.api.run(command=["echo", "before"])["execution_id"]
    other = sqlite3.connect(server.data / "records.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = server.api.post("/v1/executions", {"command": ["true"], "wait": False})
    assert refused.status == 503 and refused.headers["retry-after"]
    assert server.api.show(before)["stdout"] == "before\n", "readers go on"
    other.execute("ROLLBACK")
    other.close()
    assert server.api.run(command=["echo", "after"])["stdout"] == "after\n"
    assert [each["execution_id"] for each in server.api.get("/v1/executions")["items"]][1] == before, "what was refused is not there"
    assert server.api.get("/ready").status == 200


@pytest.mark.parametrize("name", ["records.db", "events.db", "content.db"])
def test_a_damaged_database_is_not_opened_and_not_touched(new_server, name):
    server = new_server()
    server.api.run(command=["echo", "kept"])
    server.stop()
    good = (server.data / name).read_bytes()
    (server.data / name).write_bytes(b"garbage " * 12 + good[96:])
    before = files_of(server.data)
    said = start_that_fails(server)
    assert name in said and "is damaged" in said and "caisson db check" in said and "caisson restore" in said
    assert files_of(server.data) == before
    assert any(each["file"] == name and each["weight"] == "damage" for each in db_check(server, want=1))
    (server.data / name).write_bytes(good)
    server.start()
    assert db_check(server, want=0) == []


def test_damage_found_at_work_is_told_and_the_rest_goes_on(new_server):
    server = new_server()
    kept = "kept\n" * 4000    # too much to lie with the record, in records.db
    one = server.api.run(shell="yes kept | head -n 4000")["execution_id"]
    server.stop()
    file = server.data / "events.db"
    database = sqlite3.connect(file)
    index = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'").fetchone()[0]
    size = database.execute("PRAGMA page_size").fetchone()[0]
    database.close()
    good = file.read_bytes()
    file.write_bytes(good[: (index - 1) * size] + b"g" * size + good[index * size :])
    server.start()
    assert server.api.get(f"/v1/executions/{one}", judged=False).status == 500
    assert [each["execution_id"] for each in server.api.get("/v1/executions")["items"]] == [one]

    def ready_now():    # when the runtime is probed
        answer = server.api.get("/ready")
        return answer if answer.status == 200 else None

    ready = until(ready_now)
    assert not ready["dependencies"]["database_files"]["ready"]
    assert ready["dependencies"]["database"]["ready"]
    assert "a database is damaged" in server.log_file.read_text()
    server.stop()
    file.write_bytes(good)
    server.start()
    assert server.api.show(one)["stdout"] == kept


def test_the_check_tells_usage_mistakes_from_findings(server):
    assert server.cli("db", "check", "--data", server.data / "nowhere").returncode == 2
    assert server.cli("db", "check", "--colour").returncode == 2
    done = server.cli("db", "check", "--data", server.data)
    assert done.returncode == 0 and b"a server runs on them" in done.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which takes root")
def test_things_can_be_removed_from_a_full_disk(contract, tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=192m", "tmpfs", tmp_path], check=True)
    server = Server(str(tmp_path), contract).start()
    try:
        assert (server.data / "reserve").exists()
        ended = [server.api.run(shell="head -c 1000000 /dev/urandom | base64")["execution_id"] for _ in range(4)]
        before, accepted = Baseline(server), []
        filler = tmp_path / "filler"
        with open(filler, "wb", buffering=0) as file, pytest.raises(OSError):
            while True:
                file.write(b"x" * 4096)

        def refused():
            answer = server.api.post("/v1/executions", {"shell": "true", "stdin": "y" * 100_000, "wait": False})
            if answer.status == 202:
                accepted.append(answer["execution_id"])
            return answer.status == 503 or None

        until(refused)    # what the databases have left of their own pages is used up first
        ready = server.api.get("/ready")
        assert not ready["dependencies"]["disk"]["ready"]
        for one in ended:
            assert server.api.delete(f"/v1/executions/{one}").status == 204
        assert server.api.get(f"/v1/executions/{ended[0]}").status == 404
        assert not (server.data / "reserve").exists()
        filler.unlink()
        assert server.api.run(command=["echo", "after"])["stdout"] == "after\n"
        until(lambda: server.api.get("/ready").status == 200, 5)    # it looks once a second
        for one in accepted:
            record = server.api.ended(one)
            assert record["status"] == "success" or "could not be started" in record["error"], record
        before.compare()
    finally:
        server.stop()
        server.discard()
        subprocess.run(["umount", tmp_path], check=True)


LARGE = 40_000_000


def pieces_of(server):
    """Pieces of large requests that are stored."""
    with sqlite3.connect(f"file:{server.data / 'records.db'}?mode=ro", uri=True) as db:
        return db.execute("SELECT count(*) FROM spec_pieces").fetchone()[0]


def send_large(server):
    try:
        return server.api.post("/v1/executions", {"shell": "wc -c", "stdin": "x" * LARGE, "wait": False})
    except OSError:
        return None    # the server is gone


def test_a_server_that_is_killed_while_it_stores_a_large_request(new_server):
    server = new_server()
    sending = threading.Thread(target=send_large, args=(server,))
    sending.start()
    until(lambda: pieces_of(server) > 2, what="some pieces are stored")
    server.kill()
    sending.join()
    server.start()
    for each in server.api.get("/v1/executions")["items"]:    # whole, or not there
        assert server.api.ended(each["execution_id"])["stdout"] == f"{LARGE}\n"
    until(lambda: pieces_of(server) == 0, what="what was begun is erased")
    assert server.api.run(shell="echo after")["stdout"] == "after\n"
    server.stop()
    assert db_check(server, want=0) == []


def test_a_large_request_that_waits_outlives_its_server(new_server):
    server = new_server(CAISSON_EXECUTIONS_MAX_RUNNING="1")
    first = server.api.start(shell="read line", stdin_open=True, limits={"wall_ms": 120_000})
    waiting = send_large(server)
    assert waiting.status == 202 and pieces_of(server) > 0
    server.kill()
    server.start()
    assert server.api.show(waiting["execution_id"])["status"] == "queued"
    server.api.stdin(first, "go on\n")
    assert server.api.ended(waiting["execution_id"])["stdout"] == f"{LARGE}\n"
    until(lambda: pieces_of(server) == 0, what="the pieces are erased")

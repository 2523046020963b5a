"""caisson backup and restore, beside a server that works."""

import contextlib
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from harness import events as tools
from harness.server import ROOT, Server
from harness.waiting import until

LOUD = "for i in $(seq 40); do echo line $i of the log; echo error $i >&2; done; head -c {size} /dev/zero | tr '\\0' x; exit {code}"
TICKER = """
import select, sys
n = 0
while not select.select([0], [], [], 0.005)[0]:
    print("tick", n, flush=True)
    n += 1
"""


def backup(server, target, *more, want=0):
    done = server.cli("backup", "--data", server.data, target, *more)
    assert done.returncode == want, done.stderr.decode()
    return done.stderr.decode()


def restore(server, source, data, *more, want=0):
    done = server.cli("restore", source, "--data", data, *more)
    assert done.returncode == want, done.stderr.decode()
    return done.stderr.decode() if want else done.stdout.decode()


def check(server, data, want=0):
    done = server.cli("db", "check", "--data", data, "--json")
    assert done.returncode == want, (done.stdout.decode(), done.stderr.decode())
    return json.loads(done.stdout)


def leftovers(folder):
    return sorted(each.name for each in Path(folder).iterdir() if each.name.endswith((".partial", ".restoring")))


@pytest.fixture
def restored(contract, tmp_path_factory):
    """A second server, to be started on restored data."""
    servers = []

    def make():
        servers.append(Server(str(tmp_path_factory.mktemp("second")), contract))
        return servers[-1]

    yield make
    for each in servers:
        try:
            each.stop()
        finally:
            each.discard()


class Load:
    """Clients that run, follow and remove executions until they are told to stop."""

    def __init__(self, api):
        self.api, self.stopping, self.failures = api, threading.Event(), []
        self.removed, self.finished = set(), []
        self.threads = [threading.Thread(target=self._guard, args=(work,)) for work in (self._run, self._run, self._remove)]
        for thread in self.threads:
            thread.start()

    def _guard(self, work):
        while not self.stopping.is_set() and not self.failures:
            try:
                work()
            except Exception as failure:    # shown by the test
                self.failures.append(failure)

    def _run(self):
        record = self.api.run(shell=LOUD.format(size=random.randrange(200_000), code=random.randrange(3)))
        self.finished.append(record["execution_id"])

    def _remove(self):
        if len(self.finished) > 4:
            one = self.finished.pop(random.randrange(len(self.finished)))
            self.removed.add(one)
            assert self.api.delete(f"/v1/executions/{one}").status == 204

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
        assert not self.failures, self.failures


def test_a_backup_under_load_holds_what_had_ended_and_each_log_whole(new_server, restored, tmp_path):
    server = new_server("--set", "executions.max_running=8")
    before = [server.api.run(shell=LOUD.format(size=size, code=code))["execution_id"] for size, code in ((0, 0), (300_000, 3), (70_000, 1))]
    cut = server.api.run(shell="head -c 2000000 /dev/zero", limits={"max_output_bytes": 100_000})["execution_id"]
    ticker = server.api.start(language="python", code=TICKER, stdin_open=True, limits={"wall_ms": 120_000})
    until(lambda: server.api.get(f"/v1/executions/{ticker}/logs").body)
    load = Load(server.api)
    try:
        until(lambda: len(load.removed) > 2, 30)
        backup(server, tmp_path / "one")
    finally:
        load.stop()
    second = restored()
    said = restore(server, tmp_path / "one", second.data)
    assert "ended as interrupted: " in said
    assert check(server, second.data)["sound"] and check(server, server.data) == {"sound": True, "server_is_running": True, "findings": []}
    second.start()
    assert second.instance() != server.instance()
    for one in [*before, cut]:
        assert second.api.show(one) == server.api.show(one)
        assert second.api.log(one) == server.api.log(one)
    for record in second.api.get("/v1/executions", query={"limit": 200})["items"]:
        one = record["execution_id"]
        log = second.api.log(one)
        assert log[-1]["kind"] == "exit" and log[-1]["status"] == record["status"], record
        if one not in load.removed and record["status"] != "interrupted":
            assert server.api.log(one) == log
    record = second.api.show(ticker)
    assert (record["status"], record["verdict"]) == ("interrupted", "lost") and "restored from the backup" in record["error"]
    assert server.api.show(ticker)["status"] == "running", "the second server leaves the first one's sandboxes alone"
    copied = tools.joined(second.api.log(ticker))
    server.api.stdin(ticker, "", eof=True)
    assert server.api.ended(ticker)["status"] == "success"
    assert tools.joined(server.api.log(ticker)).startswith(copied) and copied
    assert second.api.run(command=["echo", "on"])["stdout"] == "on\n"
    assert second.api.with_key(server.api.key).show(cut)["execution_id"] == cut, "keys of clients go on to work"
    assert not (tmp_path / "one" / "admin.key").exists()


def test_what_waited_is_interrupted_or_runs_again_as_asked(new_server, restored, tmp_path):
    server = new_server("--set", "executions.max_running=1")
    first = server.api.start(command=["cat"], stdin_open=True)
    waiting = server.api.start(shell="echo ran")
    until(lambda: server.api.show(first)["status"] == "running")
    backup(server, tmp_path / "one")
    plain, again = restored(), restored()
    assert "interrupted: 2, to run again: 0" in restore(server, tmp_path / "one", plain.data)
    assert "interrupted: 1, to run again: 1" in restore(server, tmp_path / "one", again.data, "--requeue")
    again.start()
    assert again.api.ended(waiting)["stdout"] == "ran\n"
    assert again.api.show(first)["status"] == "interrupted"
    plain.start()
    assert plain.api.show(waiting)["status"] == "interrupted" and "waited" in plain.api.show(waiting)["error"]
    server.api.stdin(first, "", eof=True)
    assert server.api.ended(waiting)["stdout"] == "ran\n"


def flip(name, at):
    def harm(folder):
        with open(folder / name, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))

    return harm


def edit_manifest(change):
    def harm(folder):
        value = json.loads((folder / "manifest.json").read_text())
        change(value)
        (folder / "manifest.json").write_text(json.dumps(value))

    return harm


WRONG = {
    "a flipped bit": (flip("records.db", 9_000), "SHA-256 is another one"),
    "a cut file": (lambda folder: os.truncate(folder / "events.db", 20_000), "bytes instead of"),
    "a file gone": (lambda folder: (folder / "events.db").unlink(), "is not there"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "is not a backup"),
    "a cut manifest": (lambda folder: os.truncate(folder / "manifest.json", 30), "cannot be understood"),
    "another format": (edit_manifest(lambda value: value.update(version=9)), "backup format 9"),
    "a newer schema": (edit_manifest(lambda value: value["files"][0].update(schema=99)), "made by a newer Caisson"),
    "other files": (edit_manifest(lambda value: value["files"][0].update(name="../../etc/passwd")), "does not name records.db"),
}


@pytest.fixture(scope="module")
def a_backup(shared_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("backup")
    shared_server.api.run(shell=LOUD.format(size=100_000, code=0))
    backup(shared_server, folder / "good")
    return folder / "good"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_backup_is_refused_and_leaves_nothing(shared_server, a_backup, tmp_path, name):
    harm, says = WRONG[name]
    subprocess.run(["cp", "-r", a_backup, tmp_path / "bad"], check=True)
    harm(tmp_path / "bad")
    said = restore(shared_server, tmp_path / "bad", tmp_path / "data", want=1)
    assert says in said, said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad"]


FIRST_SCHEMAS = {"records": (0x43616901, 4096, 4), "events": (0x43616902, 16384, 1)}


def checksum(text):
    """FNV-1a of 64 bits, which migrations are told apart by."""
    value = 0xCBF29CE484222325
    for byte in text.removesuffix("\n").encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def first_database(file, name):
    """A database as the first version that made backups left it."""
    owner, page_size, migrations = FIRST_SCHEMAS[name]
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.executescript(f"PRAGMA page_size = {page_size}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = {owner};"
                         f"PRAGMA user_version = {migrations}; CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY,"
                         "name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT")
        for number, each in enumerate(sorted((ROOT / "migrations" / name).iterdir())[:migrations], 1):
            db.executescript(each.read_text())
            db.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, 0)", (number, each.name, checksum(each.read_text())))
        db.commit()
    return {"name": file.name, "bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "schema": migrations}


def test_a_backup_of_the_format_without_files_is_restored_and_takes_them(shared_server, restored, tmp_path):
    files = [first_database(tmp_path / f"{name}.db", name) for name in FIRST_SCHEMAS]
    (tmp_path / "manifest.json").write_text(json.dumps({
        "format": "caisson backup", "version": 1, "caisson": "0.1.0", "instance": "first", "created_at_ms": 0, "files": files, "without_end": []}))
    second = restored()
    restore(shared_server, tmp_path, second.data)
    assert check(shared_server, second.data)["sound"]
    second.start()
    ran = second.api.run(shell="echo kept > file", collect=["file"])
    assert ran["artifacts"]["files"] == 1, ran


def test_what_exists_is_not_overwritten(shared_server, a_backup, tmp_path):
    assert "is not empty" in restore(shared_server, a_backup, shared_server.data, want=1)
    (tmp_path / "file").write_text("mine")
    assert "is not a directory" in restore(shared_server, a_backup, tmp_path / "file", want=1)
    assert "exists; give another name" in backup(shared_server, tmp_path / "file", want=1)
    assert "is not a backup" in backup(shared_server, tmp_path / "file", "--force", want=1)
    assert (tmp_path / "file").read_text() == "mine"
    backup(shared_server, tmp_path / "one")
    old = (tmp_path / "one" / "manifest.json").read_text()
    assert "--force to replace" in backup(shared_server, tmp_path / "one", want=1)
    backup(shared_server, tmp_path / "one", "--force")
    assert (tmp_path / "one" / "manifest.json").read_text() != old
    done = shared_server.cli("backup", "--data", tmp_path / "nowhere", tmp_path / "two")
    assert done.returncode == 1 and b"there is no" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "one"]


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which takes root")
def test_a_full_disk_leaves_nothing(shared_server, a_backup, tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], check=True)
    try:
        assert "not enough space" in backup(shared_server, tmp_path / "one", want=1)
        assert "not enough space" in restore(shared_server, a_backup, tmp_path / "data", want=1)
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def kill_in_the_middle(server, seconds, *arguments):
    """SIGKILL to a verb of the command line after a while; true if it was done by then."""
    command = [str(server.binary), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=server.env)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False


def test_kill_leaves_nothing_that_looks_whole(shared_server, a_backup, tmp_path):
    """At moments all over the time that they take: what is there under its name is whole, whatever came of the process."""
    for i in range(6):
        copy, data = tmp_path / f"backup{i}", tmp_path / f"data{i}"
        done = kill_in_the_middle(shared_server, 0.04 * (i + 1), "backup", "--data", shared_server.data, copy)
        assert copy.exists() or not done
        if copy.exists():
            restore(shared_server, copy, tmp_path / f"from{i}")
        done = kill_in_the_middle(shared_server, 0.04 * (i + 1), "restore", a_backup, "--data", data)
        assert data.exists() or not done
        if data.exists():
            assert check(shared_server, data)["sound"]
        if not copy.exists():
            backup(shared_server, copy)    # what the killed one left is not in the way
        if not data.exists():
            restore(shared_server, a_backup, data)
    assert leftovers(tmp_path) == []

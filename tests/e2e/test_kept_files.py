"""How long files of runs are kept, how much of them, and what a tenant is told of it."""

import sqlite3

from harness.waiting import until
from test_artifacts import content, items
from test_backup import backup, check, restore, restored    # noqa: F401 (restored is a fixture)

WRITER = "mkdir -p out; head -c {size} /dev/urandom > out/{name}; echo same > out/same"


def stats(api):
    answer = api.get("/v1/stats")
    assert answer.status == 200, answer.value
    return answer.value


def write(api, name="a", size=100_000):
    return api.run(shell=WRITER.format(name=name, size=size), collect=["out/**"])["execution_id"]


def rows(server, sql):
    with sqlite3.connect(f"file:{server.data}/content.db?mode=ro", uri=True) as db:
        return db.execute(sql).fetchone()[0]


def test_a_tenant_is_told_what_it_has(new_server):
    server = new_server()
    api = server.api
    nothing = stats(api)
    assert nothing["artifacts"] == {"files": 0, "bytes": 0} and nothing["stored_bytes"] == 0
    assert nothing["limits"] == {"artifacts_max_bytes": 10 << 30, "executions_max_bytes": 10 << 30, "skills_max_bytes": 10 << 30, "threads_max_bytes": 10 << 30,
                                 "retention_ms": 7 * 86_400_000}
    one, two = write(api), write(api, size=300_000)
    assert stats(api)["artifacts"] == {"files": 4, "bytes": 400_010}
    assert stats(api)["stored_bytes"] == 400_005, "the file that both have is stored once"
    running = api.start(command=["cat"], stdin_open=True)
    until(lambda: stats(api)["executions"]["running"] == 1)
    assert stats(api)["executions"]["waiting"] == 0
    api.stdin(running, "", eof=True)
    api.ended(running)
    assert api.delete(f"/v1/executions/{one}").status == 204
    assert stats(api)["artifacts"] == {"files": 2, "bytes": 300_005}
    until(lambda: stats(api)["stored_bytes"] == 300_005, what="chunks of the removed one are gone")
    assert len(content(api, two, "out/a").body) == 300_000


def test_stats_take_a_key(api):
    assert api.with_key("csn_nobody").get("/v1/stats").status == 401


def test_the_oldest_files_beyond_the_bound_go(new_server):
    server = new_server("--set", "artifacts.max_bytes_per_tenant=1000000")
    kept = [write(server.api, size=400_000) for _ in range(4)]
    server.stop()
    server.start()    # the first look is at the start
    until(lambda: stats(server.api)["artifacts"]["bytes"] <= 1_000_000)
    assert items(server.api, kept[0]) == [] and len(items(server.api, kept[3])) == 2
    until(lambda: rows(server, "SELECT count(*) FROM contents") == stats(server.api)["artifacts"]["files"])
    assert check(server, server.data)["findings"] == []


def test_files_that_expired_go_and_the_record_stays(new_server):
    server = new_server("--set", "artifacts.retention_ms=60000")
    one = write(server.api)
    assert len(items(server.api, one)) == 2
    server.kill()
    with sqlite3.connect(f"{server.data}/records.db") as db:
        assert db.execute("UPDATE artifacts SET expires_at_ms = expires_at_ms - 60000").rowcount == 2
    server.start()
    until(lambda: stats(server.api)["artifacts"]["files"] == 0)
    assert items(server.api, one) == []
    assert server.api.show(one)["status"] == "success"
    until(lambda: rows(server, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM chunk_bytes)") == 0)


def test_retention_below_a_minute_is_refused(server):
    for value in ("0", "59999"):
        said = server.cli("serve", "--data", "/nonexistent", "--set", f"artifacts.retention_ms={value}")
        assert said.returncode != 0 and b"artifacts.retention_ms" in said.stderr and b"60000" in said.stderr, said.stderr


def test_a_backup_holds_the_files(new_server, restored, tmp_path):    # noqa: F811
    server = new_server()
    one = write(server.api, size=700_000)
    backup(server, tmp_path / "one")
    gone = write(server.api)
    second = restored()
    restore(server, tmp_path / "one", second.data)
    assert check(server, second.data)["sound"]
    second.start()
    assert items(second.api, one)[0]["sha256"] == items(server.api, one)[0]["sha256"]
    assert content(second.api, one, "out/a").body == content(server.api, one, "out/a").body
    assert second.api.get(f"/v1/executions/{gone}").status == 404


def test_a_flipped_bit_in_a_file_of_a_backup_is_found_by_its_digest(new_server, tmp_path):
    server = new_server()
    write(server.api, size=700_000)
    server.stop()
    with open(f"{server.data}/content.db-chunks", "r+b") as file:
        file.seek(-100_000, 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    plain = server.cli("db", "check", "--data", server.data, "--json")
    deep = server.cli("db", "check", "--data", server.data, "--json", "--deep")
    assert plain.returncode == 0, plain.stdout
    assert deep.returncode == 1 and b"is not what was written" in deep.stdout, deep.stdout
    backup(server, tmp_path / "one")
    assert "is not what was written" in restore(server, tmp_path / "one", tmp_path / "data", want=1)


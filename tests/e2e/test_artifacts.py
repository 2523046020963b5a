"""Files that a run leaves: what is collected of them, how they are given out, to whom, and what crashes do to them."""

import hashlib
import http.client
import io
import os
import re
import sqlite3
import subprocess
import tarfile
import time
import urllib.parse
import zipfile

import pytest

from harness.leaks import Baseline, resident_bytes
from harness.server import Server
from harness.waiting import until

MIB = 1 << 20


def items(api, execution, **query):
    answer = api.get(f"/v1/executions/{execution}/artifacts", query={"limit": 200, **query})
    assert answer.status == 200, answer.value
    return answer["items"]


def every_item(api, execution, limit=200):
    found, cursor = [], None
    while True:
        answer = api.get(f"/v1/executions/{execution}/artifacts", query={"limit": limit, **({"cursor": cursor} if cursor else {})})
        assert answer.status == 200, answer.value
        found += answer["items"]
        cursor = answer["next_cursor"]
        if cursor is None:
            return found


def path_of(execution, name):
    return f"/v1/executions/{execution}/artifacts/{urllib.parse.quote(name)}"


def content(api, execution, name, **more):
    return api.get(path_of(execution, name), **more)


def open_url(api, url, method="GET", headers=None):
    """(status, headers, body) without any credential."""
    parts = urllib.parse.urlsplit(url)
    assert (parts.hostname, parts.port) == api.address
    connection = http.client.HTTPConnection(*api.address, timeout=60)
    try:
        connection.request(method, parts.path + "?" + parts.query, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_files_are_collected_listed_and_given_out(api):
    run = api.run(
        language="python", collect=["out/**", "*.md"],
        code="""
import os
os.makedirs("out/deep/er"); os.makedirs("else")
open("out/b.csv", "w").write("id,value\\n")
open("out/a b.txt", "w").write("hello")
open("out/deep/er/ä.bin", "wb").write(bytes(range(256)) * 2000)
open("out/empty", "w")
open("notes.md", "w").write("# yes")
open("else/no.txt", "w").write("no")
os.chmod("out/b.csv", 0o751)
""",
    )
    one = run["execution_id"]
    names = ["notes.md", "out/a b.txt", "out/b.csv", "out/deep/er/ä.bin", "out/empty"]
    assert run["status"] == "success" and run["files_list"] == names
    assert run["artifacts"] == {"files": 5, "bytes": 512_019, "partial": False, "skipped_files": 0, "skipped": [], "error": None}
    listed = items(api, one)
    assert [each["path"] for each in listed] == names
    assert [each["media_type"].split(";")[0] for each in listed] == ["text/markdown", "text/plain", "text/csv", *["application/octet-stream"] * 2]
    assert listed[2]["mode"] == "0751" and not any(each["partial"] for each in listed) and all("expires_at" in each for each in listed)
    for each in listed:
        got = content(api, one, each["path"])
        assert got.status == 200 and len(got.body) == each["size_bytes"]
        assert hashlib.sha256(got.body).hexdigest() == each["sha256"] and got.headers["etag"] == f'"{each["sha256"]}"'
        assert got.headers["x-content-type-options"] == "nosniff" and "sandbox" in got.headers["content-security-policy"]
        assert got.headers["content-disposition"].startswith("attachment; ")
    assert "filename*=UTF-8''%C3%A4.bin" in content(api, one, names[3]).headers["content-disposition"]
    assert [len(every_item(api, one, limit)) for limit in (1, 2, 5)] == [5, 5, 5]
    in_list = next(each for each in api.get("/v1/executions").value["items"] if each["execution_id"] == one)
    assert in_list["artifacts"]["files"] == 5 and "files_url" not in in_list


def test_archives_hold_what_was_left(api):
    run = api.run(shell="mkdir -p out/d; echo 1 > out/a; head -c 3000000 /dev/urandom > out/d/b; : > out/c", collect=["out/**"])
    one = run["execution_id"]
    wanted = {name: content(api, one, name).body for name in run["files_list"]}
    packed = api.get(f"/v1/executions/{one}/files")
    assert packed.headers["content-type"] == "application/gzip" and f"{one}.tar.gz" in packed.headers["content-disposition"]
    with tarfile.open(fileobj=io.BytesIO(packed.body)) as archive:
        assert {each.name: archive.extractfile(each).read() for each in archive} == wanted
    for more in ({"query": {"format": "zip"}}, {"headers": {"Accept": "application/zip"}}):
        zipped = api.get(f"/v1/executions/{one}/files", **more)
        assert zipped.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(zipped.body)) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == wanted
    assert api.get(f"/v1/executions/{one}/files", query={"format": "rar"}).status == 400


def test_a_download_can_be_resumed(api):
    one = api.run(shell="head -c 300000 /dev/urandom > x", collect=["x"])["execution_id"]
    whole = content(api, one, "x")
    tag = whole.headers["etag"]
    rest = content(api, one, "x", headers={"Range": "bytes=100000-", "If-Range": tag})
    assert rest.status == 206 and rest.headers["content-range"] == "bytes 100000-299999/300000" and rest.body == whole.body[100_000:]
    assert content(api, one, "x", headers={"Range": "bytes=-5"}).body == whole.body[-5:]
    assert content(api, one, "x", headers={"Range": "bytes=0-0"}).body == whole.body[:1]
    assert content(api, one, "x", headers={"Range": "bytes=5-6", "If-Range": '"other"'}).status == 200
    assert content(api, one, "x", headers={"If-None-Match": tag}).status == 304
    beyond = content(api, one, "x", headers={"Range": "bytes=300000-"})
    assert beyond.status == 416 and beyond.headers["content-range"] == "bytes */300000"
    head = api.call("HEAD", path_of(one, "x"))
    assert head.status == 200 and head.headers["content-length"] == "300000" and head.body == b""


def test_a_signed_address_is_for_one_thing(api, server):
    run = api.run(shell="echo one > a; echo two > b", collect=["*"])
    one, url = run["execution_id"], run["files_url"]
    assert open_url(api, url)[0] == 200 and open_url(api, url, "HEAD")[0] == 200
    assert api.show(one)["files_url"].split("?")[0] == url.split("?")[0]
    mine, other = (each["url"] for each in items(api, one))
    assert open_url(api, mine)[2] == b"one\n" and open_url(api, other)[2] == b"two\n"
    signature = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(mine).query))
    stranger = server.tenant("artifact-signer")
    foreign = stranger.run(shell="echo x > a", collect=["*"])
    theirs = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(foreign["files_url"]).query))["tenant"]
    tampered = {
        "another file": mine.replace("/a?", "/b?"),
        "the archive": mine.replace("/artifacts/a?", "/files?"),
        "another execution": mine.replace(one, foreign["execution_id"]),
        "another tenant": mine.replace(signature["tenant"], theirs),
        "later": mine.replace(f"expires={signature['expires']}", f"expires={int(signature['expires']) + 1}"),
        "another key": mine.replace(f"key={signature['key']}", f"key={int(signature['key']) + 1}"),
        "another signature": mine[:-4] + ("AAAA" if mine[-4:] != "AAAA" else "BBBB"),
        "no expiry": re.sub(r"expires=\d+&", "", mine),
    }
    for name, address in tampered.items():
        status, _, body = open_url(api, address)
        assert status == 403 and b"address" in body, (name, status, body)
    assert open_url(api, mine, "DELETE")[0] in (400, 401) and content(api, one, "a").status == 200
    listing = mine.replace("/artifacts/a?", "/artifacts?")
    assert open_url(api, listing)[0] == 401
    assert signature["signature"] not in server.log_file.read_text()


def test_a_signed_address_expires(new_server):
    server = new_server("--set", "artifacts.url_lifetime_ms=1000", "--set", "http.public_url=https://files.example/prefix")
    run = server.api.run(shell="echo one > a", collect=["*"])
    assert run["files_url"].startswith(f"https://files.example/prefix/v1/executions/{run['execution_id']}/files?")
    address = server.api.url + urllib.parse.urlsplit(run["files_url"]).path.removeprefix("/prefix") + "?" + run["files_url"].split("?")[1]
    until(lambda: open_url(server.api, address)[0] == 403, what="its end")
    assert b"expired at" in open_url(server.api, address)[2]


def test_tenants_do_not_see_each_others_files(api, server):
    one = api.run(shell="echo secret > a", collect=["*"])["execution_id"]
    stranger = server.tenant("artifact-stranger")
    for method, path in (("GET", "artifacts"), ("GET", "artifacts/a"), ("DELETE", "artifacts/a"), ("GET", "files")):
        assert stranger.call(method, f"/v1/executions/{one}/{path}").status == 404
    assert content(api, one, "a").body == b"secret\n"


def test_bad_requests_are_named(api):
    answer = api.post("/v1/executions", {"shell": "true", "collect": ["ok", "/etc/*", "../x", "", "a\nb", 5]})
    assert answer.status == 400 and sorted(answer.fields()) == [f"collect[{i}]" for i in range(1, 6)]
    assert api.post("/v1/executions", {"shell": "true", "collect": "out"}).fields() == {"collect": "must be an array"}
    assert "100 patterns" in api.post("/v1/executions", {"shell": "true", "collect": ["x"] * 101}).fields()["collect"]
    one = api.run(shell="true", collect=["none"])
    assert one["artifacts"]["files"] == 0 and "files_url" not in one
    one = one["execution_id"]
    assert items(api, one) == [] and api.get(f"/v1/executions/{one}/files").status == 404
    for path in ("none", "../../x", "%2e%2e/x", "a/../b", "%00", "%ff"):
        assert api.get(f"/v1/executions/{one}/artifacts/{path}").status == 404, path
    assert api.get(f"/v1/executions/{one}/artifacts", query={"cursor": "nonsense"}).status == 400
    assert api.get(f"/v1/executions/{one}/artifacts", query={"limit": 201}).status == 400
    assert api.get("/v1/executions/exe_none/artifacts").status == 404
    for method, path in (("PUT", "artifacts"), ("DELETE", "artifacts"), ("POST", "files"), ("PUT", "artifacts/a")):
        wrong = api.call(method, f"/v1/executions/{one}/{path}")
        assert (wrong.status, "GET" in wrong.headers.get("allow", "")) == (405, True), (method, path, wrong.value)
    assert api.get("/v1/executions/a/b/files").status == 404


def test_before_the_end_there_is_nothing_to_give(api):
    one = api.start(shell="echo x > a; read y", stdin_open=True, collect=["*"])
    next(event for event in api.follow(one) if event["kind"] == "state" and event["status"] == "running")
    for path in ("artifacts", "artifacts/a", "files"):
        assert api.get(f"/v1/executions/{one}/{path}").status == 409
    api.stdin(one, eof=True)
    assert api.ended(one)["files_list"] == ["a"]


def test_files_go_one_by_one_and_with_their_execution(api):
    one = api.run(shell="echo 1 > a; echo 2 > b", collect=["*"])["execution_id"]
    assert api.delete(path_of(one, "a")).status == 204
    assert api.delete(path_of(one, "a")).status == 404 and content(api, one, "a").status == 404
    assert api.show(one)["files_list"] == ["b"]
    assert api.delete(f"/v1/executions/{one}").status == 204
    assert content(api, one, "b").status == 404


ENDS = {
    "failed": ({"shell": "echo half > a; exit 3"}, "failed"),
    "timeout": ({"shell": "echo half > a; sleep 60", "limits": {"wall_ms": 1_500}}, "timeout"),
    "killed": ({"shell": "echo half > a; kill -9 $$"}, "failed"),
    "memory": ({"shell": "echo half > a; tail /dev/zero", "limits": {"memory_bytes": 32 * MIB}}, "failed"),
    "full disk": ({"shell": "echo half > a; head -c 8M /dev/zero > big; rm big; exit 1", "limits": {"disk_bytes": 2 * MIB}}, "failed"),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_a_run_left_that_did_not_succeed_is_partial(api, name):
    request, status = ENDS[name]
    run = api.run(**request, collect=["a"])
    assert run["status"] == status and run["files_list"] == ["a"] and run["artifacts"]["partial"] is True
    assert items(api, run["execution_id"])[0]["partial"] is True and content(api, run["execution_id"], "a").body == b"half\n"


def test_cancelled_runs_leave_files_too(api):
    one = api.start(shell="echo half > a; echo on; sleep 60", collect=["a"])
    next(event for event in api.follow(one) if event["kind"] == "output")
    api.cancel(one)
    record = api.ended(one)
    assert record["status"] == "cancelled" and record["files_list"] == ["a"] and record["artifacts"]["partial"] is True


def test_only_files_are_taken(api):
    run = api.run(
        shell="""
ln -s /etc/passwd link; ln -s /proc/self/mem mem; ln -s /etc etc; mkdir dir; mkfifo fifo; ln good hard 2>/dev/null
python3 -c "import socket; socket.socket(1).bind('socket')"
echo yes > good; cp /bin/true tool; chmod 4755 tool; echo closed > closed; chmod 000 closed
printf x > "$(printf 'bad\\377')"; truncate -s 400M sparse
""",
        collect=["link", "mem", "etc/**", "dir", "fifo", "socket", "good", "tool", "closed", "bad*", "sparse"], limits={"file_bytes": 500 * MIB},
    )
    assert run["files_list"] == ["closed", "good", "tool"]
    reasons = {each["path"]: each["reason"] for each in run["artifacts"]["skipped"]}
    assert sorted(reasons) == ["bad\\xff", "dir", "etc", "fifo", "link", "mem", "socket", "sparse"] and run["artifacts"]["skipped_files"] == 8
    assert "symbolic link" in reasons["link"] and "socket" in reasons["socket"] and "larger than" in reasons["sparse"]
    listed = {each["path"]: each for each in items(api, run["execution_id"])}
    assert listed["tool"]["mode"] == "0755" and listed["closed"]["mode"] == "0000"
    assert content(api, run["execution_id"], "closed").body == b"closed\n"


def test_many_files_are_collected_in_bounded_time_and_paged(api):
    run = api.run(
        language="python", collect=["o/*"], limits={"inodes": 60_000, "wall_ms": 60_000, "cpus": 2},
        code="import os\nos.mkdir('o')\nfor i in range(30000): os.close(os.open('o/%06d' % i, os.O_CREAT | os.O_WRONLY))\n",
    )
    assert run["artifacts"]["files"] == 1_000 and run["artifacts"]["skipped_files"] == 29_000 and len(run["artifacts"]["skipped"]) == 100
    assert len(run["files_list"]) == 1_000
    assert [each["path"] for each in every_item(api, run["execution_id"])] == ["o/%06d" % i for i in range(1_000)]


def test_memory_stays_flat_with_large_files(api, server):
    before = resident_bytes(server.pid)
    run = api.run(shell="for i in 1 2 3 4; do head -c 5000000 /dev/urandom > big$i; done", collect=["big*"])
    assert run["artifacts"]["bytes"] == 20_000_000
    packed = api.get(f"/v1/executions/{run['execution_id']}/files")
    assert len(packed.body) > 20_000_000
    assert resident_bytes(server.pid) - before < 48 * MIB
    assert api.delete(f"/v1/executions/{run['execution_id']}").status == 204


def kill(server):
    server.process.kill()
    server.process.wait()
    server.process = None


def stored_contents(server):
    """Bytes in the content database's files: something is being collected."""
    return sum(path.stat().st_size for path in server.data.glob("content.db*"))


def test_a_server_that_is_killed_while_it_collects_does_it_again(new_server):
    server = new_server()
    server.api.run(command=["true"])
    before = Baseline(server)
    size = stored_contents(server)
    one = server.api.start(
        language="python", collect=["out/**"], limits={"cpus": 2},
        code="import os\nos.mkdir('out')\nfor i in range(400): open('out/%03d' % i, 'wb').write(os.urandom(100_000))\n",
    )
    until(lambda: stored_contents(server) > size + 4 * MIB, what="a part of the files")
    kill(server)
    server.start()
    record = server.api.ended(one)
    assert record["status"] == "success" and record["artifacts"]["files"] == 400 and record["artifacts"]["error"] is None
    listed = every_item(server.api, one)
    assert [each["path"] for each in listed] == ["out/%03d" % i for i in range(400)]
    got = content(server.api, one, "out/399")
    assert len(got.body) == 100_000 and hashlib.sha256(got.body).hexdigest() == listed[-1]["sha256"]
    before.compare()


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which takes root")
def test_a_disk_that_fills_up_meanwhile_ends_the_collecting_only(tmp_path, contract):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", tmp_path], check=True)
    server = Server(str(tmp_path), contract, None, (), {})
    try:
        server.start()
        run = server.api.run(shell="head -c 60000000 /dev/urandom > big; echo ok", collect=["big"])
        assert run["status"] == "success" and run["stdout"] == "ok\n"
        assert run["artifacts"]["files"] == 0 and "disk" in run["artifacts"]["error"]
        assert server.api.run(shell="echo well", collect=["none"])["stdout"] == "well\n"
    finally:
        server.stop()
        server.discard()
        subprocess.run(["umount", tmp_path], check=True)


def test_without_rights_files_are_collected_too(ordinary_server):
    run = ordinary_server.api.run(shell="mkdir out; echo mine > out/a; chmod 000 out/a", collect=["out/**"])
    assert run["files_list"] == ["out/a"]
    assert content(ordinary_server.api, run["execution_id"], "out/a").body == b"mine\n"

"""The registry: what is uploaded, what versions mean, what is removed, and what is unpacked of it."""

import hashlib
import io
import os
import tarfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.packages import ZIP, large, package, push, skill_md, upload, versions
from harness.waiting import until

MIB = 1 << 20


@pytest.fixture
def mine(server, request):
    """A tenant of the test's own; afterwards it has no skill."""
    name = request.node.name.replace("[", "-").replace("]", "")[:60]
    api = server.tenant(name)
    yield api
    for each in {row["name"] for row in api.get("/v1/skills").value}:
        assert api.delete(f"/v1/skills/{each}").status == 204


def made(version="1.0.0", text="print(1)\n", name="s", **more):
    return package(name, text, version=version, **more)


def in_tar(files, form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=form, encoding="utf-8") as archive:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def test_what_was_uploaded_is_shown_and_comes_back(mine):
    content = package("s", "print(1)\n", version="1.2.0", description="Says é", image="python:3.12-slim", timeout="90s", body="# How\nso",
                      resources={"cpu": "0.5", "memory": "64Mi"}, inputs={"type": "object"}, entrypoint="scripts/main.py")
    got = upload(mine, content)
    assert got.status == 201 and got["digest"] == hashlib.sha256(content).hexdigest() and got.headers["location"] == "/v1/skills/s/1.2.0"
    shown = mine.get("/v1/skills/s/1.2.0").value
    assert shown["timeout"] == "1m30s" and shown["resources"] == {"cpu": "0.5", "memory": "64Mi"} and shown["inputs"] == {"type": "object"}
    assert shown["instructions"] == "# How\nso" and shown["image"] == "python:3.12-slim" and shown["entrypoint"] == "scripts/main.py"
    assert (shown["size_bytes"], shown["files"], shown["format"], shown["disabled"]) == (len(content), 2, "zip", False)
    back = mine.get("/v1/skills/s/latest/package")
    assert back.body == content and back.headers["content-type"] == "application/zip" and back.headers["etag"] == f'"{got["digest"]}"'
    assert back.headers["content-disposition"] == 'attachment; filename="s-1.2.0.zip"'


def test_a_download_in_parts(mine):
    content = made()
    upload(mine, content)
    address = "/v1/skills/s/1.0.0/package"
    part = mine.get(address, headers={"Range": "bytes=10-19"})
    assert part.status == 206 and part.body == content[10:20] and part.headers["content-range"] == f"bytes 10-19/{len(content)}"
    assert mine.get(address, headers={"Range": f"bytes={len(content)}-"}).status == 416
    assert mine.get(address, headers={"If-None-Match": part.headers["etag"]}).status == 304
    head = mine.call("HEAD", address)
    assert head.status == 200 and head.headers["content-length"] == str(len(content)) and head.body == b""


def test_a_tar_is_a_package_too(mine):
    content = in_tar({"wrap/SKILL.md": skill_md("s", lang="bash"), "wrap/main.sh": "echo hi\n"})
    for kind in ("application/gzip", "application/x-gzip", "application/x-tar+gzip", "application/octet-stream"):
        got = upload(mine, content, **{"Content-Type": kind})
        assert got.status == 201 and got["format"] == "tar.gz", (kind, got.value)
    assert mine.get("/v1/skills/s/1.0.0/package").headers["content-type"] == "application/gzip"


@pytest.mark.parametrize("form", [None, tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT], ids=["zip", "pax", "gnu", "ustar"])
def test_a_name_keeps_its_bytes_and_two_of_one_text_are_refused(mine, form):
    decomposed, composed = "e\u0301.txt", "\u00e9.txt"
    program = ("import os; os.chdir('scripts')\n"
               "print([name for name in os.listdir(b'.') if name.endswith(b'.txt')], open(b'e\\xcc\\x81.txt').read())\n")

    def packed(files):
        return made(text=program, files=files) if form is None else in_tar({"SKILL.md": skill_md("s"), "scripts/main.py": program, **files}, form)

    assert upload(mine, packed({decomposed: "opened"})).status == 201
    assert mine.run(skill="s")["stdout"] == "[b'e\\xcc\\x81.txt'] opened\n"
    both = upload(mine, packed({composed: "1", decomposed: "2"}))
    assert both.status == 400
    assert both["message"] == f"invalid skill: two names differ only by case or Unicode form: {composed} and {decomposed}"


def test_forms(mine):
    def part(name, content):
        return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + content + b"\r\n"

    def send(body, kind="multipart/form-data; boundary=b"):
        return upload(mine, body, **{"Content-Type": kind})

    first, second = made("1.0.0"), made("2.0.0")
    assert send(part("a", b"x") + part("file", first) + part("file", second) + b"--b--\r\n")["version"] == "1.0.0", "the first one counts"
    assert send(part("file", second)).status == 400, "its end is missing"
    assert send(part("file", second) + b"--b--\r\n", "multipart/form-data").status == 400, "no boundary"
    assert send(b"rubbish").status == 400
    assert versions(mine) == [("s", "1.0.0")]


def test_another_upload_of_a_version_replaces_it_and_the_older_stays(mine):
    first, second = made(text="print(1)\n"), made(text="print(2)\n")
    old, new = upload(mine, first)["digest"], upload(mine, second)["digest"]
    assert mine.get("/v1/skills/s/1.0.0")["digest"] == new
    assert mine.get(f"/v1/skills/s/sha256:{old}/package").body == first
    rows = mine.get("/v1/skills/s/versions").value
    assert [(row["digest"], "replaced_at" in row) for row in rows] == [(old, True), (new, False)]
    assert upload(mine, second).status == 201 and len(mine.get("/v1/skills/s/versions").value) == 2
    assert mine.run(skill="s", version=f"sha256:{old}")["stdout"] == "1\n"
    assert mine.run(skill="s")["stdout"] == "2\n"


def test_latest_is_by_semver_and_passes_over_disabled_versions(mine):
    for version in ("1.0.0", "10.0.0", "9.0.0", "11.0.0-rc.1"):
        upload(mine, made(version))
    assert mine.get("/v1/skills/s/latest")["version"] == "10.0.0"
    assert mine.post("/v1/skills/s/10.0.0/disable")["disabled"] is True
    assert mine.get("/v1/skills/s/latest")["version"] == "9.0.0" and mine.get("/v1/skills/s/10.0.0").status == 200
    refused = mine.post("/v1/executions", {"skill": "s", "version": "10.0.0"})
    assert refused.status == 409 and "disabled" in refused["message"]
    assert mine.post("/v1/skills/s/10.0.0/enable")["disabled"] is False
    summary = mine.get("/v1/skills/s").value
    assert summary["latest"] == "10.0.0" and [row["version"] for row in summary["versions"]] == ["11.0.0-rc.1", "10.0.0", "9.0.0", "1.0.0"]
    assert mine.post("/v1/skills/s/latest/disable").status == 404


def test_lists_are_searched_and_come_page_by_page(mine):
    for name in ("beta", "alpha"):
        for version in ("1.0.0", "2.0.0"):
            upload(mine, made(version, name=name, description=f"Does {name.upper()} things"))
    want = [("alpha", "1.0.0"), ("alpha", "2.0.0"), ("beta", "1.0.0"), ("beta", "2.0.0")]
    assert versions(mine) == want
    assert [row["name"] for row in mine.get("/v1/skills", query={"q": "beta THINGS"}).value] == ["beta", "beta"]
    assert [row["version"] for row in mine.get("/v1/skills", query={"name": "alpha"}).value] == ["1.0.0", "2.0.0"]
    found, path = [], "/v1/skills?limit=3&q=things"
    while path:
        page = mine.get(path)
        found += [(row["name"], row["version"]) for row in page.value]
        link = page.headers.get("link")
        assert (link is None) == ("x-next-cursor" not in page.headers)
        path = link and link[1 : link.index(">")]
    assert found == want
    wrong = mine.get("/v1/skills?limit=1001&cursor=x&colour=red")
    assert wrong.status == 400 and set(wrong.fields()) == {"limit", "cursor", "colour"}


def test_validate_keeps_nothing(mine):
    good = mine.call("POST", "/v1/skills/validate", raw=made(), headers=ZIP)
    assert good.status == 200 and (good["valid"], good["skill_name"], good["skill_version"]) == (True, "s", "1.0.0")
    bad = mine.call("POST", "/v1/skills/validate", raw=b"rubbish", headers=ZIP)
    assert bad.status == 400 and bad["error"] == "invalid_skill"
    assert versions(mine) == []


def test_a_skill_may_be_called_as_a_route(mine):
    for name in ("validate", "versions", "latest"):
        push(mine, name, "print(1)\n")
        assert mine.get(f"/v1/skills/{name}", judged=False)["latest"] == "1.0.0"
        assert mine.get(f"/v1/skills/{name}/1.0.0").status == 200
    assert mine.call("DELETE", "/v1/skills/validate", judged=False).status == 204


def test_a_removed_version_is_gone_under_all_its_names(mine):
    old, new = upload(mine, made(text="print(1)\n"))["digest"], upload(mine, made(text="print(2)\n"))["digest"]
    upload(mine, made("2.0.0"))
    assert mine.delete("/v1/skills/s/1.0.0").status == 204
    for version in ("1.0.0", f"sha256:{old}", f"sha256:{new}"):
        assert mine.get(f"/v1/skills/s/{version}").status == 404
        assert mine.post("/v1/executions", {"skill": "s", "version": version}).status == 404
    assert mine.delete("/v1/skills/s").status == 204 and mine.delete("/v1/skills/s").status == 404
    assert mine.get("/v1/skills/s").status == 404 and mine.get("/v1/skills/s/versions").status == 404


def test_removing_leaves_what_runs_and_fails_what_waits(new_server):
    server = new_server("--set", "executions.max_running=1")
    api = server.api
    push(api, "slow", "import sys\nsys.stdin.readline()\nprint(open('/sandbox/scripts/SKILL.md').read()[:3])\n")
    running = api.start(skill="slow", stdin_open=True)
    until(lambda: api.show(running)["status"] == "running")
    waiting = api.start(skill="slow")
    assert api.delete("/v1/skills/slow/1.0.0").status == 204
    api.stdin(running, "\n", eof=True)
    assert api.ended(running)["stdout"] == "---\n"
    end = api.ended(waiting)
    assert end["status"] == "failed" and "was removed" in end["error"], end
    until(lambda: not list((server.data / "skills").glob("ten_*/*")), what="its tree is gone")


def test_a_key_that_may_only_read(server, mine):
    upload(mine, made())
    reader = mine.with_key(server.new_key("test_a_key_that_may_only_read", "--scope", "read"))
    assert reader.get("/v1/skills/s/1.0.0").status == 200
    for method, path in (("DELETE", "/v1/skills/s/1.0.0"), ("DELETE", "/v1/skills/s"), ("POST", "/v1/skills/s/1.0.0/disable")):
        assert reader.call(method, path).status == 403
    assert upload(reader, made("2.0.0")).status == 403 and versions(mine) == [("s", "1.0.0")]


def test_uploads_of_one_version_at_once(mine):
    contents = [made(text=f"print({i})\n") for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: upload(mine, one), contents))
    assert {answer.status for answer in answers} == {201}
    rows = mine.get("/v1/skills/s/versions").value
    assert len(rows) == 8 and sum("replaced_at" not in row for row in rows) == 1
    current = mine.get("/v1/skills/s/1.0.0")["digest"]
    assert current in {hashlib.sha256(one).hexdigest() for one in contents} and versions(mine) == [("s", "1.0.0")]
    assert mine.get("/v1/skills/s/1.0.0/package").body in contents


def test_bounds_are_429_with_their_numbers(new_server):
    server = new_server("--set", "skills.max_bytes_per_tenant=3000", "--set", "skills.max_versions_per_skill=2")
    content = made()
    assert upload(server.api, content).status == 201
    assert upload(server.api, made("2.0.0")).status == 201
    third = upload(server.api, made("3.0.0"))
    assert third.status == 429 and third["error"] == "quota_exceeded" and third.value["details"]["limit"] == "skills.max_versions_per_skill"
    beyond = upload(server.api, made("1.0.0", text="#" + os.urandom(2_000).hex() + "\n"))
    assert beyond.status == 429 and beyond.value["details"]["limit"] == "skills.max_bytes_per_tenant" and beyond.headers["retry-after"]
    assert upload(server.api, content).status == 201, "what is there already needs no room"


def test_what_a_sandbox_uses_stays_over_a_restart(new_server):
    """Though nothing is to be kept, and though it was removed from the registry."""
    server = new_server("--set", "skills.cache_bytes=0")
    push(server.api, "slow", "import sys\nsys.stdin.readline()\nprint(open('/sandbox/scripts/SKILL.md').read()[:3])\n")
    push(server.api, "other", "print(1)\n")
    one = server.api.start(skill="slow", stdin_open=True)
    until(lambda: server.api.show(one)["status"] == "running")
    server.restart()
    assert server.api.run(skill="other")["stdout"] == "1\n"
    assert server.api.delete("/v1/skills/slow").status == 204
    assert server.api.run(skill="other")["stdout"] == "1\n"
    server.api.stdin(one, "\n", eof=True)
    assert server.api.ended(one)["stdout"] == "---\n"
    assert server.api.run(skill="other")["stdout"] == "1\n"
    until(lambda: not list((server.data / "skills").glob("ten_*/*")), what="nothing is kept")


def test_an_ordinary_users_server_unpacks_and_removes(ordinary_server):
    api = ordinary_server.api
    push(api, "s", "print(1)\n")
    assert api.run(skill="s")["stdout"] == "1\n"
    trees = lambda: list((ordinary_server.data / "skills").glob("ten_*/*"))  # noqa: E731
    assert len(trees()) == 1 and api.delete("/v1/skills/s").status == 204
    until(lambda: not trees(), what="its tree is gone, though it is read-only")


def test_a_backup_holds_packages(new_server, tmp_path):
    server = new_server()
    digest = push(server.api, "s", "print(1)\n")["digest"]
    assert server.cli("backup", "--data", server.data, tmp_path / "one").returncode == 0
    assert server.api.delete("/v1/skills/s").status == 204
    server.stop()
    server.data.rename(server.folder / "old")
    restored = server.cli("restore", tmp_path / "one", "--data", server.data)
    assert restored.returncode == 0, restored.stderr
    server.start()
    assert server.api.get("/v1/skills/s/latest")["digest"] == digest and server.api.run(skill="s")["stdout"] == "1\n"


def test_unpacked_packages_are_bounded_and_come_back(new_server):
    server = new_server("--set", "skills.cache_bytes=3000000")
    for version in ("1.0.0", "2.0.0"):
        assert upload(server.api, large(2 * MIB, version)).status == 201
    trees = lambda: list((server.data / "skills").glob("ten_*/*"))  # noqa: E731
    for version in ("1.0.0", "2.0.0", "1.0.0"):
        assert server.api.run(skill="large", version=version)["stdout"] == "1\n"
        until(lambda: len(trees()) == 1)
    assert all(path.stat().st_mode & 0o222 == 0 for path in (trees()[0] / "tree").rglob("*"))
    server.restart()
    assert len(trees()) == 1 and server.api.run(skill="large", version="1.0.0")["stdout"] == "1\n"

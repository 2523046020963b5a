"""The registry half of the skill runner's REST contract, v0.1.0, row by row (docs/api.md "A client of the skill runner's contract"),
as a client of then sends it. The deviations are rows of their own."""

import http.client
import json
from dataclasses import dataclass, field

import pytest

from harness.packages import package, zipped

NAME = "contract-skill"
JSON, ZIP, RAW = "application/json; charset=utf-8", "application/zip", "application/octet-stream"
PROGRAM = "print('hi')\n"


def bundle(version="1.0.0", **more):
    return package(NAME, PROGRAM, version=version, description="Counts", **more)


def form(name="file", content=None, boundary="xx"):
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="skill.zip"\r\nContent-Type: {ZIP}\r\n\r\n'
    other = f'--{boundary}\r\nContent-Disposition: form-data; name="note"\r\n\r\nignored\r\n'
    return other.encode() + head.encode() + (bundle() if content is None else content) + f"\r\n--{boundary}--\r\n".encode()


def odd(front, **files):
    """SKILL.md with this front matter, and a program."""
    return zipped({"SKILL.md": f"---\n{front}---\nbody\n", "main.py": PROGRAM, **files})


FULL = f"name: {NAME}\nversion: 1.0.0\ndescription: d\nlang: python\n"


@dataclass
class Row:
    name: str
    method: str
    path: str
    status: int
    body: object = None  # of the answer: what it has at least
    send: object = None  # bytes, or what makes them
    kind: str = ""
    key: str = "good"  # of: good, none, bad, other tenant
    headers: dict = field(default_factory=dict)
    message: str = ""  # part of it
    begins: str = ""  # the contract's words, behind which may be what to do
    only: str = ""  # the whole of it


def error(slug):
    return {"error": slug}


MADE = {"name": NAME, "version": "1.0.0", "description": "Counts", "lang": "python"}

ROWS = [
    Row("health", "GET", "/health", 200, {"status": "ok"}, key="none"),
    Row("ready", "GET", "/ready", 200, {"status": "ready", "dependencies": {"database": {"ready": True}}}, key="none"),
    Row("upload_zip", "POST", "/v1/skills", 201, MADE, bundle, ZIP),
    Row("upload_octets", "POST", "/v1/skills", 201, MADE, bundle, RAW),
    Row("upload_form", "POST", "/v1/skills", 201, MADE, form, "multipart/form-data; boundary=xx"),
    Row("upload_of_another_type", "POST", "/v1/skills", 415, error("unsupported_media_type"), bundle, "text/plain"),
    Row("upload_without_type", "POST", "/v1/skills", 415, error("unsupported_media_type"), bundle, ""),
    Row("upload_too_large", "POST", "/v1/skills", 413, error("too_large"), lambda: b"x" * 2_000_000, ZIP),
    Row("upload_empty", "POST", "/v1/skills", 400, error("bad_request"), lambda: b"", ZIP, only="empty zip data"),
    Row("form_without_file", "POST", "/v1/skills", 400, error("bad_request"), lambda: form("data"), "multipart/form-data; boundary=xx",
        only="missing 'file' field"),
    Row("form_with_an_empty_file", "POST", "/v1/skills", 400, error("bad_request"), lambda: form(content=b""),
        "multipart/form-data; boundary=xx", only="empty zip data"),
    Row("upload_of_no_zip", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: b"rubbish", ZIP),
    Row("zip_without_skill_md", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: zipped({"main.py": PROGRAM}), ZIP,
        begins="invalid skill: SKILL.md not found in archive"),
    Row("traversal", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL, **{"../x": "y"}), ZIP,
        only="invalid skill: zip contains path traversal entry: ../x"),
    Row("no_front_matter", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: zipped({"SKILL.md": "# x\n", "main.py": PROGRAM}), ZIP,
        only="invalid skill: SKILL.md must begin with '---' frontmatter delimiter"),
    Row("all_mistakes_at_once", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd("version: 1\nlang: ruby\n"), ZIP,
        message='lang "ruby" is not supported (use python, node, or bash)'),
    Row("no_name", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL.replace(f"name: {NAME}\n", "")), ZIP,
        only="invalid skill: name is required"),
    Row("no_version", "POST", "/v1/skills/validate", 200, {"skill_version": "0.0.0"}, lambda: odd(FULL.replace("version: 1.0.0\n", "")), ZIP),
    Row("no_semver", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL.replace("1.0.0", "1.0")), ZIP,
        only='invalid skill: version "1.0" must be semver (MAJOR.MINOR.PATCH)'),
    Row("no_description", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL.replace("description: d\n", "")), ZIP,
        only="invalid skill: description is required"),
    Row("lang_by_the_program", "POST", "/v1/skills", 201, {"lang": "python"}, lambda: odd(FULL.replace("lang: python\n", "")), ZIP),
    Row("upload_replaces", "POST", "/v1/skills", 201, MADE, bundle, ZIP),
    Row("no_timeout", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "timeout: soon\n"), ZIP, only='invalid skill: parse timeout "soon": time: invalid duration "soon"'),
    Row("timeout_above_the_most", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "timeout: 20m\n"), ZIP,
        only='invalid skill: timeout "20m" must be between 100ms and 10m0s'),
    Row("timeout_of_zero", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "timeout: 0s\n"), ZIP,
        only='invalid skill: timeout "0s" must be between 100ms and 10m0s'),
    Row("timeout_below_zero", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "timeout: -5s\n"), ZIP,
        only='invalid skill: timeout "-5s" must be between 100ms and 10m0s'),
    Row("memory_at_upload", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "resources: {memory: 256Xi}\n"), ZIP,
        begins='invalid skill: resources.memory "256Xi" must be a whole number of bytes, or one with Ki, Mi or Gi'),
    Row("memory_above_the_most", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "resources: {memory: 17Gi}\n"), ZIP,
        begins='invalid skill: resources.memory "17Gi" must be between'),
    Row("cpu_at_upload", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "resources: {cpu: 500m}\n"), ZIP,
        begins='invalid skill: resources.cpu "500m" must be a decimal number'),
    Row("no_entry_point", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: zipped({"SKILL.md": f"---\n{FULL}---\n", "app.py": ""}), ZIP,
        begins="invalid skill: no recognized entrypoint found in archive (expected one of: main.py, run.py, main.js, main.sh"),
    Row("no_entry_point_of_the_language", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL.replace("python", "bash")), ZIP,
        only='invalid skill: entrypoint "main.py" does not fit lang "bash"'),
    Row("in_one_directory", "POST", "/v1/skills", 201, {"name": NAME},
        lambda: zipped({"a/SKILL.md": f"---\n{FULL}---\n", "a/main.py": PROGRAM}), ZIP),
    Row("dots_within_a_name", "POST", "/v1/skills", 201, {"name": NAME}, lambda: odd(FULL, **{"a..b.txt": "y"}), ZIP),
    Row("a_name_of_odd_characters", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL.replace(NAME, "../x")), ZIP,
        begins='invalid skill: name "../x" '),
    Row("an_archive_within", "POST", "/v1/skills/validate", 200, {"valid": True}, lambda: odd(FULL, **{"x.zip": "y"}), ZIP),
    Row("an_anchor_in_yaml", "POST", "/v1/skills", 400, error("invalid_skill"), lambda: odd(FULL + "mine: &a x\n"), ZIP,
        begins="invalid skill: parse frontmatter YAML: "),
    Row("a_key_that_is_not_known", "POST", "/v1/skills", 201, {"notes": ['"mine" is not a known field of SKILL.md and has no effect']},
        lambda: odd(FULL + "mine: x\n"), ZIP),
    Row("upload_with_an_encoding", "POST", "/v1/skills", 415, error("unsupported_media_type"), bundle, ZIP, headers={"Content-Encoding": "gzip"},
        begins="send the package as application/zip, "),
    Row("image_at_upload", "POST", "/v1/skills", 400, error("image_not_allowed"), lambda: odd(FULL + "image: evil:1\n"), ZIP,
        begins='image "evil:1" is not in the allowlist (allowed: python:3.12-slim, '),
    Row("image_of_another_language", "POST", "/v1/skills", 400, error("image_not_allowed"), lambda: odd(FULL + "image: bash:5\n"), ZIP,
        only='image "bash:5" stands for bash on this host (images.host), and the skill is written for python'),
    Row("upload_of_the_first_again", "POST", "/v1/skills", 201, MADE, bundle, ZIP),
    Row("list", "GET", "/v1/skills", 200, [MADE]),
    Row("get", "GET", f"/v1/skills/{NAME}/1.0.0", 200, {**MADE, "resources": {}, "instructions": "Do it."}),
    Row("get_latest", "GET", f"/v1/skills/{NAME}/latest", 200, MADE),
    Row("get_unknown_version", "GET", f"/v1/skills/{NAME}/9.0.0", 404, error("not_found"), only=f"skill not found: {NAME}@9.0.0"),
    Row("get_unknown_name", "GET", "/v1/skills/nothing/1.0.0", 404, error("not_found")),
    Row("get_odd_name", "GET", "/v1/skills/..%2F..%2Fother/1.0.0", 404, error("not_found")),
    Row("get_of_another_tenant", "GET", f"/v1/skills/{NAME}/1.0.0", 404, error("not_found"), key="other tenant"),
    Row("list_of_another_tenant", "GET", "/v1/skills", 200, [], key="other tenant"),
    Row("delete_unknown", "DELETE", f"/v1/skills/{NAME}/9.0.0", 404, error("not_found"), only=f"skill not found: {NAME}@9.0.0"),
    Row("delete_of_another_tenant", "DELETE", f"/v1/skills/{NAME}/1.0.0", 404, error("not_found"), key="other tenant"),
    Row("delete_latest_is_no_version", "DELETE", f"/v1/skills/{NAME}/latest", 404, error("not_found"),
        begins=f"skill not found: {NAME}@latest"),
    Row("no_key", "GET", "/v1/skills", 401, error("unauthorized"), key="none", begins="missing Authorization header"),
    Row("wrong_key", "GET", "/v1/skills", 401, error("unauthorized"), key="bad", begins="invalid or revoked API key"),
    Row("another_scheme", "GET", "/v1/skills", 401, error("unauthorized"), key="none", headers={"Authorization": "Basic eDp5"},
        begins="Authorization header must use Bearer scheme"),
    Row("empty_token", "GET", "/v1/skills", 401, error("unauthorized"), key="none", headers={"Authorization": "Bearer "},
        begins="empty bearer token"),
    Row("another_tenant_named", "GET", "/v1/skills", 403, error("forbidden"), headers={"X-Tenant-ID": "someone"},
        only="X-Tenant-ID header does not match the API key's tenant"),
    Row("own_tenant_named", "GET", "/v1/skills", 200, [MADE], headers={"X-Tenant-ID": "contract"}),
    Row("no_tenant_named", "GET", "/v1/skills", 200, [MADE], headers={"X-Tenant-ID": ""}),
    Row("scheme_in_any_case", "GET", "/v1/skills", 200, [MADE], headers={"scheme": "bEaReR"}),
    Row("unknown_route", "GET", "/v1/nothing", 404, error("not_found")),
    Row("wrong_method", "PUT", "/v1/skills", 405, error("method_not_allowed")),
    Row("delete", "DELETE", f"/v1/skills/{NAME}/1.0.0", 204),
    Row("list_of_none", "GET", "/v1/skills", 200, []),
    Row("delete_again", "DELETE", f"/v1/skills/{NAME}/1.0.0", 404, error("not_found")),
]


@pytest.fixture(scope="module")
def tenants(shared_server):
    return {"good": shared_server.tenant("contract").key, "other tenant": shared_server.tenant("contract-other").key, "bad": "x" * 40}


@pytest.fixture(scope="module")
def small(contract, tmp_path_factory):
    """A server whose packages are small, for the one row that meets the limit."""
    from harness.server import Server, new_folder

    with new_folder() as folder:
        server = Server(folder, contract, options=["--set", "skills.max_package_bytes=1000000"])
        try:
            server.start()
            yield server
            server.stop()
        finally:
            server.discard()


def send(address, row, keys):
    headers = {"X-Request-ID": "asked-by-the-client"}
    if row.key != "none":
        headers["Authorization"] = f"{row.headers.get('scheme', 'Bearer')} {keys[row.key]}"
    headers.update({name: value for name, value in row.headers.items() if name != "scheme"})
    if row.kind:
        headers["Content-Type"] = row.kind
    connection = http.client.HTTPConnection(*address, timeout=30)
    try:
        connection.request(row.method, row.path, body=row.send() if row.send else None, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def holds(part, whole):
    """Whether an answer has all that the contract's has; it may have more."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and holds(value, whole[name]) for name, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(holds, part, whole))
    return part == whole


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(shared_server, small, tenants, contract, row):
    keys = tenants
    server = shared_server
    if row.status == 413:
        server, keys = small, {"good": small.api.key}
    status, headers, body = send(server.api.address, row, keys)
    assert status == row.status, body
    assert headers["X-Request-Id"] == "asked-by-the-client"
    contract.check_answer(row.method, row.path, status, headers.get("Content-Type", ""), body)
    if row.body is not None:
        assert headers["Content-Type"] == JSON
        assert holds(row.body, json.loads(body)), body
    if row.status >= 400:
        said = json.loads(body)
        assert set(said) <= {"error", "message", "details", "request_id"} and row.message in said["message"], said
        assert said["message"].startswith(row.begins) and said["message"] == (row.only or said["message"]), said


def test_every_message_of_a_package_is_told(shared_server):
    row = next(row for row in ROWS if row.name == "all_mistakes_at_once")
    answer = shared_server.api.call("POST", "/v1/skills", raw=row.send(), headers={"Content-Type": ZIP})
    said = answer["message"]
    assert said.startswith("invalid skill: ") and said.count(";") >= 3, said
    for part in ("name is required", 'version "1" must be semver', "description is required", 'lang "ruby" is not supported'):
        assert part in said, said
    told = answer.value["details"]["fields"]
    assert len(told) >= 4 and {each["field"] for each in told} == {"package"} and all(each["message"] in said for each in told)

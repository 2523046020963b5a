"""The executions half of the skill runner's REST contract (docs/api.md "A client of the skill runner's contract"), row by row."""

import json
import tarfile
import urllib.request
import uuid

import pytest

from harness.old_client import JSON, RUN_RESULT, OldClient, Refused
from harness.packages import pushed, python
from harness.waiting import until

PROGRAMS = {
    "contract-echo": {"program": python("print('hello')\nanswer({'echo': given, 'env': os.environ.get('MINE')})")},
    "contract-silent": {"program": "pass"},
    "contract-fails": {"program": python("print('out')\nprint('err', file=sys.stderr)\nanswer({'part': 1})\nsys.exit(4)")},
    "contract-slow": {"program": "import time\nprint('on', flush=True)\ntime.sleep(60)", "timeout": "1s"},
    "contract-waits": {"program": python("print('on', flush=True)\nsys.stdin.read()\nanswer(1)")},
    "contract-files": {"program": python("open(os.environ['SANDBOX_FILES_DIR'] + 'a.txt', 'w').write('kept')\n")},
    "contract-bytes": {"program": "import os\nos.write(1, b'a\\0b\\xff\\n')"},
}


@pytest.fixture(scope="module")
def skills(shared_server):
    """The programs of this page, pushed once."""
    with pushed(shared_server.api, PROGRAMS):
        yield


@pytest.fixture
def old(api, skills):
    return OldClient(api)


# POST /v1/executions: RunResult


def test_post_a_success(old):
    got = old.run("contract-echo", version="1.0.0", input={"a": [1]}, env={"MINE": "x"})
    assert (got["status"], got["error"]) == ("success", None)
    assert got["output"] == {"echo": {"a": [1]}, "env": "x"}
    assert got["logs"] == "hello\n" and got["duration_ms"] >= 0


def test_post_without_version_means_latest(old):
    assert old.run("contract-echo")["status"] == "success"
    assert old.run("contract-echo", version="latest")["output"]["echo"] == {}


def test_post_a_run_that_says_nothing(old):
    got = old.run("contract-silent")
    assert got["status"] == "success" and (got["output"], got["logs"], got["files_list"], got["files_url"]) == (None, "", [], "")


def test_post_a_failed_run_is_200(old):
    got = old.run("contract-fails")
    assert (got["status"], got["error"], got["output"]) == ("failed", "container exited with code 4", {"part": 1})
    assert sorted(got["logs"].splitlines()) == ["err", "out"]


def test_post_a_timeout_is_200(old):
    got = old.run("contract-slow")
    assert (got["status"], got["error"], got["logs"]) == ("timeout", "execution timed out after 1s", "on\n")


def test_post_files(old):
    got = old.run("contract-files")
    assert got["files_list"] == ["a.txt"]
    for address in (got["files_url"], old.get(got["execution_id"])["files_url"]):
        with urllib.request.urlopen(address, timeout=30) as answer, tarfile.open(fileobj=answer, mode="r|gz") as files:
            assert [(each.name, files.extractfile(each).read()) for each in files] == [("a.txt", b"kept")]


NOTHING = "'skill' is required, or command, or shell, or language with code"
MISTAKES = {
    "cut": (b"{", "invalid JSON body: it ends too early at line 1, column 2"),
    "no_object": (b"[]", "invalid JSON body: it must be an object"),
    "empty": (b"", "invalid JSON body: it is empty at line 1, column 1"),
    "no_skill": (b"{}", NOTHING),
    "empty_skill": (b'{"skill": ""}', "'skill' is required"),
    "null_skill": (b'{"skill": null, "input": {}}', "'skill' is required"),
    "version_alone": (b'{"version": "1.0.0"}', "'skill' is required"),
    "input_alone": (b'{"input": {}}', "'skill' is required"),
    "no_text": (b'{"skill": 1}', "skill must be a string"),
    "unknown_field": (b'{"skill": "contract-echo", "inputs": {}}', "inputs is not a known field"),
    "refused_variable": (b'{"skill": "contract-echo", "env": {"PATH": "x"}}', 'env var "PATH" is not allowed'),
    "refused_prefix": (b'{"skill": "contract-echo", "env": {"Sandbox_x": "x"}}', 'env var "Sandbox_x" is not allowed'),
}


@pytest.mark.parametrize("body, message", MISTAKES.values(), ids=MISTAKES)
def test_post_a_mistake_is_400(old, body, message):
    status, kind, content = old.call("POST", "/v1/executions", body)
    said = json.loads(content)
    assert (status, kind, said["error"], said["message"]) == (400, JSON, "bad_request", message), content


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "application/x-www-form-urlencoded", "application/json; charset=utf-8"])
def test_post_whatever_the_content_type(old, kind):
    status, _, content = old.call("POST", "/v1/executions", b' {"skill": "contract-nobody"}', **{"Content-Type": kind})
    assert (status, json.loads(content)["message"]) == (404, "skill not found: contract-nobody@latest")


@pytest.mark.parametrize("body, more", [(b"skill=contract-echo", {"Content-Type": "text/plain"}), (b"{}", {"Content-Encoding": "gzip"})])
def test_post_another_content_is_415(old, body, more):
    status, _, content = old.call("POST", "/v1/executions", body, **more)
    assert (status, json.loads(content)["error"]) == (415, "unsupported_media_type")


def test_post_null_is_absent(old):
    got = old.json("POST", "/v1/executions", {"skill": "contract-echo", "version": None, "env": None, "input": None})
    assert (got["status"], got["output"]) == ("success", {"echo": None, "env": None})


def test_post_an_unknown_skill_is_404(old):
    with pytest.raises(Refused) as refused:
        old.run("contract-nobody")
    assert (refused.value.status, refused.value.slug) == (404, "not_found")
    assert refused.value.message == "skill not found: contract-nobody@latest"


def test_post_an_unknown_version_is_404(old):
    with pytest.raises(Refused) as refused:
        old.run("contract-echo", version="9.9.9")
    assert (refused.value.status, refused.value.message) == (404, "skill not found: contract-echo@9.9.9")


@pytest.mark.parametrize("name", ["../other/x", "a/b", "a\nb", "x" * 128, "%2e%2e"])
def test_post_a_strange_name_is_404(old, name):
    with pytest.raises(Refused) as refused:
        old.run(name)
    assert (refused.value.status, refused.value.slug) == (404, "not_found")


def test_post_without_a_key_is_401(old):
    status, _, content = OldClient(old).call("POST", "/v1/executions", b'{"skill": "contract-echo"}', Authorization="Bearer nobody")
    said = json.loads(content)
    assert (status, said["error"], said["message"].split(";")[0]) == (401, "unauthorized", "invalid or revoked API key")


def test_post_with_another_tenant_is_403(api, skills):
    with pytest.raises(Refused) as refused:
        OldClient(api, tenant="someone-else").run("contract-echo")
    assert (refused.value.status, refused.value.slug) == (403, "forbidden")
    assert refused.value.message == "X-Tenant-ID header does not match the API key's tenant"


# GET /v1/executions/{id}: Execution


def test_get_is_what_post_said(old):
    ran = old.run("contract-echo", input={"a": 1})
    got = old.get(ran["execution_id"])
    assert {name: got[name] for name in RUN_RESULT - {"files_url"}} == {name: ran[name] for name in RUN_RESULT - {"files_url"}}
    assert (got["skill_name"], got["skill_version"], got["input"]) == ("contract-echo", "1.0.0", {"a": 1})
    assert got["tenant_id"] and got["created_at"] < got["finished_at"]


@pytest.mark.parametrize("name", ["contract-silent", "contract-fails", "contract-bytes"])
def test_get_a_run_without_output_or_input(old, name):
    ran = old.run(name)
    got = old.get(ran["execution_id"])
    assert (got["status"], got["error"], got["logs"], got["input"]) == (ran["status"], ran["error"], ran["logs"], None)


def test_get_polls_a_running_one(old, api):
    one = api.start(skill="contract-waits", stdin_open=True)
    got = until(lambda: (lambda seen: seen if seen["logs"] == "on\n" else None)(old.get(one)))
    assert got["status"] == "running" and "finished_at" not in got and got["error"] is None
    api.stdin(one, eof=True)
    assert until(lambda: old.get(one)["status"] == "success")
    assert old.get(one)["output"] == 1


@pytest.mark.parametrize("path", ["", "/logs"])
@pytest.mark.parametrize("id", [str(uuid.UUID(int=0)), "nonsense", "exe_00000000000000000000000000", "a%2fb"])
def test_get_an_unknown_id_is_404(old, id, path):
    status, kind, content = old.call("GET", f"/v1/executions/{id}{path}")
    said = json.loads(content)
    assert (status, kind, said["error"], said["message"]) == (404, JSON, "not_found", "execution not found")


def test_get_another_tenants_is_404(old, server):
    ran = old.run("contract-silent")
    other = OldClient(server.tenant("contract-other"))
    for path in ("", "/logs"):
        status, _, content = other.call("GET", f"/v1/executions/{ran['execution_id']}{path}")
        said = json.loads(content)
        assert (status, said["error"], said["message"]) == (404, "not_found", "execution not found")


# GET /v1/executions/{id}/logs


def test_logs_are_text(old):
    assert old.logs(old.run("contract-echo")["execution_id"]) == b"hello\n"
    assert old.logs(old.run("contract-silent")["execution_id"]) == b""


def test_logs_keep_every_byte(old):
    ran = old.run("contract-bytes")
    assert ran["logs"] == "a\0b�\n"
    assert old.logs(ran["execution_id"]) == b"a\0b\xff\n"


def test_logs_of_a_running_one(old, api):
    one = api.start(skill="contract-waits", stdin_open=True)
    until(lambda: old.logs(one) == b"on\n")
    api.stdin(one, eof=True)
    api.ended(one)

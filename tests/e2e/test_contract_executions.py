"""The executions half of the skill runner's REST contract (docs/api.md "Skills as v0.1.0 ran them"), row by row, by a client that knows
nothing but that contract."""

import http.client
import json
import threading
import uuid

import pytest

from harness.packages import answers, push, python, remove
from harness.waiting import until

RUN_RESULT = {"execution_id", "status", "output", "files_url", "files_list", "logs", "duration_ms", "error"}
EXECUTION = {"execution_id", "skill_name", "skill_version", "tenant_id", "status", "input", "output", "logs", "files_url", "files_list",
             "duration_ms", "error", "created_at", "finished_at"}


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.slug, self.message = status, body["error"], body["message"]


class OldClient:
    """Run, GetExecution and GetExecutionLogs, as a client of v0.1.0 has them: it reads the fields that it knows, with their defaults."""

    def __init__(self, api, tenant=None):
        self.address, self.key, self.tenant = api.address, api.key, tenant

    def call(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            send = {"Authorization": f"Bearer {self.key}", **headers}
            if self.tenant:
                send["X-Tenant-ID"] = self.tenant
            if body is not None:
                send["Content-Type"] = "application/json"
            connection.request(method, path, body=body, headers=send)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type") or "", answer.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, kind, content = self.call(method, path, None if body is None else json.dumps(body).encode())
        assert kind.startswith("application/json"), kind
        value = json.loads(content)
        if status != 200:
            raise Refused(status, value)
        return value

    def run(self, skill, version=None, input=None, env=None):
        body = {"skill": skill}
        for name, value in (("version", version), ("input", input), ("env", env)):
            if value is not None:
                body[name] = value
        got = self.json("POST", "/v1/executions", body)
        assert isinstance(got["execution_id"], str) and isinstance(got["duration_ms"], int)
        assert got["status"] in ("success", "failed", "timeout") and (got["error"] is None or isinstance(got["error"], str))
        return {"output": None, "files_url": "", "files_list": [], "logs": "", **{k: v for k, v in got.items() if k in RUN_RESULT}}

    def get(self, execution):
        got = self.json("GET", f"/v1/executions/{execution}")
        return {"input": None, "output": None, "logs": "", "files_url": "", "files_list": [],
                **{k: v for k, v in got.items() if k in EXECUTION}}

    def logs(self, execution):
        status, kind, content = self.call("GET", f"/v1/executions/{execution}/logs")
        if status != 200:
            raise Refused(status, json.loads(content))
        assert kind == "text/plain; charset=utf-8"
        return content


@pytest.fixture(scope="module")
def skills(shared_server):
    """The programs of this page, pushed once."""
    api = shared_server.api
    programs = {
        "contract-echo": {"program": python("print('hello')\nanswer({'echo': given, 'env': os.environ.get('MINE')})")},
        "contract-silent": {"program": "pass"},
        "contract-fails": {"program": python("print('out')\nprint('err', file=sys.stderr)\nanswer({'part': 1})\nsys.exit(4)")},
        "contract-slow": {"program": "import time\nprint('on', flush=True)\ntime.sleep(60)", "timeout": "1s"},
        "contract-waits": {"program": python("print('on', flush=True)\nsys.stdin.read()\nanswer(1)")},
        "contract-files": {"program": python("open(os.environ['SANDBOX_FILES_DIR'] + 'a.txt', 'w').write('kept')\n")},
        "contract-bytes": {"program": "import os\nos.write(1, b'a\\0b\\xff\\n')"},
    }
    for name, one in programs.items():
        push(api, name, **one)
    yield programs
    for name in programs:
        remove(api, name)


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
    assert got["files_list"] == ["a.txt"] and got["files_url"].startswith("http")


@pytest.mark.parametrize("body, slug", [
    (b"{", "bad_request"), (b"[]", "bad_request"), (b"", "bad_request"), (b"{}", "bad_request"), (b'{"skill": ""}', "bad_request"),
    (b'{"skill": 1}', "bad_request"), (b'{"input": {}}', "bad_request"), (b'{"skill": "contract-echo", "inputs": {}}', "bad_request"),
    (b'{"skill": "contract-echo", "env": {"PATH": "x"}}', "bad_request")],
    ids=["cut", "no_object", "empty", "no_skill", "empty_skill", "no_text", "input_alone", "unknown_field", "refused_variable"])
def test_post_a_mistake_is_400(old, body, slug):
    status, kind, content = old.call("POST", "/v1/executions", body)
    assert (status, json.loads(content)["error"]) == (400, slug), content


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
    assert (status, json.loads(content)["error"]) == (401, "unauthorized")


def test_post_with_another_tenant_is_403(api, skills):
    with pytest.raises(Refused) as refused:
        OldClient(api, tenant="someone-else").run("contract-echo")
    assert (refused.value.status, refused.value.slug) == (403, "forbidden")


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
    status, _, content = old.call("GET", f"/v1/executions/{id}{path}")
    assert (status, json.loads(content)["error"]) == (404, "not_found")


def test_get_another_tenants_is_404(old, server):
    ran = old.run("contract-silent")
    other = OldClient(server.tenant("contract-other"))
    for path in ("", "/logs"):
        status, _, content = other.call("GET", f"/v1/executions/{ran['execution_id']}{path}")
        assert (status, json.loads(content)["error"]) == (404, "not_found")


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


# What v0.1.0 did otherwise: docs/api.md names each


def test_a_client_that_leaves_does_not_kill(old, api):
    """v0.1.0 recorded a timeout."""
    labels = {"contract": "left"}
    connection = http.client.HTTPConnection(*api.address)
    body = json.dumps({"skill": "contract-waits", "stdin_open": True, "labels": labels})
    connection.request("POST", "/v1/executions", body=body, headers={**api.credentials(), "Content-Type": "application/json"})
    found = lambda: api.get("/v1/executions", query={"label": "contract=left", "status": "running"}).value["items"]    # noqa: E731
    one = until(found)[0]["execution_id"]
    until(lambda: old.get(one)["logs"] == "on\n")
    connection.close()
    assert old.get(one)["status"] == "running"
    api.stdin(one, eof=True)
    assert api.ended(one)["status"] == "success"


def test_unknown_routes_and_methods_answer_as_json(old):
    """v0.1.0 said 404 as text to both."""
    status, kind, content = old.call("PUT", "/v1/executions", b"{}")
    assert (status, json.loads(content)["error"]) == (405, "method_not_allowed")
    status, kind, content = old.call("GET", "/v1/nothing")
    assert (status, json.loads(content)["error"]) == (404, "not_found")


def test_ids_are_no_uuids(old):
    assert old.run("contract-silent")["execution_id"].startswith("exe_")


def test_many_at_once(old):
    """More than the places that there are: none is refused, each gets its own answer."""
    got = [None] * 12

    def one(n):
        got[n] = old.run("contract-echo", input=n)["output"]["echo"]

    threads = [threading.Thread(target=one, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == list(range(12))

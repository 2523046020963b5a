"""docs/openapi.yaml as linters and generators of clients read it: nothing is found or left out, and what is generated compiles."""

import hashlib
import json
import os
import re
import subprocess

import pytest

from harness.contract import FILE

ROOT = FILE.parents[1]
SETTINGS = ROOT / "tests" / "contract"
TOOLS = ROOT / "build" / "contract"
NODE = TOOLS / "node_modules" / ".bin"
PYTHON = TOOLS / "python" / "bin" / "python"

EVERYWHERE = {"400", "405", "408", "414", "431", "500", "503"}    # what a server that speaks HTTP may answer to any request


def wanted():
    return hashlib.sha256(b"".join((SETTINGS / name).read_bytes() for name in ("package-lock.json", "requirements.txt"))).hexdigest()


def installed():
    mark = TOOLS / "installed"
    return mark.exists() and mark.read_text().strip() == wanted()


needs_tools = pytest.mark.skipif(not installed(), reason="tools/setup could not fetch linters and generators from npm and PyPI")


def run(*command, cwd=ROOT):
    environment = os.environ | {
        "NO_COLOR": "1",
        "PATH": f"{PYTHON.parent}:{os.environ['PATH']}",    # for ruff
        "PYTHONDONTWRITEBYTECODE": "1",
        "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        "REDOCLY_TELEMETRY": "off",
    }
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=120, cwd=cwd, env=environment)


def redocly(document):
    """What it finds: problems by severity."""
    done = run(NODE / "redocly", "lint", "--config", SETTINGS / "redocly.yaml", "--format", "json", document)
    told = json.loads(done.stdout[done.stdout.index("{"):])
    return told["totals"], [f"{each['ruleId']}: {each['message']}" for each in told["problems"] if not each.get("ignored")]


def spectral(document):
    done = run(NODE / "spectral", "lint", "-r", SETTINGS / "spectral.yaml", "-f", "json", "--quiet", document)
    return [f"{each['code']}: {each['message']} at {'/'.join(map(str, each['path']))}" for each in json.loads(done.stdout)]


def poor_contract(folder):
    """One with an operation of which nothing is said."""
    path = folder / "poor.yaml"
    path.write_text("openapi: 3.1.0\ninfo: {title: Poor, version: '1'}\npaths: {/poor: {get: {responses: {'200': {description: It is there}}}}}\n")
    return path


def operations(contract):
    for _, path, item in contract.routes:
        for method in sorted(item.keys() & {"get", "put", "post", "delete"}):
            yield f"{method.upper()} {path}", item[method]


def examples(node, pointer=""):
    """(pointer of the schema, example) of each media type that shows one."""
    if isinstance(node, list):
        for place, each in enumerate(node):
            yield from examples(each, f"{pointer}/{place}")
    if not isinstance(node, dict):
        return
    if "schema" in node:
        for shown in [node["example"]] if "example" in node else [each["value"] for each in node.get("examples", {}).values()]:
            yield f"#{pointer}/schema", shown
        return
    for name, each in node.items():
        yield from examples(each, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}")


def test_examples_are_valid_by_their_schemas(contract):
    shown = list(examples({part: contract.document[part] for part in ("paths", "components")}))
    assert len(shown) > 30
    for pointer, value in shown:
        contract.check(value, pointer, f"example of {pointer}")


def test_every_operation_names_what_it_is(contract):
    tags = {each["name"] for each in contract.document["tags"] if each.get("description")}
    ids = [operation["operationId"] for _, operation in operations(contract)]
    assert len(ids) == len(set(ids))
    for name, operation in operations(contract):
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"]), name
        assert operation["summary"] and operation["description"] and set(operation["tags"]) <= tags, name


def test_every_operation_declares_what_any_request_may_be_answered(contract):
    for name, operation in operations(contract):
        assert EVERYWHERE - operation["responses"].keys() == set(), name


def test_no_request_schema_has_a_default(contract):
    """Generated clients would send it, and TypeScript would ask for it."""
    def search(node, where):
        if isinstance(node, dict):
            assert "properties" in where[-1:] or "default" not in node, "/".join(where)
            for name, each in node.items():
                search(each, where + [name])
        elif isinstance(node, list):
            for each in node:
                search(each, where)
    search(contract.document["components"]["schemas"], ["schemas"])


@needs_tools
def test_redocly_finds_nothing(tmp_path):
    totals, problems = redocly(FILE)
    assert problems == [] and totals["errors"] == totals["warnings"] == 0
    assert redocly(poor_contract(tmp_path))[1] != []


@needs_tools
def test_spectral_finds_nothing(tmp_path):
    assert spectral(FILE) == []
    assert spectral(poor_contract(tmp_path)) != []


PACKAGE = "caisson_client"

# Prints the names of all modules with functions for an operation. Importing a module is what finds names that it forgot.
IMPORT_ALL = f"""
import importlib, json, pkgutil
import {PACKAGE}
names = [each.name for each in pkgutil.walk_packages({PACKAGE}.__path__, "{PACKAGE}.")]
modules = [importlib.import_module(name) for name in names]
print(json.dumps([each.__name__.rsplit(".", 1)[1] for each in modules if hasattr(each, "sync_detailed") and hasattr(each, "asyncio_detailed")]))
"""

# As a user writes it: few members, and nothing else may be in what is sent.
USE_PYTHON = """
import io
import json

import httpx

from caisson_client import AuthenticatedClient
from caisson_client.api.executions import create_batch, create_execution
from caisson_client.api.skills import upload_skill
from caisson_client.api.threads import put_thread, save_checkpoint
from caisson_client.models import BatchRequest, CheckpointRequest, Error, Execution, ExecutionFields, Limits, RetryPolicy, ThreadSettings
from caisson_client.types import File

sent: list[bytes] = []


def answer(request: httpx.Request) -> httpx.Response:
    sent.append(request.content)
    return httpx.Response(404, json={"error": "not_found", "message": "no", "request_id": "r"})


client = AuthenticatedClient(base_url="http://caisson", token="t", httpx_args={"transport": httpx.MockTransport(answer)})
program = ExecutionFields(language="python", code="print(1)", limits=Limits(wall_ms=1000), retry=RetryPolicy(attempts=3))
told: Error | Execution | None = create_execution.sync(client=client, body=program)
assert isinstance(told, Error) and told.error == "not_found"
create_batch.sync(client=client, body=BatchRequest(executions=[ExecutionFields(shell="true")]))
save_checkpoint.sync("t", client=client, body=CheckpointRequest(state={"a": 1}))
put_thread.sync("t", client=client, body=ThreadSettings(max_checkpoints=5))
upload_skill.sync(client=client, body=File(payload=io.BytesIO(b"PK")))
assert [json.loads(each) for each in sent[:4]] == [
    {"language": "python", "code": "print(1)", "limits": {"wall_ms": 1000}, "retry": {"attempts": 3}},
    {"executions": [{"shell": "true"}]}, {"state": {"a": 1}}, {"max_checkpoints": 5}], sent
assert sent[4] == b"PK"
"""


@pytest.fixture(scope="module")
def python_client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("python")
    done = run(PYTHON, "-m", "openapi_python_client", "generate", "--path", FILE, "--config", ROOT / "docs" / "openapi-python-client.yaml",
               "--meta", "none", "--output-path", folder / PACKAGE, "--fail-on-warning")
    assert done.returncode == 0 and "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    return folder


@needs_tools
def test_a_python_client_has_a_function_for_every_operation(python_client, contract):
    compiled = run(PYTHON, "-m", "compileall", "-q", PACKAGE, cwd=python_client)
    assert compiled.returncode == 0, compiled.stdout
    imported = run(PYTHON, "-c", IMPORT_ALL, cwd=python_client)
    assert imported.returncode == 0, imported.stderr
    assert sorted(json.loads(imported.stdout)) == sorted(operation["operationId"] for _, operation in operations(contract))


@needs_tools
def test_a_python_client_sends_what_it_is_given(python_client):
    (python_client / "use.py").write_text(USE_PYTHON)
    done = run(PYTHON, "use.py", cwd=python_client)
    assert done.returncode == 0, done.stderr
    checked = run(PYTHON, "-m", "mypy", "--strict", "--follow-imports", "silent", "--cache-dir", python_client / "cache", "use.py", cwd=python_client)
    assert checked.returncode == 0, checked.stdout


USE_TYPESCRIPT = """
import type { components, operations, paths } from "./caisson.d.ts";

type Body<T> = T extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;

export const runs: Body<operations["create_execution"]>[] = [
    { command: ["ls", "-l"] },
    { shell: "sort data | uniq -c", files: { data: { base64: "YgphCmEK" } }, limits: { wall_ms: 5000 } },
    { language: "python", code: "print(1)", retry: { attempts: 3 }, compile: { wall_ms: 1000 }, pty: { cols: 100 }, env: null },
    { skill: "word-counter", input: { text: "one two" }, checkpoint: { thread: "agent-1" } },
];
export const batch: Body<operations["create_batch"]> = { executions: [{ shell: "true" }, { command: ["true"] }] };
export const signal: Body<operations["signal_execution"]> = { signal: "SIGINT" };
export const stdin: Body<operations["write_execution_stdin"]> = { data: "yes" };
export const pull: Body<paths["/v1/images/pull"]["post"]> = { image: "python:3.12-slim" };
export const settings: Body<operations["put_thread"]> = { max_checkpoints: 5 };
export const save: Body<operations["save_checkpoint"]> = { state: { plan: [1, 2] } };
export const branch: Body<operations["branch_thread"]> = { thread: "agent-2" };
export const back: Body<operations["rollback_thread"]> = { checkpoint_id: "ckp_1", mode: "append" };
export const form: operations["upload_skill"]["requestBody"]["content"]["multipart/form-data"] = { file: "" };
export const skills: operations["list_skills"]["parameters"]["query"] = { q: "word" };
export const frames: components["schemas"]["ClientFrame"][] = [
    { type: "run", ref: "a", shell: "true" },
    { type: "stdin", data: "x" },
    { type: "signal", signal: 2 },
];
export function outcome(of: components["schemas"]["Execution"]): string {
    return of.verdict ?? of.status;
}
"""

# Each is refused by the compiler.
NO_TYPESCRIPT = {
    "unknown_member": "export const run: components['schemas']['ExecutionRequest'] = { comand: ['ls'] };",
    "wrong_type": "export const run: components['schemas']['ExecutionRequest'] = { limits: { wall_ms: 'long' } };",
    "missing_member": "export const run: components['schemas']['ExecutionRequest'] = { webhook: { url: 'https://a' } };",
}


def compile_typescript(folder, text):
    (folder / "use.ts").write_text(text)
    return run(NODE / "tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "use.ts", "caisson.d.ts", cwd=folder)


@pytest.fixture(scope="module")
def typescript(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typescript")
    done = run(NODE / "openapi-typescript", FILE, "-o", folder / "caisson.d.ts")
    assert done.returncode == 0 and "warn" not in (done.stdout + done.stderr).lower(), done.stdout + done.stderr
    return folder


@needs_tools
def test_typescript_takes_requests_with_few_members(typescript):
    done = compile_typescript(typescript, USE_TYPESCRIPT)
    assert done.returncode == 0, done.stdout


@needs_tools
@pytest.mark.parametrize("line", NO_TYPESCRIPT.values(), ids=NO_TYPESCRIPT.keys())
def test_typescript_refuses_what_is_not_in_the_contract(typescript, line):
    done = compile_typescript(typescript, f'import type {{ components }} from "./caisson.d.ts";\n{line}\n')
    assert done.returncode != 0 and "use.ts" in done.stdout and "caisson.d.ts" not in done.stdout, done.stdout

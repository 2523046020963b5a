"""What v0.1.0 of the skill runner did otherwise, and this server does on purpose: docs/api.md names each (test_contract_table.py)."""

import http.client
import json
import threading

import pytest

from harness.old_client import OldClient
from harness.packages import ZIP, pushed, python, remove, skill_md, zipped
from harness.waiting import until

PLACE = """\
import subprocess
def can_write(path):
    try:
        open(path, 'w').close()
    except OSError:
        return False
    return True
open('/tmp/program', 'w').write('#!/bin/sh\\nexit 5\\n')
os.chmod('/tmp/program', 0o700)
answer({'uid': os.getuid(), 'scripts': can_write('/sandbox/scripts/x'), 'tmp': subprocess.run('/tmp/program').returncode,
        'tmp_bytes': os.statvfs('/tmp').f_blocks * os.statvfs('/tmp').f_frsize, 'cwd': os.getcwd(), 'home': os.environ['HOME'],
        'caps': [line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')]})
"""

PROGRAMS = {
    "differs-echo": {"program": python("print('hello')\nanswer({'echo': given, 'env': os.environ.get('MINE')})")},
    "differs-silent": {"program": "pass"},
    "differs-waits": {"program": python("print('on', flush=True)\nsys.stdin.read()\nanswer(1)")},
    "differs-nul": {"program": python("answer('a\\0b')")},
    "differs-no-json": {"program": python("open(os.environ['SANDBOX_OUTPUT'], 'w').write('{')\nsys.exit(given)")},
    "differs-late": {"program": python("answer(1)\nopen('/sandbox/out/files/a.txt', 'w')\nimport time\ntime.sleep(60)"), "timeout": "1s"},
    "differs-bash": {"program": "echo bash", "lang": "bash", "entry": "main.sh", "files": {"main.py": "print('python')"}},
    "differs-place": {"program": python(PLACE), "files": {"requirements.txt": "no-such-package-anywhere==9\n"}},
}


@pytest.fixture(scope="module")
def skills(shared_server):
    """The programs of this page, pushed once."""
    with pushed(shared_server.api, PROGRAMS):
        yield


@pytest.fixture
def old(api, skills):
    return OldClient(api)


def test_a_client_that_leaves_does_not_kill(old, api):
    """v0.1.0 recorded a timeout."""
    labels = {"contract": "left"}
    connection = http.client.HTTPConnection(*api.address)
    body = json.dumps({"skill": "differs-waits", "stdin_open": True, "labels": labels})
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


def test_ids_are_no_uuids(old, api):
    assert api.get("/health").headers["x-request-id"].startswith("req_")
    assert old.run("differs-silent")["execution_id"].startswith("exe_")


def test_many_at_once(old):
    """More than the places that there are: none is refused, each gets its own answer."""
    got = [None] * 12

    def one(n):
        got[n] = old.run("differs-echo", input=n)["output"]["echo"]

    threads = [threading.Thread(target=one, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == list(range(12))


def test_nul_in_output_is_kept(old):
    """v0.1.0 could not store it, and the row stayed `running`."""
    ran = old.run("differs-nul")
    for told in (ran, old.get(ran["execution_id"])):
        assert (told["status"], told["output"]) == ("success", "a\0b")


@pytest.mark.parametrize("code, error", [
    (0, "output.json is not valid JSON: it ends too early at line 1, column 2"),
    (3, "container exited with code 3; output.json is not valid JSON: it ends too early at line 1, column 2")])
def test_output_that_is_no_json_fails_the_run(old, code, error):
    """v0.1.0 dropped it without a word."""
    got = old.run("differs-no-json", input=code)
    assert (got["status"], got["error"], got["output"]) == ("failed", error, None)


def test_what_a_timed_out_run_left_is_kept(old):
    """v0.1.0 took nothing of it."""
    got = old.run("differs-late")
    assert (got["status"], got["error"], got["output"], got["files_list"]) == ("timeout", "execution timed out after 1s", 1, ["a.txt"])


def test_a_package_in_one_directory_runs(old, api):
    """v0.1.0 took it and could not run it."""
    files = {"around/SKILL.md": skill_md("differs-wrapped"), "around/main.py": "print('in')"}
    assert api.call("POST", "/v1/skills", raw=zipped(files), headers=ZIP).status == 201
    assert old.run("differs-wrapped")["logs"] == "in\n"
    remove(api, "differs-wrapped")


def test_the_language_chooses_the_entry_point(old):
    """v0.1.0 ran main.py by bash."""
    assert old.run("differs-bash")["logs"] == "bash\n"


def test_the_place_where_it_runs(old, runtime):
    """v0.1.0: user 65534, scripts that can be written, /tmp of 64 MiB without programs, and pip for requirements.txt."""
    got = old.run("differs-place")
    assert (got["status"], got["error"]) == ("success", None)
    place = got["output"]
    assert (place["cwd"], place["home"], place["scripts"], place["tmp"], place["tmp_bytes"]) == ("/sandbox", "/tmp", False, 5, 256 << 20)
    assert place["uid"] not in (0, 65534) and int(place["caps"][0], 16) == 0


def test_a_tenant_has_a_name_and_an_id(api, old):
    """v0.1.0 had the name only; either may be sent."""
    told = old.get(old.run("differs-silent")["execution_id"])["tenant_id"]
    assert told.startswith("ten_")
    for tenant in (told, "default", ""):
        assert api.get("/v1/skills", headers={"X-Tenant-ID": tenant}).status == 200

"""Skills as they run: what their programs see, what becomes of what they write, and what is refused before anything runs."""

import json
import socket

import pytest

from harness.packages import answers, push, python, remove
from harness.waiting import until


@pytest.fixture
def skill(api, request):
    """Pushes a skill of a name that only this test has, and removes it afterwards; returns its name."""
    pushed = []

    def make(program, version="1.0.0", name=None, **more):
        name = name or request.node.name.replace("[", "-").replace("]", "").replace("_", "-")[:100]
        push(api, name, program, version=version, **more)
        pushed.append((name, version))
        return name

    yield make
    for name, version in pushed:
        api.delete(f"/v1/skills/{name}/{version}")


def fields(answer):
    return {each["field"]: each["message"] for each in answer.value["details"]["fields"]}


# What a program sees


def test_a_program_sees_the_contract(api, skill):
    name = skill(python("""
import stat
def kind(path):
    mode = os.lstat(path).st_mode
    return stat.filemode(mode)[0] + oct(mode & 0o777)[2:]
answer({
    "argv": sys.argv, "cwd": os.getcwd(), "home": os.environ["HOME"], "given": given, "uid": os.getuid(),
    "file": json.load(open("/sandbox/input.json")), "instructions": os.environ["SKILL_INSTRUCTIONS"],
    "env": {k: v for k, v in os.environ.items() if k.startswith(("SANDBOX_", "MY_", "THEIR_")) and k != "SANDBOX_INPUT"},
    "package": sorted(os.path.join(d, f) for d, _, fs in os.walk("/sandbox/scripts") for f in fs),
    "kinds": {p: kind(p) for p in ("/sandbox/input.json", "/sandbox/out", "/sandbox/out/files", "/sandbox/scripts")},
})
"""), body="  Count all words.\n", files={"references/a.txt": "x"}, env={"THEIR_OWN": "s", "MY_OWN": "s"})
    one = api.run(skill=name, input={"a": [1, "ä"]}, args=["x y"], env={"MY_OWN": "r"})
    assert one["status"] == "success" and one["error"] is None, one
    seen = one["output"]
    assert seen["argv"] == ["/sandbox/scripts/scripts/main.py", "x y"]
    assert (seen["cwd"], seen["home"], seen["instructions"]) == ("/sandbox", "/tmp", "Count all words.")
    assert seen["given"] == seen["file"] == {"a": [1, "ä"]}
    assert seen["uid"] != 0
    assert seen["env"] == {"SANDBOX_OUTPUT": "/sandbox/out/output.json", "SANDBOX_FILES_DIR": "/sandbox/out/files/",
                           "MY_OWN": "r", "THEIR_OWN": "s"}
    assert seen["package"] == ["/sandbox/scripts/SKILL.md", "/sandbox/scripts/references/a.txt", "/sandbox/scripts/scripts/main.py"]
    assert seen["kinds"]["/sandbox/input.json"] == "-644"
    assert (seen["kinds"]["/sandbox/out"], seen["kinds"]["/sandbox/out/files"]) == ("d755", "d755")


def test_the_package_cannot_be_changed_and_its_place_on_the_host_is_unknown(api, skill, server):
    name = skill(python("""
def attempt(what):
    try:
        what()
        return "done"
    except OSError as e:
        return e.errno
answer({
    "write": attempt(lambda: open("/sandbox/scripts/scripts/main.py", "a")),
    "new": attempt(lambda: open("/sandbox/scripts/new", "w")),
    "remove": attempt(lambda: os.remove("/sandbox/scripts/SKILL.md")),
    "mode": attempt(lambda: os.chmod("/sandbox/scripts/SKILL.md", 0o777)),
    "away": attempt(lambda: os.rename("/sandbox/scripts", "/sandbox/elsewhere")),
    "mounts": open("/proc/self/mountinfo").read() + open("/proc/1/cmdline").read(),
})
"""))
    seen = api.run(skill=name)["output"]
    mounts = seen.pop("mounts")
    assert seen == {"write": 30, "new": 30, "remove": 30, "mode": 30, "away": 16}    # EROFS, EBUSY
    assert str(server.data) not in mounts and "skills" not in mounts and "/tmp/tree" not in mounts, mounts
    assert " /sandbox/scripts ro,nosuid,nodev" in mounts, mounts


@pytest.mark.parametrize("given, seen", [
    ({}, {}), ({"input": None}, None), ({"input": []}, []), ({"input": "x"}, "x"), ({"input": {"n": 1.5}}, {"n": 1.5})],
    ids=["absent", "null", "list", "text", "object"])
def test_input(api, skill, given, seen):
    name = skill(python("answer([given, json.load(open('/sandbox/input.json'))])"))
    one = api.run(skill=name, **given)
    assert one["output"] == [seen, seen]
    assert one.get("input", "absent") == given.get("input", "absent")


def test_input_is_passed_on_as_it_was_written(api, skill):
    name = skill("import os\nprint(os.environ['SANDBOX_INPUT'], end='')")
    text = '{"big": 123456789012345678901234567890, "small": 1.10,  "nul": "\\u0000"}'
    answer = api.call("POST", "/v1/executions", raw=('{"skill": "%s", "input": %s}' % (name, text)).encode())
    assert answer.value["stdout"] == text
    assert text.encode() in answer.body


def test_stdin_files_and_a_directory_of_its_own(api, skill):
    name = skill("import os, sys\nprint(os.getcwd(), sys.stdin.read(), open('a.csv').read())")
    one = api.run(skill=name, stdin="in", files={"data/a.csv": "1,2"}, cwd="/sandbox/data")
    assert one["stdout"] == "/sandbox/data in 1,2\n", one


def test_bash_and_node_and_a_command(api, skill):
    bash = skill("echo \"$PWD $0 $1\"; cat \"$SANDBOX_OUTPUT\" 2>/dev/null; printf '{\"from\": \"bash\"}' > \"$SANDBOX_OUTPUT\"",
                 name="runs-bash", lang="bash")
    one = api.run(skill=bash, args=["x"])
    assert (one["stdout"], one["output"]) == ("/sandbox /sandbox/scripts/scripts/main.sh x\n", {"from": "bash"})
    assert (one["image"], one["interpreter"].rsplit("/", 1)[1]) == ("bash:5", "bash")
    node = skill("require('fs').writeFileSync(process.env.SANDBOX_OUTPUT, JSON.stringify({from: 'node'}))", name="runs-node", lang="node")
    assert api.run(skill=node)["output"] == {"from": "node"}
    own = skill("unused", name="runs-command", lang="bash", command=["./bin/run", "first"],
                files={"bin/run": "#!/bin/bash\necho \"$PWD $0 $*\"\n"})
    one = api.run(skill=own, args=["second"])
    assert one["stdout"] == "/sandbox/scripts /sandbox/scripts/bin/run first second\n", one
    assert fields(api.post("/v1/executions", {"skill": own, "cwd": "/tmp"})) == {
        "cwd": "cannot be chosen: this skill's command is run in its package"}


def test_output_is_live(api, skill):
    name = skill("import time\nprint('first')\ntime.sleep(600)")    # nothing flushes
    one = api.start(skill=name)
    until(lambda: api.show(one)["logs"] == "first\n")
    assert api.cancel(one).status == 202
    assert api.ended(one)["status"] == "cancelled"


# What becomes of what they write


def test_the_record_says_what_ran(api, skill):
    name = skill(answers({"n": 1}), version="1.2.0")
    one = api.run(skill=name, input={"a": 1})
    again = api.show(one["execution_id"])
    for record in (one, again):
        assert (record["kind"], record["skill_name"], record["skill_version"]) == ("skill", name, "1.2.0")
        assert (record["input"], record["output"], record["image"]) == ({"a": 1}, {"n": 1}, "python:3.12-slim")
        assert record["interpreter"].startswith("/usr/") and len(record["skill_digest"]) == 64
    listed = api.get("/v1/executions", query={"skill": name}).value["items"]
    assert [each["execution_id"] for each in listed] == [one["execution_id"]]
    assert "input" not in listed[0] and "output" not in listed[0]
    assert api.get("/v1/executions", query={"skill": name, "kind": "code"}).value["items"] == []
    kinds = {each["kind"] for each in api.get("/v1/executions", query={"kind": "skill"}).value["items"]}
    assert kinds == {"skill"}


def test_the_latest_an_old_version_and_a_digest(api, skill):
    name = skill(answers("old"), version="1.9.0")
    skill(answers("new"), version="1.10.0", name=name)
    skill(answers("next"), version="2.0.0-rc.1", name=name)
    assert api.run(skill=name)["output"] == api.run(skill=name, version="latest")["output"] == "new"
    old = api.run(skill=name, version="1.9.0")
    assert old["output"] == "old"
    skill(answers("newer"), version="1.9.0", name=name)
    assert api.run(skill=name, version="1.9.0")["output"] == "newer"
    assert api.run(skill=name, version="sha256:" + old["skill_digest"])["output"] == "old"


def test_a_failed_run_keeps_its_output(api, skill):
    one = api.run(skill=skill(python("answer({'part': 1})\nprint('oh')\nsys.exit(3)")))
    assert (one["status"], one["verdict"], one["exit_code"]) == ("failed", "exited", 3)
    assert (one["error"], one["output"], one["logs"]) == ("container exited with code 3", {"part": 1}, "oh\n")


def test_a_timeout_keeps_its_output(api, skill):
    one = api.run(skill=skill(python("answer({'part': 1})\nimport time\ntime.sleep(600)"), timeout="1s"))
    assert (one["status"], one["verdict"], one["error"], one["output"]) == (
        "timeout", "wall_limit", "execution timed out after 1s", {"part": 1})


@pytest.mark.parametrize("text, told", [
    ("", "is not valid JSON: it is empty at line 1, column 1"), ("{\n 'a': 1}", "is not valid JSON: syntax error at line 2, column 2"),
    ("{} {}", "is not valid JSON: something follows its end at line 1, column 4"), ("NaN", "is not valid JSON: syntax error at line 1, column 1"),
    ("[" * 2000 + "]" * 2000, "is not valid JSON: it is nested more than 256 levels at line 1, column 257"),
    ('"' + "x" * 1_100_000 + '"', "could not be taken: larger than 1048576 bytes")],
    ids=["empty", "malformed", "two", "nan", "deep", "large"])
def test_output_that_is_none_is_a_failure_that_says_so(api, skill, text, told):
    name = skill(f"import os\nopen(os.environ['SANDBOX_OUTPUT'], 'w').write({text!r})" if len(text) < 9_000 else
                 "import os\nopen(os.environ['SANDBOX_OUTPUT'], 'w').write('\"' + 'x' * 1_100_000 + '\"')")
    one = api.run(skill=name)
    assert (one["status"], one["verdict"], one["exit_code"], one["error"]) == ("failed", "exited", 0, "output.json " + told)
    assert "output" not in one


@pytest.mark.parametrize("code", ["os.mkdir('/sandbox/out/output.json')", "os.symlink('/etc/passwd', '/sandbox/out/output.json')",
                                  "os.mkfifo('/sandbox/out/output.json')"], ids=["directory", "link", "fifo"])
def test_output_that_is_no_file_is_a_failure(api, skill, code):
    one = api.run(skill=skill("import os\n" + code))
    assert one["status"] == "failed" and one["error"].startswith("output.json could not be taken: "), one
    assert "output" not in one and "root:" not in json.dumps(one)


def test_what_others_cannot_keep_is_kept(api, skill):
    name = skill(python("sys.stdout.buffer.write(b'a\\x00b\\xff\\n')\nanswer({'nul': 'a\\u0000b'})"))
    one = api.run(skill=name)
    assert (one["status"], one["logs"], one["output"]) == ("success", "a\0b�\n", {"nul": "a\0b"})
    again = api.show(one["execution_id"])
    assert (again["status"], again["logs"], again["output"]) == (one["status"], one["logs"], one["output"])


def test_outputs_are_checked_by_their_schema(api, skill):
    name = skill(python("if given is not None: answer(given)"), outputs={"type": "object", "required": ["total"],
                                                                           "properties": {"total": {"type": "integer"}}})
    assert api.run(skill=name, input={"total": 3})["status"] == "success"
    wrong = api.run(skill=name, input={"total": "three"})
    assert wrong["status"] == "failed" and "outputs schema: /total must be " in wrong["error"], wrong["error"]
    missing = api.run(skill=name, input=None)
    assert missing["error"] == "output.json was not written, and the skill has an outputs schema"


# What is refused before anything runs


def test_inputs_are_checked_by_their_schema(api, skill):
    name = skill(python("answer(given)"), inputs={"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})
    assert api.run(skill=name, input={"text": "a"})["output"] == {"text": "a"}
    for wrong in ({"input": {"text": 1}}, {"input": []}, {}):
        answer = api.post("/v1/executions", {"skill": name, **wrong})
        assert (answer.status, answer["error"]) == (400, "bad_request"), answer.value
    assert list(fields(api.post("/v1/executions", {"skill": name, "input": {"text": 1}}))) == ["input/text"]
    assert fields(api.post("/v1/executions", {"skill": name, "input": None})) == {"input": 'must be "object", is null'}
    assert len(api.get("/v1/executions", query={"skill": name}).value["items"]) == 1


def test_a_schema_that_costs_too_much_holds_up_nobody(api, skill):
    """The check is given up, and meanwhile the server answers others."""
    costly = {"allOf": [{"items": {"pattern": "[ab]*a[ab]{200}$"}} for _ in range(20)]}
    name = skill(python("answer(['a' * 10_000] * 100)"), outputs=costly)
    one = api.run(skill=name)
    assert one["status"] == "failed" and one["error"].startswith("output.json cannot be checked: the schema is too costly: "), one["error"]
    refused = api.post("/v1/executions", {"skill": skill(answers(1), name=name + "-in", inputs=costly), "input": ["a" * 10_000] * 100})
    assert refused.status == 400 and "the schema is too costly: " in refused["message"], refused.value


@pytest.mark.parametrize("name", ["PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "NODE_PATH", "NODE_OPTIONS",
                                  "SANDBOX_OUTPUT", "sandbox_x", "Skill_X"])
def test_variables_that_are_not_allowed(api, skill, name):
    answer = api.post("/v1/executions", {"skill": skill(answers(1)), "env": {name: "x"}})
    assert (answer.status, answer["error"], answer["message"]) == (400, "bad_request", f'env var "{name}" is not allowed')


def test_a_disabled_skill_is_a_conflict(api, skill):
    name = skill(answers(1))
    assert api.post(f"/v1/skills/{name}/1.0.0/disable").status == 200
    refused = api.post("/v1/executions", {"skill": name, "version": "1.0.0"})
    assert (refused.status, refused["error"]) == (409, "conflict")
    assert name in refused["message"] and "is disabled" in refused["message"]


def test_another_tenants_skill_is_not_there(api, skill, server):
    name = skill(answers(1))
    other = server.tenant("other-of-skills").post("/v1/executions", {"skill": name})
    assert (other.status, other["message"]) == (404, f"skill not found: {name}@latest")


def test_limits_of_skill_and_request(api, skill):
    name = skill(answers(1), timeout="90s", resources={"memory": "64Mi", "cpu": "0.25"})
    limits = api.run(skill=name)["limits"]
    assert (limits["wall_ms"], limits["memory_bytes"], limits["cpus"], limits["cpu_ms"]) == (90_000, 64 << 20, 0.25, 22_500)
    limits = api.run(skill=name, limits={"wall_ms": 5_000, "memory_bytes": 128 << 20})["limits"]
    assert (limits["wall_ms"], limits["memory_bytes"], limits["cpus"]) == (5_000, 128 << 20, 0.25)
    plain = api.run(skill=skill(answers(1), name=name + "-plain"))["limits"]
    assert (plain["wall_ms"], plain["memory_bytes"], plain["cpus"]) == (120_000, 256 << 20, 0.5)
    answer = api.post("/v1/executions", {"skill": name, "limits": {"wall_ms": 600_001}})
    assert fields(answer) == {"limits.wall_ms": "must be a whole number between 100 and 600000"}


def test_images(new_server):
    server = new_server("--set", "images.allowed=python:3.12-slim,node:20-slim,ghost:1", "--set", "tenants.strict.images=",
                        "--set", "tenants.shell.images=bash:5", "--set", "images.host=python:3.12-slim=python3,bash:5=bash")
    api = server.api

    def refused(client, name):
        answer = client.post("/v1/executions", {"skill": name})
        assert (answer.status, answer["error"]) == (400, "image_not_allowed"), answer.value
        return answer["message"]

    push(api, "plain", answers(1))
    assert api.run(skill="plain")["status"] == "success"
    push(api, "in-node", "1", lang="node")
    assert "add it to images.host" in refused(api, "in-node")
    push(api, "in-ghost", "1", image="ghost:1")
    assert refused(api, "in-ghost").startswith('image "ghost:1" has no program on this host')
    shell = server.tenant("shell")
    push(shell, "in-bash", "echo hi", lang="bash")
    assert shell.run(skill="in-bash")["stdout"] == "hi\n"
    assert server.api.get("/v1/executions", query={"skill": "in-node"}).value["items"] == []


def test_the_process_runtime_has_it_at_its_real_place(new_server):
    server = new_server("--set", "runtimes.process.i_know_this_runs_code_without_isolation=true")
    push(server.api, "placed", python("answer([os.getcwd(), sys.argv[0], os.environ['SANDBOX_OUTPUT'], given])"))
    one = server.api.run(skill="placed", runtime="process", input=[1])
    assert one["status"] == "success", one
    work, program, output, given = one["output"]
    assert work.startswith(str(server.data)) and given == [1]
    assert (program, output) == (work + "/scripts/scripts/main.py", work + "/out/output.json")


# Ways of asking


def test_over_a_websocket(api, skill):
    name = skill(python("""
print('working')
open(os.environ["SANDBOX_FILES_DIR"] + "a.txt", "w").write("12")
open(os.environ["SANDBOX_OUTPUT"], "w").write(json.dumps(given, indent=1))
"""))
    socket_ = api.websocket("/v1/connect")
    socket_.send_json({"type": "run", "ref": "a", "skill": name, "input": {"x": 1}})
    kinds = []
    while not kinds or kinds[-1] != "exit":
        frame = json.loads(socket_.receive())
        api.contract.check_frame(frame)
        kinds.append(frame["kind"])
    assert frame["status"] == "success" and "output" in kinds
    assert (frame["output"], frame["files_list"]) == ({"x": 1}, ["a.txt"]), "nobody needs a second connection"
    assert frame["artifacts"] == {"files": 1, "bytes": 2, "partial": False, "skipped_files": 0, "error": None}
    for sse in (True, False):
        end = api.log(frame["execution_id"], sse=sse)[-1]
        assert (end["output"], end["files_list"]) == ({"x": 1}, ["a.txt"]), "its line ends end no line of a stream"
    assert api.show(frame["execution_id"])["output"] == {"x": 1}
    socket_.send_json({"type": "run", "ref": "b", "skill": "nobody-has-this"})
    frame = json.loads(socket_.receive())
    assert (frame["kind"], frame["error"], frame["ref"]) == ("error", "not_found", "b")
    socket_.close()


def test_a_key_answers_again_when_the_skill_is_gone(api, skill):
    name = skill(answers(1))
    key = {"Idempotency-Key": f"key-of-{name}"}
    first = api.create(headers=key, skill=name)
    remove(api, name)
    again = api.post("/v1/executions", {"skill": name}, headers=key)
    assert (again.status, again["execution_id"], again["output"]) == (200, first["execution_id"], 1)
    assert api.post("/v1/executions", {"skill": name, "input": 1}, headers=key).status == 422
    assert api.post("/v1/executions", {"skill": name}).status == 404


def test_a_client_that_leaves_does_not_end_the_run(api, skill):
    name = skill("import time\nprint('on')\ntime.sleep(1)\nprint('done')")
    body = json.dumps({"skill": name, "labels": {"who": "left"}}).encode()
    with socket.create_connection(api.address) as connection:
        head = f"POST /v1/executions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(head.encode() + f"Authorization: Bearer {api.key}\r\n\r\n".encode() + body)
        listed = lambda: api.get("/v1/executions", query={"skill": name, "status": "running"}).value["items"]    # noqa: E731
        one = until(listed)[0]["execution_id"]
    record = api.ended(one)
    assert (record["status"], record["logs"]) == ("success", "on\ndone\n")

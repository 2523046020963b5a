"""Skills of the Agent Skills format (agentskills.io/specification): no version, often no program. They are taken as they are, read, and their scripts run."""

import io
import tarfile
import zipfile

import pytest

ZIP = {"Content-Type": "application/zip"}


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name.endswith(".sh") else 0o100644) << 16
            archive.writestr(entry, text)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def front(name, more=""):
    return f"---\nname: {name}\ndescription: Fills forms. Use it when somebody has a form.\n{more}---\n\n# Forms\n\nRun `scripts/fill.py FORM`.\n"


FILL = """import json, os, sys
form = open(sys.argv[1]).read()
print(os.getcwd(), form.upper())
given = json.load(open("/sandbox/input.json"))
json.dump({"given": given}, open(os.environ["SANDBOX_OUTPUT"], "w"))
open(os.environ["SANDBOX_FILES_DIR"] + "filled.txt", "w").write(form * 2)
print(open("references/FORMS.md").read(), end="")
"""

MORE = """license: Apache-2.0. LICENSE.txt has the terms
compatibility: Needs python3
metadata:
  author: somebody
  version: "1.0"
allowed-tools: Bash(python3:*) Read
"""


def forms(name, more=MORE):
    return {
        "SKILL.md": front(name, more),
        "LICENSE.txt": "terms\n",
        "scripts/fill.py": FILL,
        "scripts/tool.sh": "#!/bin/sh\necho tool \"$@\"\n",
        "references/FORMS.md": "all forms\n",
        "assets/template (blank).tar.gz": tarred({"a": "b"}),
        "assets/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    }


@pytest.fixture
def upload(api):
    made = []

    def put(files, pack=zipped, headers=ZIP, want=201):
        answer = api.post("/v1/skills", raw=pack(files), headers=headers)
        assert answer.status == want, (answer.status, answer.value)
        if want == 201:
            made.append(answer["name"])
        return answer.value

    yield put
    for name in set(made):
        api.delete(f"/v1/skills/{name}")


@pytest.mark.parametrize("pack, headers", [(zipped, ZIP), (tarred, {"Content-Type": "application/gzip"})])
def test_a_skill_without_version_and_program_is_taken(api, upload, pack, headers):
    made = upload({f"agent-forms/{path}": text for path, text in forms("agent-forms").items()}, pack, headers)
    assert (made["name"], made["version"], made["mode"], made["lang"]) == ("agent-forms", "0.0.0", "cognitive", "")
    assert len(made["notes"]) == 1 and "cognitive" in made["notes"][0], made["notes"]
    shown = api.get("/v1/skills/agent-forms/latest")
    assert shown["mode"] == "cognitive" and shown["instructions"].startswith("# Forms") and shown["digest"] == made["digest"]
    valid = api.post("/v1/skills/validate", raw=pack(forms("agent-forms")), headers=headers)
    assert (valid.status, valid["skill_version"], valid["mode"]) == (200, "0.0.0", "cognitive")


FORMS = {
    "only_text": ({"SKILL.md": front("agent-text")}, "cognitive"),
    "crlf": ({"SKILL.md": front("agent-crlf").replace("\n", "\r\n")}, "cognitive"),
    "byte_order_mark": ({"SKILL.md": "\ufeff" + front("agent-bom")}, "cognitive"),
    "folded_description": ({"SKILL.md": "---\nname: agent-folded\ndescription: >-\n  Does this\n  and that.\n---\n"}, "cognitive"),
    "unknown_fields": ({"SKILL.md": front("agent-fields", "disable-model-invocation: true\nhooks:\n  a: [b, c]\n")}, "cognitive"),
    "list_of_tools": ({"SKILL.md": front("agent-tools", "allowed-tools:\n  - Read\n  - Bash\n")}, "cognitive"),
    "with_a_program": ({"SKILL.md": front("agent-program"), "scripts/main.py": "print(1)"}, "executable"),
    "many_folders": ({"SKILL.md": front("agent-folders"), "a/b/c/d/schema.xsd": "<x/>", "themes/Dark Blue.css": "a{}", ".gitignore": "x\n"}, "cognitive"),
    "said_cognitive": ({"SKILL.md": front("agent-said", "mode: cognitive\nversion: 1.2.3\n")}, "cognitive"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_packages(upload, form):
    files, mode = FORMS[form]
    assert upload(files)["mode"] == mode


def test_the_newest_upload_without_a_version_is_the_skill(api, upload):
    first = upload(forms("agent-newest"))
    second = upload({**forms("agent-newest"), "scripts/fill.py": "print('newer')\n"})
    assert (first["version"], second["version"]) == ("0.0.0", "0.0.0") and first["digest"] != second["digest"]
    run = api.run(skill="agent-newest", command=["python3", "scripts/fill.py"])
    assert (run["stdout"], run["skill_digest"]) == ("newer\n", second["digest"])
    old = api.run(skill="agent-newest", version=f"sha256:{first['digest']}", command=["cat", "references/FORMS.md"])
    assert (old["stdout"], old["skill_digest"]) == ("all forms\n", first["digest"])


def test_its_files_are_read(api, upload):
    made = upload(forms("agent-read"))
    listed = api.get("/v1/skills/agent-read/0.0.0/files")
    assert listed["digest"] == made["digest"] and [each["path"] for each in listed["items"]] == sorted(forms("agent-read"))
    by_path = {each["path"]: each for each in listed["items"]}
    assert by_path["scripts/fill.py"] == {"path": "scripts/fill.py", "size_bytes": len(FILL), "media_type": by_path["scripts/fill.py"]["media_type"], "mode": "0644"}
    assert by_path["scripts/tool.sh"]["mode"] == "0755"
    for path, text in forms("agent-read").items():
        answer = api.get(f"/v1/skills/agent-read/latest/files/{path.replace(' ', '%20')}")
        assert answer.status == 200 and answer.body == (text.encode() if isinstance(text, str) else text), path
    svg = api.get("/v1/skills/agent-read/latest/files/assets/logo.svg")
    assert svg.headers["content-disposition"].startswith("attachment") and "sandbox" in svg.headers["content-security-policy"], "it is no page of the server's"
    part = api.get("/v1/skills/agent-read/latest/files/LICENSE.txt", headers={"Range": "bytes=1-3"})
    assert (part.status, part.body) == (206, b"erm")
    assert api.get("/v1/skills/agent-read/latest/files/LICENSE.txt", headers={"Range": "bytes=99-"}).status == 416
    assert api.get("/v1/skills/agent-read/latest/files/LICENSE.txt", headers={"If-None-Match": svg.headers["etag"]}).status == 200
    assert api.get("/v1/skills/agent-read/latest/files/assets/logo.svg", headers={"If-None-Match": svg.headers["etag"]}).status == 304


@pytest.mark.parametrize("path", ["none.txt", "scripts", "scripts/", "../SKILL.md", "..%2FSKILL.md", "scripts/..%2f..%2fsize", "%2Fetc%2Fpasswd", "scripts//fill.py",
                                  "./SKILL.md", "SKILL.md%00", "SKILL.md/x", "x" * 300])
def test_what_is_no_file_of_it_is_404(api, upload, path):
    upload(forms("agent-none"))
    assert api.get(f"/v1/skills/agent-none/latest/files/{path}", judged="%00" not in path).status == 404


def test_files_of_another_tenant_are_not_there(upload, server):
    upload(forms("agent-mine"))
    other = server.tenant("agent-skills-other")
    assert other.get("/v1/skills/agent-mine/latest/files").status == 404
    assert other.get("/v1/skills/agent-mine/latest/files/SKILL.md").status == 404


def test_its_scripts_run(api, upload):
    upload(forms("agent-run"))
    run = api.run(skill="agent-run", command=["python3", "scripts/fill.py", "/sandbox/form.txt"], files={"form.txt": "name"}, input={"a": 1})
    assert run["status"] == "success", run
    assert run["stdout"] == "/sandbox/scripts NAME\nall forms\n"
    assert (run["output"], run["files_list"], run["skill_name"], run["skill_version"]) == ({"given": {"a": 1}}, ["filled.txt"], "agent-run", "0.0.0")
    assert api.run(skill="agent-run", shell="./scripts/tool.sh a; pwd")["stdout"] == "tool a\n/sandbox/scripts\n"
    assert api.run(skill="agent-run", command=["./scripts/tool.sh"], args=["b"])["stdout"] == "tool b\n"
    assert api.run(skill="agent-run", command=["pwd"], cwd="/sandbox")["stdout"] == "/sandbox\n"
    assert api.run(skill="agent-run", command=["pwd"], cwd="scripts/references")["stdout"] == "/sandbox/scripts/references\n"
    assert api.run(skill="agent-run", shell="echo x > SKILL.md")["exit_code"] != 0, "the package is read-only"
    assert api.run(skill="agent-run", shell="exit 3")["error"] == "container exited with code 3"


def test_alone_it_says_what_to_do(api, upload):
    upload(forms("agent-alone"))
    answer = api.post("/v1/executions", {"skill": "agent-alone"})
    assert answer.status == 400 and "give a command or shell" in answer.fields()["skill"]
    assert "skill" in api.post("/v1/executions", {"skill": "agent-alone", "language": "python", "code": "1"}).fields()
    assert "shell" in api.post("/v1/executions", {"skill": "agent-alone", "command": ["a"], "shell": "b"}).fields()


def test_a_command_runs_in_a_skill_with_a_program_too(api, upload):
    manifest = front("agent-both", 'version: 2.0.0\nlang: python\ninputs: {type: object, required: [a]}\noutputs: {type: object, required: [b]}\nenv: {MODE: fast}\n')
    upload({"SKILL.md": manifest, "main.py": "print(1)"})
    run = api.run(skill="agent-both", shell="ls; echo $MODE; echo '{}' >/sandbox/out/output.json")
    assert (run["status"], run["stdout"], run["output"]) == ("success", "SKILL.md\nmain.py\nfast\n", {}), run
    assert "input/a" in api.post("/v1/executions", {"skill": "agent-both"}).fields(), "its own program needs its input"


def test_the_command_line_runs_a_script(server, upload):
    upload(forms("agent-cli"))
    done = server.cli("skill", "run", "agent-cli", "--", "./scripts/tool.sh", "--help", "x")
    assert (done.returncode, done.stdout + done.stderr) == (0, b"tool --help x\n"), done
    assert b"cognitive" in server.cli("skill", "show", "agent-cli").stdout

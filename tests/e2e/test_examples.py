"""README's section "Skills" as it stands: its commands are taken from there and run for each of the example skills."""

import json
import re
import subprocess

import pytest

from harness.server import ROOT

SHOWN = "word-counter"  # the skill in README's commands
EXAMPLES = ROOT / "examples" / "skills"


def readme_commands():
    """The lines after "$ " in the code blocks of the section, with the lines that continue them."""
    section = re.search(r"^## Skills\n(.*?)^## ", (ROOT / "README.md").read_text(), re.S | re.M)[1]
    blocks = re.findall(r"^```\n(.*?)^```", section, re.S | re.M)
    found = re.findall(r"^\$ ((?:.*\\\n)*.*)$", "".join(blocks), re.M)
    return [re.sub(r"\s+#[^'\"]*$", "", command) for command in found]


def command(*words):
    return next(each for each in readme_commands() if all(word in each for word in words))


PUSH, BY_CLI = command("caisson skill push", SHOWN), command("caisson skill run", "--input-file")
BY_CURL, BY_WEBSOCKET = command("curl", "/v1/executions"), command("examples/run_skill.py")


class Shell:
    """Where a reader of README types: in the project's folder, with the server's address and a key."""

    def __init__(self, server, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin" / "caisson").symlink_to(server.binary)
        for name in ("examples", "LICENSE"):
            (folder / name).symlink_to(ROOT / name)
        address = {"CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key}
        self.env = {**server.env, **address, "PATH": f"{folder}/bin:{server.env['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, line, skill=SHOWN):
        return subprocess.run(
            ["bash", "-c", line.replace(SHOWN, skill)], cwd=self.folder, env=self.env, capture_output=True, timeout=60)


@pytest.fixture
def shell(server, tmp_path):
    return Shell(server, tmp_path)


@pytest.fixture(scope="module", autouse=True)
def pushed(shared_server, tmp_path_factory):
    """All examples, uploaded by README's own command."""
    shell = Shell(shared_server, tmp_path_factory.mktemp("push"))
    for name in NAMES:
        done = shell.run(PUSH, name)
        assert done.returncode == 0 and done.stdout.decode().startswith(f"{name}@1.0.0  sha256:"), done
    yield
    for name in NAMES:
        assert shared_server.cli("skill", "rm", f"{name}@1.0.0").returncode == 0


def picture(path):
    """Width and height of a PNG."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def check_csv(output, files):
    assert output["numeric_columns"] == ["temperature", "rain_mm"] and output["columns"]["temperature"]["mean"] == 16.0
    assert output["columns"]["city"] == {"type": "categorical", "count": 4, "unique": 4, "top_values": {"Oslo": 1, "Rome": 1, "Cairo": 1, "Lima": 1}}
    if files:
        assert picture(files / "chart.png") == (100, 200) and "temperature" in (files / "summary.txt").read_text()


def check_thumbnails(output, files):
    assert [(each["width"], each["height"]) for each in output["thumbnails"]] == [(32, 21), (2, 2)]
    if files:
        assert picture(files / "gradient.png") == (32, 21) and picture(files / "flag.ppm.png") == (2, 2)


def check_words(output, files):
    assert (output["total_words"], output["unique_words"]) == (12, 9)
    assert output["top_words"][:2] == [{"word": "the", "count": 3}, {"word": "dog", "count": 2}]
    if files:
        assert "12 words" in (files / "report.txt").read_text()


def check_env(output, files):
    assert output["custom_vars"] == {"GREETING": "hello from SKILL.md", "NOT_THERE": None}
    assert output["sandbox_output_path"] == "/sandbox/out/output.json" and output["sandbox_files_dir_path"] == "/sandbox/out/files/"
    assert output["home"] == "/tmp" and output["working_dir"] == "/sandbox"
    assert all(output[name] for name in ("sandbox_input_set", "sandbox_output_set", "sandbox_files_dir_set", "skill_instructions_set"))


def check_files(output, files):
    names = ["output_0.txt", "output_1.txt", "data.csv", "nested/deep.txt"]
    assert output == {"files_written": names, "total_files": 4}
    if files:
        assert sorted(str(each.relative_to(files)) for each in files.rglob("*") if each.is_file()) == sorted(names)


def check_json(output, files):
    assert output["records"] == [{"name": "Cy", "age": 29}, {"name": "Ada", "age": 36}] and output["groups"] == {"Cy": 1, "Ada": 1}


def check_echo(output, files):
    assert output["echo"] == {"hello": ["world", 1, None]} and output["runtime"] == "bash"


def check_summary(output, files):
    assert output["sentences"][0].startswith("Bees dance") and (output["original_sentences"], output["kept_sentences"]) == (5, 2)


def equals(want):
    return lambda output, files: want == output or pytest.fail(f"{output} is not {want}")


# name, exit status, what its output and files must be
EXPECTED = [
    ("word-counter", 0, check_words),
    ("csv-analysis", 0, check_csv),
    ("text-summary", 0, check_summary),
    ("thumbnails", 0, check_thumbnails),
    ("multi-file-output", 0, check_files),
    ("exit-nonzero", 3, equals({"partial": True, "message": "no more paper"})),
    ("slow-skill", 0, equals({"completed": True, "slept": 0.5})),
    ("needs-retries", 0, equals({"attempt": 3})),
    ("env-check", 0, check_env),
    ("bash-echo", 0, check_echo),
    ("json-transform", 0, check_json),
]
NAMES = [name for name, _, _ in EXPECTED]
EACH = pytest.mark.parametrize("skill, status, check", [pytest.param(*each, id=each[0]) for each in EXPECTED])


def test_every_example_is_tested():
    assert sorted(NAMES) == sorted(each.name for each in EXAMPLES.iterdir())


@EACH
def test_by_the_command_line(shell, skill, status, check):
    done = shell.run(BY_CLI, skill)
    assert done.returncode == status, done
    check(json.loads(done.stdout), shell.folder / "results")


@EACH
def test_by_curl(shell, api, skill, status, check):
    done = shell.run(BY_CURL, skill)
    record = json.loads(done.stdout)
    api.contract.check_named(record, "Execution", skill)
    assert (record["status"], record["exit_code"]) == ("success" if status == 0 else "failed", status)
    assert record["skill_name"] == skill and record["skill_version"] == "1.0.0"
    check(record["output"], None)


@EACH
def test_by_websocket(shell, skill, status, check):
    done = shell.run(BY_WEBSOCKET, skill)
    assert done.returncode == (0 if status == 0 else 1), done
    check(json.loads(done.stdout), None)


def test_readme_shows_nothing_else_that_fails(shell):
    """The rest of the section's commands, as they stand and in their order."""
    for line in readme_commands():
        if line not in (PUSH, BY_CLI, BY_CURL, BY_WEBSOCKET) and "skill rm" not in line:
            done = shell.run(line)
            assert done.returncode == 0, (line, done)
    assert shell.run("caisson skill rm --all shout").returncode == 0


@pytest.mark.parametrize("line, told", [("examples/run_skill.py", b"Usage:"), ("env -u CAISSON_API_KEY examples/run_skill.py x", b"set CAISSON_API_KEY")])
def test_the_example_client_says_what_it_needs(shell, line, told):
    done = shell.run(line)
    assert done.returncode == 1 and told in done.stderr and b"Traceback" not in done.stderr

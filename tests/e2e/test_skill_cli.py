"""`caisson skill …` and `caisson artifacts …` as people and scripts use them."""

import hashlib
import json
import os
import pty
import signal
import subprocess
import zipfile

import pytest

from harness.server import ROOT

EXAMPLES = ROOT / "examples" / "skills"


@pytest.fixture(scope="module")
def pushed(shared_server):
    """Examples that the tests of this module run, uploaded once."""
    for name in ("word-counter", "multi-file-output", "exit-nonzero", "slow-skill", "needs-retries"):
        done = shared_server.cli("skill", "push", EXAMPLES / name)
        assert done.returncode == 0, done.stderr.decode()
    yield
    for name in ("word-counter", "multi-file-output", "exit-nonzero", "slow-skill", "needs-retries"):
        assert shared_server.cli("skill", "rm", "--all", name).returncode == 0


def folder(tmp_path):
    os.chmod(tmp_path, 0o755)
    return tmp_path


@pytest.mark.parametrize("lang", ["python", "node", "bash"])
def test_from_nothing_to_a_run(server, tmp_path, lang):
    home = folder(tmp_path) / f"shout-{lang}"
    assert server.cli("skill", "new", "--lang", lang, home).returncode == 0
    lint = server.cli("skill", "lint", home)
    assert lint.returncode == 0 and b"nothing is wrong" in lint.stdout
    pushed = server.cli("skill", "push", home)
    name, digest = pushed.stdout.decode().split()
    assert name == f"shout-{lang}@0.1.0" and digest.startswith("sha256:"), pushed.stderr
    done = server.cli("skill", "run", f"shout-{lang}", "--input-file", home / "example-input.json", "--download", home / "out")
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == {"loud": "HELLO FROM A SANDBOX"}
    assert b"characters loudly" in done.stderr and "HELLO FROM" in (home / "out" / "loud.txt").read_text()
    assert server.cli("skill", "rm", f"shout-{lang}@0.1.0").returncode == 0
    assert server.cli("skill", "show", f"shout-{lang}").returncode == 1


def test_a_package_is_the_same_bytes_each_time_and_pushed_as_it_is(server, tmp_path):
    first, again = folder(tmp_path) / "a.zip", tmp_path / "b.zip"
    for target in (first, again):
        assert server.cli("skill", "pack", "-o", target, EXAMPLES / "word-counter").returncode == 0
    assert first.read_bytes() == again.read_bytes()
    assert zipfile.ZipFile(first).namelist() == ["SKILL.md", "example-input.json", "scripts/main.py"]
    done = server.cli("skill", "push", "--json", first)
    stored = json.loads(done.stdout)
    assert stored["digest"] == hashlib.sha256(first.read_bytes()).hexdigest() and stored["version"] == "1.0.0"
    assert server.cli("skill", "push", EXAMPLES / "word-counter").stdout.decode().split()[1] == "sha256:" + stored["digest"]
    assert server.cli("skill", "rm", "--all", "word-counter").returncode == 0


def test_a_wrong_skill_is_refused_by_lint_and_by_the_server_alike(server, tmp_path):
    home = folder(tmp_path) / "wrong"
    home.mkdir()
    (home / "SKILL.md").write_text("---\nname: wrong\nversion: one\nlang: cobol\nresources: {memory: lots}\n---\n")
    lint = server.cli("skill", "lint", home)
    assert lint.returncode == 1 and lint.stdout.decode().startswith("SKILL.md:3: version")
    assert server.cli("skill", "push", home).returncode == 1
    archive = tmp_path / "wrong.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.write(home / "SKILL.md", "SKILL.md")
    refused = server.cli("skill", "push", archive)    # sent as it is, so the server says it
    assert refused.returncode == 1
    told = " ".join(line.split(": ", 1)[-1] for line in lint.stdout.decode().splitlines())
    for word in ("version", "description is required", "cobol", "memory"):
        assert word in told and word in refused.stderr.decode(), word


def test_ls_and_show(server, pushed):
    text = server.cli("skill", "ls").stdout.decode()
    assert text.splitlines()[0].split()[:3] == ["NAME", "VERSION", "LANG"] and "word-counter" in text and "needs-retries" in text
    only = json.loads(server.cli("skill", "ls", "--json", "--search", "WORDS OF").stdout)
    assert [each["name"] for each in only] == ["word-counter"]
    shown = server.cli("skill", "show", "word-counter@1.0.0").stdout.decode()
    assert "Give `text`" in shown and "python:3.12-slim" in shown
    assert json.loads(server.cli("skill", "show", "word-counter", "--json").stdout)["version"] == "1.0.0"
    assert "NAME   TYPE     REQUIRED  DESCRIPTION\ntext   string   no " in shown
    nobody = server.cli("skill", "ls", "not-there")
    assert (nobody.returncode, nobody.stdout) == (1, b"") and b"not-there" in nobody.stderr
    absent = server.cli("skill", "show", "word-counter@9.9.9")
    assert absent.returncode == 1 and b"9.9.9" in absent.stderr


def test_output_is_for_pipes_and_logs_are_for_people(server, pushed):
    done = server.cli("skill", "run", "word-counter", "-q", "--input", "-", input=b'{"text": "to be or not to be", "top_n": 2}')
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["top_words"] == [{"word": "to", "count": 2}, {"word": "be", "count": 2}]
    assert done.stderr == b"Counted 6 words, 4 unique\n"
    whole = json.loads(server.cli("skill", "run", "word-counter", "--json", "--input", '{"text": "one"}', "--label", "skill=cli").stdout)
    assert whole["status"] == "success" and whole["skill_version"] == "1.0.0" and whole["labels"] == {"skill": "cli"}
    assert "Counted" in whole["stdout"]


def test_output_is_as_it_was_written(server, pushed, tmp_path):
    home = folder(tmp_path) / "odd-output"
    (home / "scripts").mkdir(parents=True)
    (home / "SKILL.md").write_text("---\nname: odd-output\nversion: 1.0.0\ndescription: Writes its input as output.\nlang: bash\n---\n")
    (home / "main.sh").write_text('cp /sandbox/input.json "$SANDBOX_OUTPUT"\n')
    assert server.cli("skill", "push", home).returncode == 0
    odd = "[16.0, 12345678901234567890123, 1e2,  " + "[" * 20 + "]" * 20 + "]"
    assert server.cli("skill", "run", "odd-output", "--input", odd).stdout.decode() == odd + "\n"
    refused = server.cli("skill", "run", "odd-output", "--input", "[1,\n2")
    assert refused.returncode == 125 and b"line 2" in refused.stderr
    assert server.cli("skill", "rm", "--all", "odd-output").returncode == 0


def test_files_come_under_their_names_and_replace_nothing(server, pushed, tmp_path):
    out = folder(tmp_path) / "out"
    run = ["skill", "run", "multi-file-output", "--input", '{"file_count": 2}', "--download", out]
    done = server.cli(*run)
    assert done.returncode == 0, done.stderr.decode()
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.*")) == ["data.csv", "nested/deep.txt", "output_0.txt", "output_1.txt"]
    assert (out / "data.csv").read_text() == "id,value\n0,0\n1,10\n"
    (out / "data.csv").write_text("mine")
    again = server.cli(*run)
    assert again.returncode == 1 and b"--force" in again.stderr and json.loads(again.stdout)["total_files"] == 4
    assert (out / "data.csv").read_text() == "mine"
    assert server.cli(*run, "--force").returncode == 0 and (out / "data.csv").read_text().startswith("id")


ENDS = [
    ("its_own_status", ["exit-nonzero", "--input", '{"exit_code": 3, "write_output": true, "message": "m"}'], 3, {"partial": True, "message": "m"}),
    ("no_output", ["exit-nonzero"], 1, None),
    ("its_timeout", ["slow-skill", "--timeout", "400ms"], 124, None),
    ("wrong_input", ["word-counter", "--input", '{"text": 7}'], 125, None),
    ("no_json", ["word-counter", "--input", "{text"], 125, None),
    ("no_skill", ["not-there"], 125, None),
    ("no_version", ["word-counter@8.0.0"], 125, None),
    ("refused_variable", ["word-counter", "--env", "LD_PRELOAD=x"], 125, None),
]


@pytest.mark.parametrize("arguments, code, output", [pytest.param(a, c, o, id=n) for n, a, c, o in ENDS])
def test_the_exit_status_follows_the_run(server, pushed, arguments, code, output):
    done = server.cli("skill", "run", *arguments)
    assert done.returncode == code, done
    assert (json.loads(done.stdout) if done.stdout else None) == output
    last = done.stderr.decode().splitlines()[-1]    # why, and of what ran the id
    assert last.startswith("caisson: ") and ("(exe_" in last) == (code != 125), done.stderr


FLAGS = [
    ("timeout_of_a_skill", ["skill", "run", "slow-skill", "--timeout", "20m"], "--timeout must be between 100ms and 10m"),
    ("memory_of_a_skill", ["skill", "run", "slow-skill", "--memory", "1"], "--memory must be between 16Mi and 16Gi"),
    ("timeout", ["run", "--timeout", "5h", "--", "true"], "--timeout must be between 100ms and 1h"),
    ("cpus", ["run", "--cpus", "900", "--", "true"], "--cpus must be a number of cores between 0.01 and 64"),
]


@pytest.mark.parametrize("arguments, want", [pytest.param(a, w, id=n) for n, a, w in FLAGS])
def test_a_refused_limit_is_told_as_its_flag(server, pushed, arguments, want):
    done = server.cli(*arguments)
    assert (done.returncode, done.stderr.decode()) == (125, f"caisson: {want}\n")


def test_what_is_kept_is_named_with_the_command_that_fetches_it(server, pushed, tmp_path):
    done = server.cli("run", "--collect", "o/*", "--shell", "mkdir o; echo x > o/x; mkfifo o/f; exit 3")
    left, kept, why = done.stderr.decode().splitlines()
    assert done.returncode == 3 and left == "caisson: left out: o/f: a FIFO"
    assert kept.startswith("caisson: kept 1 file (2 B): o/x; to fetch: caisson artifacts get exe_") and why.endswith(f" ({kept.split()[-1]})")
    assert server.cli(*kept.split("to fetch: caisson ")[1].split(), "-o", folder(tmp_path) / "got").returncode == 0
    assert (tmp_path / "got/o/x").read_text() == "x\n"
    none = server.cli("skill", "run", "exit-nonzero", "--input", '{"exit_code": 0}', "--download", tmp_path / "none")
    assert b"there are no files" in none.stderr and not (tmp_path / "none").exists()


def on_a_terminal(server, *arguments):
    """What a person sees of it, once it has ended."""
    env = {**server.env, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key, "TERM": "xterm"}
    leader, follower = pty.openpty()
    process = subprocess.Popen([str(server.binary), *arguments], stdin=follower, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    text = b""
    try:
        while piece := os.read(leader, 65536):
            text += piece
    except OSError:
        pass    # the other side is closed
    os.close(leader)
    assert process.wait(20) == 0
    return text


def test_a_terminal_shows_what_a_silent_run_does(server):
    seen = on_a_terminal(server, "run", "--shell", "sleep 2.1; echo done")
    assert b"\r\x1b[Kcaisson: running" in seen and seen.endswith(b"\r\x1b[Kdone\r\n")
    assert on_a_terminal(server, "run", "-q", "--shell", "sleep 1.1; echo done") == b"done\r\n"


def test_attempts_are_told(server, pushed):
    done = server.cli("skill", "run", "needs-retries")
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == {"attempt": 3}
    told = done.stderr.decode()
    assert "attempt 1: not yet" in told and "caisson: attempt 2 follows in" in told and "attempt 3: done" in told
    assert server.cli("skill", "run", "needs-retries", "--retry", "1").returncode == 75


def test_control_c_cancels(server, pushed):
    env = {**server.env, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key}
    command = [str(server.binary), "skill", "run", "slow-skill", "--label", "skill=interrupted", "--timeout", "10m", "--input", '{"sleep_seconds": 600}']
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert process.stderr.readline() == b"sleeping for 600 s\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    process.stdout.close()
    process.stderr.close()
    found = server.api.get("/v1/executions", query={"label": "skill=interrupted"})["items"]
    assert found[0]["status"] == "cancelled"


def test_files_of_any_run(server, tmp_path):
    folder(tmp_path)
    line = "mkdir -p out/deep; echo one > out/1.txt; printf '\\0\\1' > out/deep/2.bin; echo no > other"
    one = server.cli("run", "--detach", "--collect", "out/**", "--shell", line).stdout.decode().strip()
    server.api.ended(one)
    text = server.cli("artifacts", "ls", one).stdout.decode()
    assert "out/1.txt" in text and "out/deep/2.bin" in text and "other" not in text
    assert server.cli("artifacts", "get", one, "out/1.txt", "-o", "-").stdout == b"one\n"
    assert server.cli("artifacts", "get", one, "-o", tmp_path / "all").returncode == 0
    assert (tmp_path / "all/out/deep/2.bin").read_bytes() == b"\0\1"
    assert server.cli("artifacts", "get", one, "out/1.txt", "-o", tmp_path / "named").returncode == 0
    again = server.cli("artifacts", "get", one, "out/1.txt", "-o", tmp_path / "named")
    assert again.returncode == 1 and b"--force" in again.stderr
    assert server.cli("artifacts", "get", one, "absent", "-o", tmp_path / "absent").returncode == 1
    assert not (tmp_path / "absent").exists()

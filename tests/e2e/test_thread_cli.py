"""`caisson thread …` as people and scripts use it."""

import json
import os

import pytest

from harness.threads import Thread


@pytest.fixture
def story(server):
    thread = Thread(server.api, "cli-story")
    for n in range(3):
        thread.save({"n": n, "big": 9007199254740993}, id=f"c{n}", metadata={"step": n, "tags": ["t"]})
    yield thread
    for name in ("cli-story", "cli-other", "cli-copy"):
        Thread(server.api, name).remove()


def cli(server, *words, want=0, input=None):
    done = server.cli("thread", *words, input=input)
    assert done.returncode == want, (words, done)
    return done.stdout.decode() if want == 0 else done.stderr.decode()


def test_looking(server, story):
    assert "cli-story" in cli(server, "ls")
    assert json.loads(cli(server, "ls", "-o", "json"))[0]["checkpoints"] == 3
    lines = cli(server, "log", "cli-story").splitlines()
    assert [line[:4] for line in lines] == ["* c2", "* c1", "* c0"] and "step 2  #t" in lines[0]
    assert cli(server, "log", "-n", "1", "cli-story").count("\n") == 1
    assert b"--limit shows more than 1" in server.cli("thread", "log", "-n", "1", "cli-story").stderr
    assert server.cli("thread", "log", "-n", "3", "cli-story").stderr == b""
    assert cli(server, "show", "cli-story") == '{"big":9007199254740993,"n":2}\n'
    assert cli(server, "show", "cli-story", "c0") == '{"big":9007199254740993,"n":0}\n'
    assert json.loads(cli(server, "show", "-o", "json", "cli-story", "c1"))["metadata"]["step"] == 1
    assert cli(server, "diff", "cli-story", "c0") == "~ /n  2\n"
    assert json.loads(cli(server, "diff", "-o", "json", "cli-story", "c0", "c1"))["patch"] == [{"op": "replace", "path": "/n", "value": 1}]


def test_going_back_and_aside(server, story):
    copy = cli(server, "rollback", "cli-story", "c0").strip()
    assert story.get(copy)["rollback_of"] == "c0"
    lines = cli(server, "log", "cli-story").splitlines()
    assert lines[0].startswith(f"* {copy}") and lines[1].startswith("| * c2") and lines[3] == "|/" and lines[4].startswith("* c0")
    assert cli(server, "rollback", "--truncate", "cli-story", "c1").strip() == "c1"
    assert story.ids() == ["c1", "c0"]
    cli(server, "branch", "--at", "c0", "cli-story", "cli-other")
    assert Thread(server.api, "cli-other").state()["n"] == 0
    cli(server, "rm", "cli-story", "c1")
    assert story.ids() == ["c0"]
    cli(server, "rm", "cli-story")
    assert story.show(404)


def test_out_and_in(server, story, tmp_path):
    os.chmod(tmp_path, 0o755)
    file = tmp_path / "story.ndjson"
    cli(server, "export", "cli-story", file)
    assert "there already" in cli(server, "export", "cli-story", file, want=1)
    assert cli(server, "export", "cli-story", "-") == file.read_text()
    assert cli(server, "import", "cli-copy", file).strip() == "c2"
    assert Thread(server.api, "cli-copy").ids() == ["c2", "c1", "c0"]
    file.write_bytes(file.read_bytes()[:-30])
    assert "line" in cli(server, "import", "cli-other", file, want=1)


def test_a_file_comes_from_standard_input(server, story):
    data = cli(server, "export", "cli-story", "-").encode()
    assert cli(server, "import", "cli-copy", "-", input=data).strip() == "c2"
    assert Thread(server.api, "cli-copy").ids() == ["c2", "c1", "c0"]
    assert "cannot be imported" in cli(server, "import", "cli-other", "-", input=data[:-30], want=1)
    assert "line 1" in cli(server, "import", "cli-other", "-", input=b"", want=1)
    assert Thread(server.api, "cli-other").show(404)


def test_of_several_checkpoints_all_go_or_none(server, story):
    assert "no checkpoint nope" in cli(server, "rm", "cli-story", "c0", "nope", want=1)
    assert "by its id" in cli(server, "rm", "cli-story", "c0", "latest", want=2)
    assert story.ids() == ["c2", "c1", "c0"]
    assert json.loads(cli(server, "rm", "-o", "json", "cli-story", "c0", "c0")) == {"removed": "c0"}
    assert story.ids() == ["c2", "c1"]


def test_a_state_that_is_another_one_is_said_to_be(server, story):
    story.save(1, id="c3")
    assert cli(server, "diff", "cli-story", "c0") == "~ (the whole state)  1\n"


def test_numbers_of_a_diff_are_as_they_were_written(server, story):
    answer = server.api.post(f"{story.path}/checkpoints", raw=b'{"state":{"n":0,"big":9007199254740993,"d":0.10,"e":123456789012345678901234567890}}')
    assert answer.status == 201
    assert cli(server, "diff", "cli-story", "c0") == "+ /d  0.10\n+ /e  123456789012345678901234567890\n"
    assert '"value":0.10' in cli(server, "diff", "-o", "json", "cli-story", "c0")


def test_names_of_frameworks(server, tmp_path):
    name = "user:123/a@example.com"
    thread = Thread(server.api, name)
    thread.save({"n": 1}, id="c0")
    assert name in cli(server, "ls")
    assert cli(server, "show", name, "c0") == '{"n":1}\n'
    cli(server, "branch", name, "cli:branch")
    cli(server, "rm", "cli:branch")
    os.chmod(tmp_path, 0o755)
    done = server.cli("thread", "export", name, cwd=tmp_path)
    assert done.returncode == 0 and os.listdir(tmp_path) == ["user%3A123%2Fa%40example.com.ndjson"], done
    cli(server, "rm", name)


def test_nothing_that_was_saved_steers_the_terminal(server, story):
    story.save("\u202e\u009b2J", id="c3", metadata={"tags": ["\u202ex\u2066y", "\u009b2J"]})
    shown = cli(server, "log", "cli-story") + cli(server, "diff", "cli-story", "c0")
    assert "# x y  # 2J" in shown and not set("\u202e\u2066\u009b") & set(shown)


def test_bytes_are_shown_as_they_are(server, story):
    answer = server.api.post(f"{story.path}/checkpoints", {"state_base64": "YQBi", "media_type": "text/x"})
    assert answer.status == 201
    assert cli(server, "show", "cli-story") == "a\0b"


def test_mistakes(server, story):
    assert "no thread" in cli(server, "log", "cli-none", want=1)
    assert "no checkpoint" in cli(server, "show", "cli-story", "zz", want=1)
    assert "visible ASCII" in cli(server, "show", "a b", want=2)
    assert "required" in cli(server, "diff", "cli-story", want=2)

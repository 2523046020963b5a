"""The command line as people and scripts use it."""

import json
import os
import pty
import signal
import subprocess

import pytest

from harness.waiting import until


def lines(done):
    return done.stdout.decode().splitlines()


def test_version_and_help(server):
    assert server.cli("version").stdout.decode().startswith("caisson ")
    for verb in ("", "serve", "run", "ps", "show", "logs", "cancel", "rm", "skill", "artifacts", "key", "doctor", "version"):
        done = server.cli(*filter(None, [verb, "--help"]))
        assert done.returncode == 0 and done.stdout, verb
        if verb in ("", "serve", "run", "ps", "logs", "skill", "artifacts", "key"):
            assert b"Examples:" in done.stdout, verb
    text = server.cli("serve", "--help").stdout.decode()
    assert "127.0.0.1:8320" in text and "/var/lib/caisson" in text or "caisson" in text


def test_run_streams_and_exits_with_the_programs_status(server):
    done = server.cli("run", "--shell", "echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout) == (7, b"out\n")
    assert done.stderr.startswith(b"err\n")


def test_run_takes_a_file_code_or_stdin(server, tmp_path):
    program = tmp_path / "hello.py"
    program.write_text("import sys; print('file', sys.argv[1:])")
    os.chmod(tmp_path, 0o755)
    assert server.cli("run", program, "a", "-b").stdout == b"file ['a', '-b']\n"
    assert server.cli("run", "-l", "js", "-c", "console.log(6 * 7)").stdout == b"42\n"
    assert server.cli("run", "-l", "bash", "-", "x", input=b"echo from stdin $1").stdout == b"from stdin x\n"
    assert server.cli("run", "--", "echo", "a  b", "-c").stdout == b"a  b -c\n"


def test_run_passes_files_environment_and_input(server, tmp_path):
    data = tmp_path / "data.bin"
    data.write_bytes(bytes(range(256)) * 4)
    os.chmod(tmp_path, 0o755)
    done = server.cli("run", "--file", f"{data}:in.bin", "--env", "WHO=me", "--shell", "echo $WHO; sha256sum < in.bin; wc -c < in.bin")
    assert lines(done)[0] == "me" and lines(done)[2] == "1024"
    echoed = server.cli("run", "--stdin", "--", "cat", input=bytes(range(256)) * 5000)
    assert echoed.stdout == bytes(range(256)) * 5000


EXITS = [
    ("signal", ["--shell", "kill -9 $$"], 137),
    ("wall_limit", ["--timeout", "300ms", "--", "sleep", "60"], 124),
    ("not_there", ["--", "no-such-program"], 125),
    ("nothing_to_run", [], 125),
    ("unknown_language", ["-l", "cobol", "-c", "x"], 125),
]


@pytest.mark.parametrize("arguments, code", [pytest.param(a, c, id=n) for n, a, c in EXITS])
def test_run_says_why_it_ended(server, arguments, code):
    done = server.cli("run", *arguments)
    assert done.returncode == code and done.stderr, done


def test_the_life_of_an_execution(server):
    one = server.cli("run", "--detach", "--label", "cli=life", "--shell", "echo begun; sleep 600").stdout.decode().strip()
    assert one.startswith("exe_")
    assert one in server.cli("ps").stdout.decode()
    listed = json.loads(server.cli("ps", "--label", "cli=life", "--output", "json").stdout)
    assert [each["execution_id"] for each in listed] == [one]
    until(lambda: server.cli("logs", one).stdout == b"begun\n")
    refused = server.cli("rm", one)
    assert refused.returncode == 1 and b"running" in refused.stderr or b"ended" in refused.stderr
    assert server.cli("cancel", one).returncode == 0
    assert server.cli("logs", "-f", one).stdout == b"begun\n"
    record = json.loads(server.cli("show", one, "--output", "json").stdout)
    assert record["status"] == "cancelled" and record["stdout"] == "begun\n"
    assert "cancelled" in server.cli("show", one).stdout.decode()
    assert one not in server.cli("ps").stdout.decode() and one in server.cli("ps", "--all").stdout.decode()
    assert server.cli("rm", one).returncode == 0
    gone = server.cli("show", one)
    assert gone.returncode == 1 and one in gone.stderr.decode()


def test_logs_keep_the_streams_apart(server):
    one = server.cli("run", "--detach", "--shell", "echo out; echo err >&2").stdout.decode().strip()
    done = server.cli("logs", "-f", one)
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")
    assert server.cli("logs", "--stream", "stderr", one).stdout + server.cli("logs", "--stream", "stderr", one).stderr


def test_logs_are_the_exact_bytes(server):
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 2000)"
    one = server.api.run(language="python", code=code)["execution_id"]
    assert server.cli("logs", one).stdout == bytes(range(256)) * 2000


def test_control_c_cancels(server):
    command = [str(server.binary), "run", "--label", "cli=interrupted", "--shell", "echo on; sleep 600"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**server.env, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key})
    assert process.stdout.readline() == b"on\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    process.stdout.close()
    process.stderr.close()
    found = server.api.get("/v1/executions", query={"label": "cli=interrupted"})["items"]
    assert found[0]["status"] == "cancelled"


def test_a_terminal_gets_colours_and_a_pipe_does_not(server):
    server.api.run(shell="exit 1")
    env = {**server.env, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key, "TERM": "xterm"}
    assert b"\x1b[" not in server.cli("ps", "--all").stdout
    leader, follower = pty.openpty()
    process = subprocess.Popen([str(server.binary), "ps", "--all"], stdout=follower, env=env)
    os.close(follower)
    text = b""
    try:
        while piece := os.read(leader, 65536):
            text += piece
    except OSError:
        pass    # the other side is closed
    process.wait(20)
    os.close(leader)
    assert b"\x1b[" in text


def test_without_a_server_it_says_so(server):
    done = server.cli("ps", CAISSON_URL="http://127.0.0.1:1")
    assert done.returncode == 1 and b"127.0.0.1:1" in done.stderr
    wrong = server.cli("ps", CAISSON_API_KEY="nonsense")
    assert wrong.returncode == 1 and b"key" in wrong.stderr.lower()


def test_wrong_usage_is_2(server):
    for arguments in (["nonsense"], ["show"], ["show", "not-an-id"], ["ps", "--limit", "x"], ["key"], ["serve", "--nonsense"]):
        done = server.cli(*arguments)
        assert done.returncode == 2 and done.stderr, arguments


def test_all_mistakes_of_a_config_are_told_at_once(server, tmp_path):
    config = tmp_path / "caisson.toml"
    config.write_text('listen = "nowhere"\n[http]\nmax_body_bytes = "big"\nnonsense = 1\n')
    os.chmod(tmp_path, 0o755)
    done = server.cli("serve", "--config", config, "--data", tmp_path / "data", "--set", "executions.max_running=0")
    text = done.stderr.decode()
    assert done.returncode == 2
    for word in ("listen", "http.max_body_bytes", "nonsense", "executions.max_running"):
        assert word in text, (word, text)


def test_the_runtime_that_does_not_isolate_is_off_until_named(server, new_server):
    refused = server.cli("run", "--runtime", "process", "--", "true")
    assert refused.returncode == 125 and b"runtime is not enabled" in refused.stderr
    loud = new_server("--set", "runtimes.process.i_know_this_runs_code_without_isolation=true")
    assert "without isolation" in loud.log_file.read_text().lower() or "isolat" in loud.log_file.read_text().lower()
    record = loud.api.run(command=["echo", "bare"], runtime="process")
    assert record["stdout"] == "bare\n" and record["runtime"] == "process" and record["degraded"]
    assert loud.api.run(command=["echo", "caged"])["runtime"] == "bubblewrap"


def test_the_mock_is_never_a_default(new_server):
    server = new_server("--set", "runtimes.mock.enabled_for_tests=true")
    answer = server.api.get("/v1/runtimes").value
    assert answer["default"] == "bubblewrap" and "mock" in [each["name"] for each in answer["items"]]
    record = server.api.run(command=["echo", "x"], runtime="mock")
    assert record["runtime"] == "mock"


def test_an_unknown_runtime_stops_the_start(server, tmp_path):
    os.chmod(tmp_path, 0o755)
    done = server.cli("serve", "--data", tmp_path / "d", "--listen", "127.0.0.1:0", "--set", "runtimes.enabled=vmware")
    assert done.returncode == 2 and b"vmware" in done.stderr


def test_doctor_is_content(server):
    done = server.cli("doctor", "--data", server.data)
    assert done.returncode == 0 and b"bubblewrap" in done.stdout
    found = json.loads(server.cli("doctor", "--data", server.data, "--output", "json").stdout)
    assert found["healthy"] is True and {"state", "what", "detail", "remedy"} <= set(found["findings"][0])

"""Interpreters that were started before their program was known: nothing that a program can see or do tells them from others."""

import contextlib
import os
import signal

import pytest

from harness.comparison import check_same, cold_and_ready, first_of, first_that, ready
from harness.leaks import descendants, process_table
from harness.packages import push, python
from harness.python_programs import PROGRAMS
from harness.server import ORDINARY_USER, pool_of
from harness.waiting import until

POOL = {**pool_of(0), "CAISSON_POOL_MAX": "4", "CAISSON_POOL_WARM_INTERPRETERS": "true"}
RUNTIMES = ("bubblewrap", "docker", "gvisor")
# A gVisor sandbox costs a second, and each set of limits is a kind of its own there.
FEW = ("start", "arguments", "environment", "recursion", "own_modules", "traceback", "exit_text", "terminated", "interrupted", "atexit", "threads",
       "multiprocessing", "subprocess", "stdin_given", "unicode", "both_streams", "closed_stdout")


def how(record):
    return record["stages"].get("interpreter")


def warm(server, **request):
    """The record of the first run that meets an interpreter which waits."""
    return first_that(lambda record: how(record) == "warm", server, **request)


@pytest.fixture(scope="module", params=RUNTIMES)
def both(request, contract):
    """A server that starts each interpreter for its program, and one in which they wait."""
    with cold_and_ready(request.param, contract, request.getfixturevalue, POOL) as servers:
        yield request.param, *servers


@pytest.fixture
def pooled(new_server):
    return new_server(**POOL)


# The table


@pytest.mark.parametrize("both, name", [(where, name) for where in RUNTIMES for name in (FEW if where == "gvisor" else PROGRAMS)],
                         indirect=["both"], scope="module")
def test_what_a_program_sees_and_how_it_ends(both, name):
    _, cold, waiting = both
    request = {"language": "python", **PROGRAMS[name]}
    expected = cold.api.run(**request)
    assert how(expected) is None
    check_same(warm(waiting, **request), expected)


def test_the_seeds_of_each_run_are_its_own(both):
    code = "import random\nprint(hash('x'), random.random(), list({'a', 'b', 'c', 'd', 'e'}))"
    seen = [warm(both[2], language="python", code=code)["stdout"] for _ in range(3)]
    assert len(set(seen)) == 3


def test_nothing_else_is_in_the_sandbox(both):
    code = "import os\nprint(len([name for name in os.listdir('/proc') if name.isdigit()]), os.listdir('/tmp'), os.listdir('.'), os.listdir('/dev/shm'))"
    assert warm(both[2], language="python", code=code)["stdout"] == "2 [] ['main.py'] []\n"


@pytest.mark.parametrize("name, request_of", [
    ("hash_seed", {"env": {"PYTHONHASHSEED": "7"}, "code": "print(hash('x'))"}),
    ("module_path", {"env": {"PYTHONPATH": "/workspace/lib"}, "code": "import sys\nprint(sys.path)"}),
    ("encoding", {"env": {"PYTHONIOENCODING": "latin-1:replace"}, "code": "import sys\nprint('ä', sys.stdout.encoding)"}),
    ("optimised", {"env": {"PYTHONOPTIMIZE": "2"}, "code": "import sys\nassert 0\nprint(sys.flags)"}),
    ("language", {"env": {"LANG": "C"}, "code": "import sys\nprint(sys.flags.utf8_mode, sys.stdout.encoding, __import__('os').environ['LANG'])"}),
    ("locale", {"env": {"LC_ALL": "POSIX"}, "code": "import sys\nprint(sys.flags.utf8_mode, sys.stdout.errors)"}),
    ("time_zone", {"env": {"TZ": "XYZ-3"}, "code": "import time\nprint(time.tzname)"}),
    ("home", {"env": {"HOME": "/tmp"}, "code": "import site\nprint(site.getusersitepackages())"}),
    ("terminal", {"pty": {"cols": 70, "rows": 20}, "code": "import os, sys\nprint(os.get_terminal_size(), sys.stdout.line_buffering)"}),
    ("own_packages", {"files": {".local/lib/python3.11/site-packages/mine.py": "X = 1\n"}, "code": "import mine\nprint(mine.__file__)"}),
    ("directory", {"cwd": "sub", "files": {"sub/x": ""}, "code": "print(1)"}),
])
def test_what_cannot_be_served_is_started_anew(both, name, request_of):
    _, cold, waiting = both
    request = {"language": "python", **request_of}
    expected = cold.api.run(**request)
    warm(waiting, language="python", code="pass")
    until(lambda: ready(waiting) > 0, what="a ready sandbox")
    record = waiting.api.run(**request)
    assert how(record) == "cold"
    check_same(record, expected)


def test_input_that_comes_later_and_signals(both):
    code = ("import signal, sys\nsignal.signal(signal.SIGUSR1, lambda *a: print('usr1'))\nprint('ready')\n"
            "for line in sys.stdin:\n    print('got', line.strip())\nsignal.pause()")

    def talk(server):
        one = server.api.start(language="python", code=code, stdin_open=True, limits={"wall_ms": 30_000})
        until(lambda: "ready" in server.api.show(one)["stdout"], what="the program")
        assert server.api.stdin(one, "one\n").status == 202
        until(lambda: "got one" in server.api.show(one)["stdout"], what="its answer")
        assert server.api.signal(one, "USR1").status == 202
        until(lambda: "usr1" in server.api.show(one)["stdout"], what="the signal")
        assert server.api.stdin(one, "two\n", eof=True).status == 202
        until(lambda: "got two" in server.api.show(one)["stdout"], what="its answer")
        assert server.api.signal(one, "INT").status == 202
        return server.api.ended(one)

    _, cold, waiting = both
    record = first_of(lambda: talk(waiting), lambda record: how(record) == "warm", waiting)
    check_same(record, talk(cold))
    assert record["signal"] == signal.SIGINT


# Skills


def test_a_skill(pooled):
    push(pooled.api, "counts", python("answer({'argv': sys.argv, 'home': os.environ['HOME'], 'given': given, 'path': sys.path[0]})"))
    first = pooled.api.run(skill="counts", input={"a": 1}, args=["x"])
    record = warm(pooled, skill="counts", input={"a": 1}, args=["x"])
    assert how(first) == "cold"
    assert record["output"] == first["output"]
    assert record["output"]["argv"] == ["/sandbox/scripts/scripts/main.py", "x"]


# Settings


def test_it_can_be_switched_off(new_server):
    server = new_server(**{**POOL, "CAISSON_POOL_WARM_INTERPRETERS": "false"})
    for _ in range(3):
        record = server.api.run(language="python", code="print(1)")
        until(lambda: ready(server) > 0 or not record["stages"].get("claim_ms"), what="a ready sandbox")
        assert how(record) is None


def test_one_is_kept_for_the_first(new_server):
    server = new_server(**{**POOL, "CAISSON_POOL_IDLE": "1"})
    until(lambda: ready(server) == 2, what="one with an interpreter and one without")
    first = server.api.run(language="python", code="print(1)")
    assert (how(first), first["stdout"]) == ("warm", "1\n")


def test_for_an_ordinary_user(new_server):
    server = new_server(user=ORDINARY_USER if os.getuid() == 0 else None, **POOL)
    code = "import os, resource\nprint(os.getpid() == os.getsid(0), resource.getrlimit(resource.RLIMIT_NOFILE))"
    record = warm(server, language="python", code=code, limits={"open_files": 77})
    assert record["stdout"] == "True (77, 77)\n"


def test_modules_are_there_before(new_server):
    server = new_server(**POOL, CAISSON_POOL_PRELOAD="json,xml.dom,not_installed_anywhere")
    code = "import sys\nprint([name in sys.modules for name in ('json', 'xml.dom', 'not_installed_anywhere')])"
    record = warm(server, language="python", code=code)
    assert record["stdout"] == "[True, True, False]\n"
    other = server.api.run(language="python", code=code, env={"ANY": "x"})    # a module may have looked at it
    assert (how(other), other["stdout"]) == ("cold", "[False, False, False]\n")


def test_numpy_is_there_before(new_server):
    """A module with libraries of its own, which starts threads."""
    server = new_server(**POOL, CAISSON_POOL_PRELOAD="numpy")
    code = "import sys\nwas_there = 'numpy' in sys.modules\nimport numpy\nprint(was_there, numpy.ones((200, 200)).dot(numpy.ones((200, 200))).sum())"
    expected = server.api.run(language="python", code=code, env={"ANY": "x"})
    assert (how(expected), expected["stdout"]) == ("cold", "False 8000000.0\n")
    assert warm(server, language="python", code=code)["stdout"] == "True 8000000.0\n"


# Ends of what takes part


def waiting_interpreters(server):
    table = process_table()
    return [pid for pid in descendants(server.pid, table) if pid in table and table[pid][2].startswith("python3")]


def kill_waiting(server):
    """True when there was none: another sandbox may have been in the making."""
    found = waiting_interpreters(server)
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return not found


def test_an_interpreter_that_is_killed_while_it_waits(pooled):
    warm(pooled, language="python", code="pass")
    until(lambda: ready(pooled) > 0 and waiting_interpreters(pooled), what="an interpreter that waits")
    until(lambda: kill_waiting(pooled), what="its end")
    record = pooled.api.run(language="python", code="print(1)")
    assert (how(record), record["stdout"]) == ("cold", "1\n")
    assert "claim_ms" in record["stages"]


def test_an_interpreter_that_is_stopped_while_it_waits(pooled):
    warm(pooled, language="python", code="pass")
    until(lambda: ready(pooled) > 0 and waiting_interpreters(pooled), what="an interpreter that waits")
    for pid in waiting_interpreters(pooled):
        os.kill(pid, signal.SIGSTOP)
    record = pooled.api.run(language="python", code="open('x', 'a').write('once')\nprint(open('x').read())")
    assert (how(record), record["stdout"]) == ("cold", "once\n")


def test_a_program_outlives_its_server(pooled):
    warm(pooled, language="python", code="pass")
    until(lambda: ready(pooled) > 0, what="a ready sandbox")
    one = pooled.api.start(language="python", code="import sys\nprint('begun')\nfor line in sys.stdin:\n    print('got', line)\nsys.exit(5)",
                           stdin_open=True, limits={"wall_ms": 60_000})
    until(lambda: pooled.api.show(one)["stdout"] == "begun\n", what="the program")
    pooled.kill()
    pooled.start()
    assert pooled.api.stdin(one, "x", eof=True).status == 202
    record = pooled.api.ended(one)
    assert (record["stdout"], record["exit_code"], how(record)) == ("begun\ngot x\n", 5, "warm")


def test_an_agent_that_is_killed(pooled):
    warm(pooled, language="python", code="pass")

    def kill_each():
        """The interpreters of what was killed; nothing while a sandbox is being made or goes."""
        table = process_table()
        ours = [pid for pid in descendants(pooled.pid, table) if pid in table]
        agents = [pid for pid in ours if table[pid][2] in ("agent", "caisson-agent")]
        interpreters = {pid for pid in ours if table[pid][2].startswith("python3")}
        if not agents or not len(agents) == len(interpreters) == ready(pooled):
            return set()
        for pid in agents:
            os.kill(pid, signal.SIGKILL)
        return interpreters

    waited = until(kill_each, what="agents each of which has an interpreter that waits")
    until(lambda: not waited & set(waiting_interpreters(pooled)), what="the end of what it had started")
    until(lambda: waiting_interpreters(pooled), what="another, for which the server has to know of its end")
    record = pooled.api.run(language="python", code="print(1)")
    assert record["stdout"] == "1\n", record

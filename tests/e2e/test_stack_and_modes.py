"""The stack that a program may have, and the modes of the files that it is given."""

import os
import subprocess

import pytest

from harness.server import BINARY
from harness.waiting import until

SHOW = "import resource; print(*resource.getrlimit(resource.RLIMIT_STACK))"
DEEP = """#include <stdio.h>
#include <string.h>
static long deep(long n) { volatile char room[1 << 16]; memset((void*)room, (int)n, sizeof room); return n == 0 ? room[0] : deep(n - 1) + room[1]; }
int main(void) { printf("%d\\n", deep(DEPTH) != 77); }
"""


def deep(mebibytes):
    return DEEP.replace("DEPTH", str(mebibytes * 16))


@pytest.mark.parametrize("stack", [1 << 20, 8 << 20, 64 << 20, 1 << 30])
def test_a_program_has_the_stack_that_was_asked_for(api, stack):
    record = api.run(command=["sh", "-c", "ulimit -s; ulimit -Hs"], limits={"stack_bytes": stack})
    assert record["stdout"] == f"{stack >> 10}\n" * 2 and record["limits"]["stack_bytes"] == stack


def test_the_default_is_as_before(api):
    record = api.run(language="python", code=SHOW)
    assert record["stdout"] == f"{8 << 20} {8 << 20}\n" and record["limits"]["stack_bytes"] == 8 << 20


def test_a_deep_recursion_fits_into_a_large_stack_only(api):
    limits = {"memory_bytes": 1 << 30}
    assert api.run(language="c", code=deep(64), limits=limits)["signal"] == 11
    assert api.run(language="c", code=deep(64), limits={**limits, "stack_bytes": 256 << 20})["stdout"] == "1\n"


def test_an_interpreter_that_waits_has_the_default_stack_and_serves_no_other(api):
    def warm():
        return api.run(language="python", code=SHOW)["stages"].get("interpreter") == "warm"

    until(warm, 30, "an interpreter that waits")
    record = api.run(language="python", code=SHOW, limits={"stack_bytes": 512 << 20})
    assert record["stdout"] == f"{512 << 20} {512 << 20}\n" and record["stages"]["interpreter"] == "cold"


@pytest.mark.parametrize("stack", [0, (1 << 20) - 1, (1 << 30) + 1, "unlimited"])
def test_other_stacks_are_refused_with_both_bounds(api, stack):
    named = api.post("/v1/executions", {"command": ["true"], "limits": {"stack_bytes": stack}}).fields()
    assert named["limits.stack_bytes"] == "must be a whole number between 1048576 and 1073741824"


FILES = {
    "run.sh": {"text": "#!/bin/sh\necho OK\n", "mode": "0755"},
    "data.bin": {"base64": "/w==", "mode": "600"},
    "sub/none": {"text": "x", "mode": "0000"},
    "plain": "y",
    "text": {"text": "z"},
}


def test_files_have_the_modes_that_were_asked_for(api):
    record = api.run(shell="./run.sh; stat -c '%a %n' run.sh data.bin sub/none plain text", files=FILES)
    assert record["stdout"] == "OK\n755 run.sh\n600 data.bin\n0 sub/none\n644 plain\n644 text\n", record["stderr"]


def test_without_isolation_it_is_the_same(new_server):
    loud = new_server("--set", "runtimes.process.i_know_this_runs_code_without_isolation=true")
    record = loud.api.run(shell="./run.sh; stat -c %a data.bin; ulimit -s", files=FILES, runtime="process", limits={"stack_bytes": 16 << 20})
    assert record["stdout"] == f"OK\n600\n{16 << 10}\n", record["stderr"]


REFUSED = [
    ({"text": "x", "mode": "4755"}, "files.f.mode"),
    ({"text": "x", "mode": "1777"}, "files.f.mode"),
    ({"text": "x", "mode": "75"}, "files.f.mode"),
    ({"text": "x", "mode": "00755"}, "files.f.mode"),
    ({"text": "x", "mode": "0789"}, "files.f.mode"),
    ({"text": "x", "mode": 493}, "files.f.mode"),
    ({"text": "x", "base64": ""}, "files.f"),
    ({"mode": "0755"}, "files.f"),
    ({"text": 3}, "files.f.text"),
    ({"text": "x", "owner": "root"}, "files.f.owner"),
]


@pytest.mark.parametrize("file, field", REFUSED)
def test_mistakes_of_files_are_named(api, file, field):
    assert field in api.post("/v1/executions", {"command": ["true"], "files": {"f": file}}).fields()


def test_the_command_line_keeps_a_file_executable(server, tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\nulimit -s\n")
    (tmp_path / "tool").chmod(0o755)
    env = {**os.environ, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key}
    done = subprocess.run([BINARY, "run", "--file", "tool", "--stack", "16Mi", "--", "./tool"], cwd=tmp_path, env=env, capture_output=True,
                          text=True, timeout=60)
    assert done.stdout == "16384\n", done.stderr

"""What compilers made is used again: by the same tenant, for the very same compilation, and as it was made."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.server import Server
from harness.waiting import until
from test_languages import LIMITS, PROGRAMS

COMPILED = {"c": ".c", "cpp": ".cpp", "csharp": ".cs", "d": ".d", "fortran": ".f90", "go": ".go", "java": ".java", "nim": ".nim",
            "pascal": ".pas", "rust": ".rs", "typescript": ".ts"}
CODE = '#include <stdio.h>\n#include "text.h"\n#warning told\nint main(void) { puts(TEXT); return 3; }\n'
REQUEST = {"language": "c", "code": CODE, "files": {"text.h": '#define TEXT "one"\n'}, "env": {"MODE": "a"}, "limits": LIMITS}


def ran(api, **change):
    record = api.run(**{**REQUEST, **change})
    assert record["verdict"] == "exited", record
    return record


def kept(api, **change):
    """Runs it until it need not be compiled any more: it is kept in the background."""
    records = []

    def is_cached():
        records.append(ran(api, **change))
        return records[-1]["compile"]["cached"]

    until(is_cached, 180, "a compilation that is kept")
    return records[-1]


def kept_files(server):
    return sorted(each for each in (server.data / "compiled").rglob("*") if each.is_file())


def test_the_second_time_is_the_first_time_again(api):
    first = ran(api, labels={"a": "1"})
    assert first["compile"]["cached"] is False and first["compile"]["wall_ms"] > 0
    second = kept(api, labels={"b": "2"}, args=["other"], stdin="other")
    for name in ("status", "verdict", "exit_code", "stdout", "stderr"):
        assert second[name] == first[name], name
    assert second["stdout"] == "one\n" and second["exit_code"] == 3
    before, after = first["compile"], second["compile"]
    for name in ("status", "verdict", "exit_code", "output", "output_truncated"):
        assert after[name] == before[name], name
    assert "told" in after["output"] and after["cpu_ms"] == 0 and after["wall_ms"] < before["wall_ms"]
    kinds = [[each["kind"] for each in api.log(one["execution_id"])] for one in (first, second)]
    assert kinds[0] == kinds[1]


OTHERS = {
    "code": {"code": CODE + "\n"},
    "file": {"files": {"text.h": '#define TEXT "two"\n'}},
    "file_more": {"files": {"text.h": '#define TEXT "one"\n', "unused.h": ""}},
    "file_name": {"entry": "start.c"},
    "variable": {"env": {"MODE": "b"}},
    "variable_more": {"env": {"MODE": "a", "C_INCLUDE_PATH": "x"}},
    "language": {"language": "cpp"},
}


@pytest.mark.parametrize("name", OTHERS)
def test_of_something_else_it_is_compiled(api, name):
    kept(api)
    assert ran(api, **OTHERS[name])["compile"]["cached"] is False
    expected = "two\n" if name == "file" else "one\n"
    assert kept(api, **OTHERS[name])["stdout"] == expected and kept(api)["stdout"] == "one\n"


def test_another_tenant_compiles_for_itself(server):
    a, b = server.tenant("compiles-first"), server.tenant("compiles-second")
    kept(a)
    assert ran(b)["compile"]["cached"] is False
    assert kept(b)["stdout"] == "one\n"


def test_what_did_not_end_well_is_compiled_each_time(api):
    broken = {"code": "int main(void) { return missing; }", "files": {}}
    for _ in range(2):
        record = ran(api, **broken)
        assert record["status"] == "failed" and record["compile"]["cached"] is False
    slow = "".join(f"template<int N, int M> struct t{i} {{ enum {{ v = t{i}<N - 1, M>::v + t{i}<N - 1, M + 1>::v }}; }};\n"
                   f"template<int M> struct t{i}<0, M> {{ enum {{ v = M }}; }};\n" for i in range(20))
    slow += "int main() { return (" + " + ".join(f"t{i}<400, 0>::v" for i in range(20)) + ") & 0; }\n"
    for _ in range(2):
        record = api.run(language="cpp", code=slow, limits=LIMITS, compile={"wall_ms": 300})
        assert record["verdict"] == "wall_limit" and record["compile"]["cached"] is False


SELFISH = r"""
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unlink(".caisson/main");
    FILE* f = fopen(".caisson/main", "w");
    fputs("#!/bin/sh\necho taken over\n", f);
    fclose(f);
    f = fopen("text.h", "r+");
    if (!f) return 1;
    fputs("changed", f);
    fclose(f);
    puts("one");
    return 3;
}
"""


def test_a_program_cannot_change_what_is_kept_of_it(api):
    assert ran(api, code=SELFISH)["stdout"] == "one\n"
    for _ in range(2):
        assert kept(api, code=SELFISH)["stdout"] == "one\n"


def test_the_programs_limits_hold_for_what_was_kept(api):
    code = CODE.replace("int main", "char large[100000] = {1}; int main")
    kept(api, code=code)
    record = api.run(**{**REQUEST, "code": code, "limits": {**LIMITS, "file_bytes": 50_000}})
    assert record["status"] == "failed" and record["compile"]["cached"] is False, "a compiler may not write so much either"


def test_it_outlives_the_server(new_server):
    server = new_server()
    kept(server.api)
    server.restart()
    kept(server.api, code=CODE + "// another\n")    # by then the server has looked at the host's tools, which no compilation waits for for long
    assert ran(server.api)["compile"]["cached"] is True


def test_a_killed_server_leaves_it_whole_or_not_at_all(new_server):
    server = new_server()
    for number in range(4):
        code = CODE + f"// {number}\n"
        one = server.api.start(**{**REQUEST, "code": code})
        if number % 2:
            until(lambda: server.api.show(one)["status"] != "queued", what="the program's start")
        server.kill()
        server.start()
        assert server.api.ended(one)["stdout"] == "one\n"
        until(lambda: not [each for each in kept_files(server) if each.name.startswith("new-")], what="what is being kept")
        assert kept(server.api, code=code)["stdout"] == "one\n"


DAMAGES = {
    "flipped": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "cut": lambda path: os.truncate(path, 100),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_was_damaged_is_compiled_anew(new_server, name):
    server = new_server()
    kept(server.api)
    (path,) = kept_files(server)
    DAMAGES[name](path)
    record = ran(server.api)
    assert record["compile"]["cached"] is False and record["stdout"] == "one\n"
    assert "cannot be used any more" in server.log_file.read_text()
    assert kept(server.api)["stdout"] == "one\n"


def test_what_was_used_longest_ago_goes(new_server):
    server = new_server("--set", "compile.cache_bytes_per_tenant=50000")
    codes = [CODE + f"// {i}\n" for i in range(3)]
    for code in codes:
        kept(server.api, code=code)
    until(lambda: len(kept_files(server)) == 2, what="one that went")
    assert ran(server.api, code=codes[2])["compile"]["cached"] and ran(server.api, code=codes[1])["compile"]["cached"]
    assert not ran(server.api, code=codes[0])["compile"]["cached"]


def test_it_can_be_switched_off(new_server):
    server = new_server("--set", "compile.cache_bytes=0")
    for _ in range(3):
        assert ran(server.api)["compile"]["cached"] is False
    assert not (server.data / "compiled").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")
def test_on_a_full_disk_it_is_told_once_and_nothing_else(tmp_path, contract):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", tmp_path], check=True)
    try:
        server = Server(str(tmp_path), contract, None, (), {}).start()
        try:
            for number in range(3):
                record = ran(server.api, code=CODE + f"// {number}\n")
                assert record["stdout"] == "one\n" and record["compile"]["cached"] is False
            until(lambda: "compiled code cannot be kept" in server.log_file.read_text(), what="the warning")
            server.stop()
            assert server.log_file.read_text().count("compiled code cannot be kept") == 1
            assert kept_files(server) == []
        finally:
            server.discard()
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


@pytest.mark.parametrize("name", COMPILED)
def test_each_language_runs_what_was_kept(api, name):
    known = {each["name"]: each for each in api.get("/v1/languages")["items"]}
    if not known[name]["available"]:
        pytest.skip(f"{name} is not installed on this host: {known[name]['package']}")
    code = (Path(PROGRAMS) / ("ok" + COMPILED[name])).read_text() + "\n"
    assert kept(api, language=name, code=code, files={}, env={})["stdout"] == "OK\n"

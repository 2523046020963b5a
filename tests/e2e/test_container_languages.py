"""Code that is compiled in containers. The image has no compiler: a script stands for one, which a language's own is replaced by."""

import pytest

from harness.containers import BASH, RUNTIMES
from harness.waiting import until

# What `sh c --hints:off … main.nim` runs: it makes a program that says what it was made of.
COMPILER = """
echo "compiling $(cat main.nim)" >&2
echo to stdout
[ -z "$LOOPS" ] || { i=0; while [ $i -lt $LOOPS ]; do i=$((i + 1)); done; }
[ -z "$ENDLESS" ] || sleep 60
{ echo '#!/bin/sh'; echo "echo made of $(cat main.nim): \\"\\$@\\""; } > .caisson/main
chmod +x .caisson/main
sleep 1000 > /dev/null 2>&1 &
exit ${CODE:-0}
"""


@pytest.fixture(scope="module", params=RUNTIMES)
def compiling(request, contract, engine, images):
    from harness.containers import ContainerServer
    from harness.server import new_folder

    with new_folder() as folder:
        server = ContainerServer(folder, contract, engine, request.param, "--set", f"images.languages=nim={BASH},bash={BASH}", "--set",
                                 f"images.interpreters={BASH}=sh")
        try:
            yield server.start().api
            server.stop()
            server.nothing_left()
        finally:
            server.discard()


def run(api, **more):
    return api.run(language="nim", code="this", files={"c": COMPILER}, **more)


def test_the_program_is_what_the_compiler_made(compiling):
    record = run(compiling, args=["a", "b c"])
    assert (record["status"], record["stdout"]) == ("success", "made of this: a b c\n"), record
    assert record["image"] == BASH and record["stderr"] == ""
    report = record["compile"]
    assert (report["status"], report["exit_code"], report["output_truncated"]) == ("success", 0, False)
    assert sorted(report["output"].splitlines()) == ["compiling this", "to stdout"]


def test_what_was_made_is_used_again(compiling):
    first = run(compiling, env={"MADE": "once"})
    again = until(lambda: (lambda record: record["compile"]["cached"] and record)(run(compiling, env={"MADE": "once"}, args=["x"])), 60)
    assert (first["compile"]["cached"], again["status"], again["stdout"]) == (False, "success", "made of this: x\n"), again
    assert again["compile"]["output"] == first["compile"]["output"] and again["image_digest"] == first["image_digest"]
    assert not run(compiling, env={"MADE": "twice"})["compile"]["cached"]


def test_a_failure_is_the_end(compiling):
    record = run(compiling, env={"CODE": "3"})
    assert (record["status"], record["verdict"], record["exit_code"], record["stdout"]) == ("failed", "exited", 3, ""), record
    assert record["error"] == "the compilation failed: the compiler exited with code 3"
    assert record["compile"]["status"] == "failed" and "compiling this" in record["compile"]["output"]


def test_its_time_is_its_own(compiling):
    record = run(compiling, env={"ENDLESS": "1"}, compile={"wall_ms": 1_500}, limits={"wall_ms": 60_000})
    assert (record["status"], record["verdict"]) == ("timeout", "wall_limit"), record
    assert record["error"] == "the compilation took longer than compile.wall_ms (1500 ms)"


def test_its_cpu_time_is_not_the_programs(compiling):
    record = run(compiling, env={"LOOPS": "200000"}, limits={"cpus": 2, "wall_ms": 60_000})
    assert record["status"] == "success", record
    if "cpu_ms" in record["usage"] and record["compile"].get("cpu_ms"):
        assert record["usage"]["cpu_ms"] < record["compile"]["cpu_ms"], record


def test_a_compiler_that_the_image_lacks_is_an_outcome(compiling):
    record = compiling.run(language="c", code="", image="busybox:1")
    assert (record["status"], record["verdict"]) == ("failed", "runtime_error"), record
    assert "the compiler could not be started: \"gcc\"" in record["error"]


def test_a_language_without_an_image_is_refused(compiling):
    answer = compiling.post("/v1/executions", {"language": "rust", "code": ""})
    assert "has no image on this server; available: bash, nim" in answer.fields()["language"]
    listed = {each["name"]: each for each in compiling.get("/v1/languages")["items"]}
    assert listed["nim"]["compiled"] and listed["nim"]["compiler"] == "sh" and listed["nim"]["image"] == BASH
    assert not listed["rust"]["available"] and "package" not in listed["rust"]

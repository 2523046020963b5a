"""What a run leaves is the same whether its agent collects it as the program ends, or a collector does it later, which it does where a
process is left behind."""

import pytest

LONG = {"wall_ms": 120_000}
LEFT_BEHIND = "sleep 600 >/dev/null 2>&1 & "
# Little enough for the agent, and more.
LEFT = {
    "nothing": "true",
    "a_few": "mkdir -p out/deep; printf one >out/a; printf two >out/deep/b; chmod 600 out/a",
    "what_is_no_file": "mkdir -p out/dir; ln -s /etc/passwd out/link; mkfifo out/fifo; : >out/empty",
    "no_directory": "printf x >out",
    "unreadable": "mkdir out; printf secret >out/a; chmod 0 out/a; mkdir -m 0 out/closed",
    "unreadable_and_too_much": "mkdir out; echo 1 >out/a; chmod 0 out/a; head -c 70000 /dev/zero >out/b; mkdir -m 0 out/c",
    "a_hole": "mkdir out; truncate -s 1T out/huge; printf x >out/small",
    "odd_names": "mkdir out; printf x >\"out/a b\"; printf y >\"$(printf 'out/\\377')\"; printf z >\"$(printf 'out/l\\nine')\"",
    "deep": "p=out; for i in $(seq 40); do p=$p/d; done; mkdir -p $p; printf x >$p/f; printf y >out/d/d/f",
    "almost_too_much": "mkdir out; head -c 60000 /dev/zero >out/a",
    "too_much": "mkdir out; head -c 70000 /dev/zero >out/a; printf x >out/b",
    "too_many": "mkdir out; for i in $(seq 70); do printf $i >out/$i; done",
}


def listed(api, record):
    """What is told of the files, and their bytes' digests."""
    items = api.get(f"/v1/executions/{record['execution_id']}/artifacts", query={"limit": 200})["items"]
    return record["artifacts"], [{name: each[name] for name in ("path", "size_bytes", "sha256", "mode", "media_type", "partial")} for each in items]


@pytest.mark.parametrize("name", LEFT)
def test_both_ways_find_the_same(api, name):
    for end in ("exit 0", "exit 3", "kill -9 $$"):
        alone, beside = (api.run(shell=f"{more}{LEFT[name]}; {end}", collect=["out/**"], limits=LONG) for more in ("", LEFT_BEHIND))
        assert alone["status"] == beside["status"] == ("success" if end == "exit 0" else "failed"), (alone.value, beside.value)
        assert listed(api, alone) == listed(api, beside)


def test_containers_find_the_same(box):
    for name in ("a_few", "what_is_no_file", "unreadable", "too_much", "too_many"):
        alone, beside = (box.api.run(shell=f"{more}{LEFT[name]}", collect=["out/**"], limits=LONG) for more in ("", LEFT_BEHIND))
        assert alone["status"] == beside["status"] == "success", (alone.value, beside.value)
        assert listed(box.api, alone) == listed(box.api, beside), name


def test_files_of_a_program_that_its_limits_end_are_found(api):
    record = api.run(shell="mkdir out; echo 1 >out/a; sleep 60", collect=["out/**"], limits={"wall_ms": 1_500})
    assert (record["status"], record["artifacts"]["files"], record["artifacts"]["partial"]) == ("timeout", 1, True)
    record = api.run(
        language="python", code="import os\nos.mkdir('out')\nopen('out/a', 'w').write('1')\nx = bytearray(10**9)", collect=["out/**"],
        limits={"memory_bytes": 64 << 20, **LONG})
    assert (record["verdict"], record["artifacts"]["files"]) == ("memory_limit", 1)

"""Makes data.tar.xz and told.json, the data directory of an earlier release and what its server told of it, by that release's binary:

    python3 tests/e2e/upgrade/make_fixture.py build/release/caisson

Run it with the binaries of each release, before the next one's first change of what is stored. test_upgrade.py reads both files."""

import contextlib
import json
import os
import signal
import sqlite3
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import older  # noqa: E402
from harness.leaks import adopt_orphans  # noqa: E402
from harness.packages import push, python, skill_md, upload, zipped  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.server import READY, new_folder  # noqa: E402
from harness.threads import Thread  # noqa: E402
from harness.waiting import pause, until  # noqa: E402

TEN_YEARS_MS = 3_650 * 86_400_000
NEVER_MS = 2**52
PORT = 18_473    # of the receiver of webhooks, here and in the test
KEYED = {"shell": "echo once"}    # the request that came with an Idempotency-Key
SECRET = "a secret of some length"
SETTINGS = {"artifacts.retention_ms": TEN_YEARS_MS, "webhooks.allow_private": "true", "webhooks.first_delay_ms": 10_000,
            "executions.max_running": 6}
OPTIONS = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
# What the next server needs: it makes the rest anew.
KEPT = ("admin.key", "instance.json", "records.db", "records.db-wal", "events.db", "events.db-wal",
        "content.db", "content.db-wal", "content.db-chunks")

SLOW = "for i in $(seq 20); do echo line $i é; echo error $i >&2; sleep 0.05; done; exit 7"
LARGE = "seq 1 30000; seq 1 2000 >&2"
FILES = "mkdir -p out/deep; printf 'a\\0b' > out/binary; seq 1 60000 > out/deep/large.txt; for i in $(seq 40); do echo $i > out/f$i; done"
ADDER = """
os.makedirs("out/files", exist_ok=True)
with open("out/files/table.csv", "w") as out:
    out.write("1,2\\n")
answer(sum(given["numbers"]))
"""


def webhook(name):
    return {"url": f"http://127.0.0.1:{PORT}/{name}", "secret": SECRET}


def first_output(api, one):
    next(event for event in api.follow(one) if event["kind"] == "output")


def make_ended(api):
    """Executions that ended, by name."""
    run = {
        "succeeded": {"shell": "echo out; echo err >&2", "labels": {"team": "a"}, "env": {"A": "b"}},
        "failed": {"shell": SLOW},
        "silent": {"command": ["true"]},
        "killed": {"shell": "kill -KILL $$"},
        "not_there": {"command": ["no-such-program"]},
        "timed_out": {"shell": "echo on; sleep 600", "limits": {"wall_ms": 300}},
        "large": {"shell": LARGE},
        "cut": {"shell": "seq 1 200000", "limits": {"max_output_bytes": 20_000}},
        "no_text": {"shell": "head -c 3000 /dev/zero; printf '\\377\\376'"},
        "python": {"language": "python", "code": "print(input())", "stdin": "é\n"},
        "terminal": {"shell": "tty; echo done", "pty": {"cols": 80, "rows": 24}},
        "with_files": {"shell": FILES, "collect": ["out/**"], "files": {"a/b.txt": "given\n"}},
        "with_large_input": {"shell": "wc -c < large", "files": {"large": "0123456789abcdef" * 20_000}},
        "retried": {"shell": "test $CAISSON_ATTEMPT = 2 && echo second", "idempotent": True,
                    "retry": {"attempts": 3, "first_delay_ms": 1, "on": ["program"], "exit_codes": [1]}},
        "with_checkpoint": {"shell": "echo saved > file", "collect": ["file"],
                            "checkpoint": {"thread": "agent", "id": "by-a-run", "metadata": {"node_id": "run"}}},
        "delivered": {"command": ["true"], "webhook": webhook("ok")},
    }
    ids = {name: api.run(**request)["execution_id"] for name, request in run.items()}
    cancelled = api.start(shell="echo on; sleep 600")
    first_output(api, cancelled)
    api.cancel(cancelled)
    api.ended(cancelled)
    until(lambda: api.show(ids["delivered"])["webhook"]["state"] == "delivered")
    return {**ids, "cancelled": cancelled}


def make_skills(api):
    numbers = {"type": "object", "properties": {"numbers": {"type": "array"}}}
    push(api, "adder", python(ADDER), version="1.0.0", inputs=numbers)
    push(api, "adder", python("answer(0)"), version="2.0.0")
    assert api.post("/v1/skills/adder/2.0.0/disable").status == 200
    assert upload(api, zipped({"SKILL.md": skill_md("teller", lang="bash"), "scripts/main.sh": "echo told\n"})).status == 201
    return {"skill": api.run(skill="adder", version="1.0.0", input={"numbers": [1, 2, 39]})["execution_id"]}


def make_threads(api):
    thread = Thread(api, "agent")
    for n in range(3):
        thread.save({"n": n, "text": "é" * n}, id=f"c{n}", metadata={"step": n, "tags": ["a"], "custom": {"n": n}}, pinned=n == 0)
    thread.save({"long": ["word"] * 20_000}, id="large")
    thread.save({"long": ["word"] * 20_000, "more": True}, id="larger")
    thread.post("rollback", 201, checkpoint_id="c2", mode="append")
    thread.post("branch", 201, checkpoint_id="c1", thread="branch")
    thread.configure(max_checkpoints=100)


def wait_for_an_attempt(api):
    """An execution whose second attempt comes in more than 20 s, a time that is drawn at random."""
    retry = {"attempts": 2, "first_delay_ms": 60_000, "max_delay_ms": 60_000, "on": ["program"], "exit_codes": [75]}
    while True:
        one = api.start(shell="test $CAISSON_ATTEMPT = 2 && echo second || exit 75", retry=retry, idempotent=True, limits={"wall_ms": 600_000})
        if until(lambda: api.show(one)["attempts"][0].get("delay_ms"), what="the end of its first attempt") > 20_000:
            return one
        api.cancel(one)


def make_unfinished(server, api):
    """Executions that do not end, by name: six that have a place, as many as may, of which one waits
    for its next attempt, and two that wait for a place."""
    waits = wait_for_an_attempt(api)
    run = {
        "ran": {"shell": "echo out; echo err >&2; sleep 600", "webhook": webhook("ok")},
        "ran_silent": {"command": ["sleep", "600"], "collect": ["*"]},
        "ran_with_input": {"command": ["cat"], "stdin_open": True},
        "ran_python": {"language": "python", "code": "import time\nprint('on', flush=True)\ntime.sleep(600)"},
        "ran_cancelled": {"shell": "trap '' TERM; echo on; while :; do sleep 60; done"},
    }
    ids = {name: api.start(**request) for name, request in run.items()}
    until(lambda: {api.show(one)["status"] for one in ids.values()} == {"running"})
    assert api.stdin(ids["ran_with_input"], "taken\n").status == 202
    for name in ("ran", "ran_python", "ran_cancelled", "ran_with_input"):
        first_output(api, ids[name])
    ids["waited"] = api.start(shell="echo given: $(cat file)", files={"file": "a file"}, labels={"team": "b"})
    ids["waited_with_large_input"] = api.start(shell="wc -c < large", files={"large": "0123456789abcdef" * 30_000})
    assert {api.show(ids[name])["status"] for name in ("waited", "waited_with_large_input")} == {"queued"}
    return {"waited_for_an_attempt": waits, **ids}


def keep_for_ever(data):
    """Idempotency-Keys are kept for 30 days at most, and how far a webhook is for seven; the fixture becomes older."""
    records = sqlite3.connect(data / "records.db", timeout=20, isolation_level=None)
    assert records.execute("UPDATE idempotency_keys SET expires_at_ms = ?", (NEVER_MS,)).rowcount == 1
    assert records.execute("UPDATE webhooks SET ended_at_ms = ? WHERE ended_at_ms IS NOT NULL", (NEVER_MS,)).rowcount == 2
    records.close()


def schemas(data):
    """How many migrations each database has, by its header; the file itself is not opened."""
    return {name: int.from_bytes((data / f"{name}.db").read_bytes()[60:64]) for name in ("records", "events", "content")}


def pack(data, target):
    def private(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(target, "w:xz", preset=9, format=tarfile.PAX_FORMAT) as archive:
        for name in KEPT:
            archive.add(data / name, name, filter=private)


def make(binary, data_file, told_file):
    adopt_orphans()
    with new_folder() as folder:
        server = older.OlderServer(folder, binary, OPTIONS, READY)
        try:
            server.start()
            api, other, revoked = server.api, server.tenant("other"), server.tenant("revoked")
            revoke(server, "revoked")
            make_threads(api)
            key = api.post("/v1/executions", KEYED, headers={"Idempotency-Key": "once"})
            with contextlib.closing(Receiver(PORT)):
                ended = {**make_ended(api), **make_skills(api), "keyed": key["execution_id"]}
            others = {"others": other.run(shell="echo of another")["execution_id"]}
            known = answers(api, ended, other, others)
            late = api.run(command=["true"], webhook=webhook("late"))["execution_id"]
            until(lambda: api.show(late)["webhook"]["attempts"] == 1)
            keep_for_ever(server.data)
            unfinished = make_unfinished(server, api)
            told = {
                "made_by": older.release_of(binary), "keys": {"default": api.key, "other": other.key, "revoked": revoked.key},
                "ended": {**ended, **others}, "unfinished": unfinished, "not_delivered": late, "answers": known,
            }
            pause(1)    # what is stored when the writer is idle
            assert api.cancel(unfinished["ran_cancelled"]).status == 202
            os.kill(server.pid, signal.SIGSTOP)
            told["schemas"] = schemas(server.data)
            pack(server.data, data_file)
            older.kill(server)
            told_file.write_text(text_of(told))
        finally:
            server.discard()


def text_of(told):
    """JSON with each answer on a line of its own."""
    def lines(value, depth):
        if depth == 0 or not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {lines(each, depth - 1)}" for name, each in value.items()) + "\n}"

    return lines(told, 3) + "\n"


def revoke(server, tenant):
    listed = json.loads(server.cli("key", "ls", "--data", server.data, "--output", "json").stdout)
    (one,) = (each["id"] for each in listed if each["tenant"] == tenant)
    assert server.cli("key", "revoke", one, "--data", server.data).returncode == 0


def answers(api, ended, other, others):
    found = {}
    for owner, of, ids in (("default", api, ended), ("other", other, others)):
        paths = [path for one in ids.values() for path in older.paths_of_execution(of, one)]
        if owner == "default":
            paths += [path for name in ("agent", "branch") for path in older.paths_of_thread(of, name)]
            paths += ["/v1/threads", *older.paths_of_skills(of)]
        found[owner] = {path: older.told(of, path) for path in paths}
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]).resolve(), HERE / "data.tar.xz", HERE / "told.json")

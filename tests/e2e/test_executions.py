"""One noun for commands, shell lines and code: what goes in, what comes out, what is kept."""

import base64
import datetime

import pytest

FINAL = ("success", "failed", "timeout", "cancelled", "interrupted")


def test_a_command_runs_and_its_record_says_everything(api):
    record = api.run(command=["printf", "%s|", "one", "two words", ""], labels={"team": "a"})
    assert record["status"] == "success" and record["verdict"] == "exited" and record["exit_code"] == 0
    assert record["stdout"] == "one|two words||" and record["stderr"] == "" and record["logs"] == record["stdout"]
    assert record["error"] is None and record["limits_hit"] == []
    assert record["kind"] == "command" and record["labels"] == {"team": "a"} and record["runtime"] == "bubblewrap"
    assert record["usage"]["output_bytes"] == 15 and record["usage"]["wall_ms"] >= 0
    times = [datetime.datetime.fromisoformat(record[name].replace("Z", "+00:00")) for name in ("created_at", "started_at", "finished_at")]
    assert times == sorted(times)
    for stage in ("queue_ms", "first_byte_ms", "run_ms"):
        assert record["stages"][stage] >= 0, stage
    assert ("claim_ms" in record["stages"]) != ({"start_ms", "agent_ms"} <= set(record["stages"]))
    assert api.show(record["execution_id"]) == record


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_the_exit_code_is_the_programs(api, code):
    record = api.run(shell=f"exit {code}")
    assert (record["exit_code"], record["verdict"]) == (code, "exited")
    assert record["status"] == ("success" if code == 0 else "failed")


@pytest.mark.parametrize("name, number", [("KILL", 9), ("SEGV", 11), ("TERM", 15)])
def test_the_end_by_a_signal_is_told_from_an_exit(api, name, number):
    record = api.run(shell=f"kill -{name} $$")
    assert (record["status"], record["verdict"], record["signal"]) == ("failed", "signaled", number)
    assert "exit_code" not in record and str(number) in record["error"]


def test_a_program_that_is_not_there_is_an_outcome(api):
    record = api.run(command=["no-such-program"])
    assert record["status"] == "failed" and record["verdict"] == "runtime_error", record
    assert "no-such-program" in record["error"]
    assert api.log(record["execution_id"])[-1]["kind"] == "exit"


def test_streams_are_kept_apart_and_together(api):
    record = api.run(shell="echo out; echo err >&2; echo out2")
    assert record["stdout"] == "out\nout2\n" and record["stderr"] == "err\n"
    assert sorted(record["logs"].split()) == ["err", "out", "out2"]
    logs = api.get(f"/v1/executions/{record['execution_id']}/logs")
    assert logs.body.decode() == record["logs"]


LANGUAGES = [
    ("python", "import sys; print('hi', sys.argv[1:])", "hi ['a', 'b c']\n"),
    ("py", "print(6 * 7)", "42\n"),
    ("python3", "print('é')", "é\n"),
    ("javascript", "console.log('hi', process.argv.slice(2).join('|'))", "hi a|b c\n"),
    ("node", "console.log(6 * 7)", "42\n"),
    ("js", "console.log([1,2].length)", "2\n"),
    ("bash", 'echo hi "$1" "$2" $#', "hi a b c 2\n"),
    ("sh", "echo $((6 * 7))", "42\n"),
]


@pytest.mark.parametrize("language, code, wanted", LANGUAGES, ids=[each[0] for each in LANGUAGES])
def test_code_runs_in_its_language(api, language, code, wanted):
    args = {"args": ["a", "b c"]} if "hi" in wanted else {}
    record = api.run(language=language, code=code, **args)
    assert record["stdout"] == wanted, record["stderr"]
    assert record["kind"] == "code" and record["language"] in ("python", "javascript", "bash")


def test_the_code_lies_in_its_file(api):
    record = api.run(language="python", code="print(open(__file__).read(), __file__)", entry="sub/job.py")
    assert "print(open(__file__)" in record["stdout"] and record["stdout"].strip().endswith("job.py")


def test_languages_are_listed_with_versions(api):
    items = {each["name"]: each for each in api.get("/v1/languages")["items"]}
    assert {"python", "javascript", "bash", "c"} <= set(items)
    for name in ("python", "javascript", "bash"):
        each = items[name]
        assert each["available"] and each["interpreter"].startswith("/usr/") and not each["compiled"], each
        assert "version" in each, name
    assert items["c"]["compiled"] and (not items["c"]["available"] or items["c"]["compiler"].startswith("/usr/")), items["c"]
    assert "py" in items["python"]["aliases"]


def test_environment_is_just_what_was_given(api):
    record = api.run(command=["env"], env={"GREETING": "hello world", "EMPTY": ""})
    seen = dict(line.split("=", 1) for line in record["stdout"].splitlines())
    assert seen["GREETING"] == "hello world" and seen["EMPTY"] == ""
    assert set(seen) <= {"GREETING", "EMPTY", "PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "CAISSON_EXECUTION_ID", "CAISSON_ATTEMPT",
                         "ASAN_OPTIONS", "LSAN_OPTIONS"}, seen
    assert seen["PATH"].startswith("/usr")


def test_files_arrive_with_their_bytes(api):
    every = bytes(range(256)) * 300
    files = {"a.txt": "text é\n", "deep/er/b.bin": {"base64": base64.b64encode(every).decode()}, "empty": ""}
    record = api.run(shell="cat a.txt; sha256sum < deep/er/b.bin; wc -c < empty; ls", files=files)
    import hashlib

    assert record["stdout"].splitlines()[:3] == ["text é", hashlib.sha256(every).hexdigest() + "  -", "0"]


def test_the_working_directory_may_be_chosen(api):
    assert api.run(command=["pwd"])["stdout"] == "/workspace\n"
    assert api.run(command=["pwd"], cwd="sub", files={"sub/x": ""})["stdout"] == "/workspace/sub\n"
    assert api.run(command=["pwd"], cwd="/tmp")["stdout"] == "/tmp\n"
    record = api.run(command=["pwd"], cwd="missing")
    assert record["status"] == "failed" and "missing" in record["error"]


def test_each_run_has_a_workspace_of_its_own(api):
    assert api.run(shell="touch left; ls")["stdout"] == "left\n"
    assert api.run(command=["ls"])["stdout"] == ""


# stdin


def test_stdin_absent_is_eof_at_once(api):
    assert api.run(command=["wc", "-c"])["stdout"] == "0\n"


def test_stdin_with_the_request(api):
    assert api.run(command=["cat"], stdin="line\nand é")["stdout"] == "line\nand é"
    every = bytes(range(256))
    record = api.run(command=["sha256sum"], stdin={"base64": base64.b64encode(every * 4096).decode()})
    import hashlib

    assert record["stdout"].split()[0] == hashlib.sha256(every * 4096).hexdigest()


def test_stdin_later_and_its_end(api):
    one = api.start(command=["cat"], stdin_open=True, stdin="first ")
    taken = api.stdin(one, "second ")
    assert taken.value["offset"] == 13
    repeated = api.stdin(one, "first second third", offset=0)
    assert repeated.value["offset"] == 18, "what was taken before is dropped"
    base = api.stdin(one, base64.b64encode(b" \xff").decode(), encoding="base64")
    assert base.value["offset"] == 20
    assert api.stdin(one, "", eof=True).value["offset"] == 20
    record = api.ended(one)
    assert record["stdout"] == "first second third �" and record["stdout_lossy"] is True


def test_stdin_beyond_what_was_taken_or_after_the_end_is_a_conflict(api):
    one = api.start(command=["cat"], stdin_open=True)
    assert api.stdin(one, "x", offset=100).status == 409
    api.stdin(one, "", eof=True)
    assert api.stdin(one, "more").status == 409
    api.ended(one)
    assert api.stdin(one, "more").status == 409


# Waiting


def test_no_wait_answers_at_once_with_an_address(api):
    answer = api.post("/v1/executions", {"command": ["cat"], "stdin_open": True, "wait": False})
    assert answer.status == 202 and answer.value["status"] in ("queued", "running")
    where = answer.headers["location"]
    assert where.endswith("/v1/executions/" + answer["execution_id"])
    assert api.get(where[where.index("/v1/"):]).status == 200
    api.stdin(answer["execution_id"], "", eof=True)
    assert api.ended(answer["execution_id"])["status"] == "success"


def test_prefer_respond_async_is_the_same(api):
    answer = api.post("/v1/executions", {"command": ["true"]}, headers={"Prefer": "respond-async"})
    assert answer.status == 202
    assert api.ended(answer["execution_id"])["status"] == "success"


def test_a_long_poll_returns_at_the_end_or_at_its_time(api):
    one = api.start(command=["cat"], stdin_open=True)
    assert api.show(one, wait_ms=50)["status"] in ("queued", "running")
    api.stdin(one, "", eof=True)
    assert api.show(one, wait_ms=30_000)["status"] == "success"


# Cancel and signal


def test_cancel_ends_a_run(api):
    one = api.start(shell="echo begun; sleep 600 & wait", stdin_open=True)
    next(e for e in api.follow(one) if e["kind"] == "output")
    assert api.cancel(one).status == 202
    record = api.ended(one)
    assert (record["status"], record["verdict"]) == ("cancelled", "cancelled") and record["stdout"] == "begun\n"
    assert api.cancel(one).status == 409, "it has ended"


def test_cancel_of_what_waits_in_the_queue(new_server):
    api = new_server("--set", "executions.max_running=1").api
    first = api.start(command=["cat"], stdin_open=True)
    second = api.start(command=["echo", "never"])
    assert api.show(second)["status"] == "queued"
    api.cancel(second)
    record = api.ended(second)
    assert record["status"] == "cancelled" and record.get("stdout", "") == ""
    assert api.log(second)[-1]["kind"] == "exit"
    api.stdin(first, "", eof=True)
    assert api.ended(first)["status"] == "success"


def test_a_full_queue_is_429(new_server):
    api = new_server("--set", "executions.max_running=1", "--set", "executions.max_queued=1").api
    held = [api.start(command=["cat"], stdin_open=True) for _ in range(2)]
    refused = api.post("/v1/executions", {"command": ["true"], "wait": False})
    assert refused.status == 429 and refused["error"] == "queue_full" and int(refused.headers["retry-after"]) > 0
    for one in held:
        api.cancel(one)
        api.ended(one)


def test_signals_reach_the_program(api):
    one = api.start(shell="trap 'echo usr1' USR1; trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done")
    next(e for e in api.follow(one) if e["kind"] == "output")
    assert api.signal(one, "SIGUSR1", target="leader").status == 202
    next(e for e in api.follow(one) if e["kind"] == "output" and "usr1" in e["data"])
    assert api.signal(one, 15, target="leader").status == 202
    record = api.ended(one)
    assert record["exit_code"] == 7 and record["stdout"] == "ready\nusr1\nbye\n"
    assert api.signal(one, "TERM").status == 409


# Lists


def test_lists_narrow_and_page(server):
    api = server.tenant("lister")
    made = [api.run(command=["true"], labels={"n": str(i), "set": "even" if i % 2 == 0 else "odd"})["execution_id"] for i in range(7)]
    failed = api.run(shell="exit 3")["execution_id"]
    coded = api.run(language="bash", code="true")["execution_id"]
    everything = [coded, failed, *reversed(made)]

    def ids(**query):
        page = api.get("/v1/executions", query=query).value
        return [each["execution_id"] for each in page["items"]], page["next_cursor"]

    assert ids() == (everything, None)
    assert ids(status="failed")[0] == [failed]
    assert ids(kind="code")[0] == [coded] and ids(kind="shell")[0] == [failed]
    assert ids(label="set=odd")[0] == [made[5], made[3], made[1]]
    seen, cursor = ids(limit=4)
    pages = [seen]
    while cursor:
        seen, cursor = ids(limit=4, cursor=cursor)
        pages.append(seen)
    assert [len(page) for page in pages] == [4, 4, 1] and sum(pages, []) == everything
    middle = api.show(made[3])["created_at"]
    after, before = ids(created_from=middle)[0], ids(created_before=middle)[0]
    assert sorted(after + before) == sorted(everything) and made[3] in after and made[0] in before
    first = api.get("/v1/executions", query={"limit": 1}).value["items"][0]
    assert "stdout" not in first
    with_output = api.get("/v1/executions", query={"limit": 1, "include": "output"}).value["items"][0]
    assert with_output["stdout"] == ""


def test_a_new_run_does_not_shift_the_pages(server):
    api = server.tenant("pager")
    made = [api.run(command=["true"])["execution_id"] for _ in range(4)]
    page = api.get("/v1/executions", query={"limit": 2}).value
    api.run(command=["true"])
    rest = api.get("/v1/executions", query={"limit": 2, "cursor": page["next_cursor"]}).value
    assert [each["execution_id"] for each in page["items"] + rest["items"]] == list(reversed(made))


# Delete


def test_delete_removes_record_and_log(api):
    one = api.run(command=["echo", "gone"])["execution_id"]
    assert api.delete(f"/v1/executions/{one}").status == 204
    for path in ("", "/logs", "/events"):
        assert api.get(f"/v1/executions/{one}{path}").status == 404
    assert api.delete(f"/v1/executions/{one}").status == 404


def test_delete_of_a_running_execution_is_a_conflict(api):
    one = api.start(command=["cat"], stdin_open=True)
    assert api.delete(f"/v1/executions/{one}").status == 409
    api.stdin(one, "", eof=True)
    api.ended(one)
    assert api.delete(f"/v1/executions/{one}").status == 204


# Records that are asked for again and again


def test_a_record_is_the_same_however_often_it_is_asked_for(server):
    api, other = server.api, server.tenant("other")
    one = api.start(shell="cat; echo out; echo err >&2", stdin_open=True)
    path = f"/v1/executions/{one}"
    assert {api.show(one)["status"] for _ in range(3)} <= {"queued", "running"}
    api.stdin(one, "in ", eof=True)
    record = api.ended(one)
    assert (record["stdout"], record["stderr"]) == ("in out\n", "err\n")
    whole, less = ([api.get(path, query={"include": which}) for _ in range(3)] for which in ("output", "none"))
    assert all(each.value == record for each in whole)
    assert all(set(record) - set(each.value) == {"stdout", "stderr", "logs", "stdout_lossy", "stderr_lossy"} for each in less)
    ids = {each.headers["x-request-id"] for each in whole + less}
    assert len(ids) == 6
    head = api.call("HEAD", path)
    assert (head.body, head.headers["content-length"]) == (b"", str(len(whole[0].body)))
    assert other.get(path).status == 404 and api.get(path, query={"include": "all"}).status == 400
    assert other.delete(path).status == 404 and api.show(one) == record
    assert api.delete(path).status == 204
    assert [api.get(path, query=query).status for query in (None, {"include": "none"})] == [404, 404]


def test_what_changes_after_the_end_is_seen_each_time(api):
    one = api.run(shell="mkdir out && echo a >out/a && echo b >out/b", collect=["out/**"])["execution_id"]
    assert [api.show(one)["files_list"] for _ in range(2)] == [["out/a", "out/b"]] * 2
    assert api.delete(f"/v1/executions/{one}/artifacts/out/a").status == 204
    assert [api.show(one)["files_list"] for _ in range(2)] == [["out/b"]] * 2
    assert api.delete(f"/v1/executions/{one}/artifacts/out/b").status == 204
    assert "files_list" not in api.show(one)

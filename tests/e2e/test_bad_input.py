"""Every refusal names the field and the limit. One line a case."""

import json

import pytest

A_RUN = {"command": ["true"]}
WELL_FORMED = "exe_" + "0" * 26


def case(name, body, field, *words, status=400, slug=None):
    return pytest.param(body, field, words, status, slug, id=name)


BODIES = [
    case("nothing_to_run", {}, "skill", "is required, or command, or shell, or language with code"),
    case("two_programs", {"command": ["true"], "shell": "true"}, "shell"),
    case("code_without_language", {"code": "1"}, "language"),
    case("language_without_code", {"language": "python"}, "code"),
    case("unknown_language", {"language": "cobol", "code": "x"}, "language", "python", "bash", "javascript"),
    case("unknown_field", {**A_RUN, "comand": 1}, "comand"),
    case("unknown_limit", {**A_RUN, "limits": {"walls_ms": 1}}, "limits.walls_ms"),
    case("command_is_text", {"command": "true"}, "command"),
    case("command_is_empty", {"command": []}, "command"),
    case("command_holds_a_number", {"command": ["echo", 1]}, "command"),
    case("command_holds_a_nul", {"command": ["echo", "a\0b"]}, "command"),
    case("program_has_no_name", {"command": [""]}, "command"),
    case("shell_is_a_number", {"shell": 1}, "shell"),
    case("wall_zero", {**A_RUN, "limits": {"wall_ms": 0}}, "limits.wall_ms", "100", "3600000"),
    case("wall_negative", {**A_RUN, "limits": {"wall_ms": -1}}, "limits.wall_ms", "100"),
    case("wall_absurd", {**A_RUN, "limits": {"wall_ms": 10**15}}, "limits.wall_ms", "3600000"),
    case("wall_past_64_bits", '{"command":["true"],"limits":{"wall_ms":99999999999999999999}}', "limits.wall_ms"),
    case("wall_is_text", {**A_RUN, "limits": {"wall_ms": "5s"}}, "limits.wall_ms"),
    case("wall_has_a_fraction", {**A_RUN, "limits": {"wall_ms": 100.5}}, "limits.wall_ms"),
    case("memory_too_small", {**A_RUN, "limits": {"memory_bytes": 1}}, "limits.memory_bytes", "16777216"),
    case("memory_too_large", {**A_RUN, "limits": {"memory_bytes": 1 << 50}}, "limits.memory_bytes", "17179869184"),
    case("cpus_zero", {**A_RUN, "limits": {"cpus": 0}}, "limits.cpus", "0.01"),
    case("cpus_is_text", {**A_RUN, "limits": {"cpus": "500m"}}, "limits.cpus"),
    case("pids_zero", {**A_RUN, "limits": {"pids": 0}}, "limits.pids", "1", "4096"),
    case("disk_zero", {**A_RUN, "limits": {"disk_bytes": 0}}, "limits.disk_bytes", "1048576"),
    case("inodes_too_many", {**A_RUN, "limits": {"inodes": 10**9}}, "limits.inodes", "1048576"),
    case("open_files_too_few", {**A_RUN, "limits": {"open_files": 1}}, "limits.open_files", "16"),
    case("output_too_small", {**A_RUN, "limits": {"max_output_bytes": 1}}, "limits.max_output_bytes", "1024"),
    case("limits_is_a_list", {**A_RUN, "limits": []}, "limits"),
    case("file_escapes", {**A_RUN, "files": {"../x": ""}}, "files.../x"),
    case("file_escapes_inside", {**A_RUN, "files": {"a/../../x": ""}}, "files.a/../../x"),
    case("file_absolute", {**A_RUN, "files": {"/etc/passwd": ""}}, "files./etc/passwd"),
    case("file_without_name", {**A_RUN, "files": {"": ""}}, "files."),
    case("file_is_a_directory", {**A_RUN, "files": {"a": "", "a/b": ""}}, "files.a"),
    case("file_twice", {**A_RUN, "files": {"a": "", "./a": ""}}, "files."),
    case("file_nul", {**A_RUN, "files": {"a\0b": ""}}, "files.a"),
    case("file_name_too_long", {**A_RUN, "files": {"x" * 300: ""}}, "files.x", "255"),
    case("file_is_a_number", {**A_RUN, "files": {"a": 1}}, "files.a"),
    case("file_is_not_base64", {**A_RUN, "files": {"a": {"base64": "***"}}}, "files.a"),
    case("file_has_another_key", {**A_RUN, "files": {"a": {"base16": "00"}}}, "files.a"),
    case("files_is_a_list", {**A_RUN, "files": []}, "files"),
    case("env_name_with_equals", {**A_RUN, "env": {"A=B": "c"}}, "env.A=B"),
    case("env_name_empty", {**A_RUN, "env": {"": "c"}}, "env", "must not have an empty name"),
    case("env_value_nul", {**A_RUN, "env": {"A": "\0"}}, "env.A"),
    case("env_value_number", {**A_RUN, "env": {"A": 1}}, "env.A"),
    case("arguments_too_long", {"command": ["echo", "x" * 200_000]}, "", "131072"),
    case("cwd_escapes", {**A_RUN, "cwd": "../.."}, "cwd"),
    case("cwd_nul", {**A_RUN, "cwd": "a\0"}, "cwd"),
    case("cwd_too_long", {**A_RUN, "cwd": "x/" * 4000}, "cwd", "4096"),
    case("label_key", {**A_RUN, "labels": {"a b": "c"}}, "labels.a b"),
    case("label_value_long", {**A_RUN, "labels": {"a": "c" * 256}}, "labels.a", "255"),
    case("labels_too_many", {**A_RUN, "labels": {str(i): "" for i in range(65)}}, "labels", "64"),
    case("pty_zero", {**A_RUN, "pty": {"cols": 0, "rows": 24}}, "pty.cols", "1", "1000"),
    case("pty_true", {**A_RUN, "pty": True}, "pty"),
    case("stdin_number", {**A_RUN, "stdin": 5}, "stdin"),
    case("wait_is_text", {**A_RUN, "wait": "yes"}, "wait"),
    case("on_output_limit", {**A_RUN, "on_output_limit": "explode"}, "on_output_limit", "truncate", "kill"),
    case("runtime_unknown", {**A_RUN, "runtime": "vmware"}, "runtime", "bubblewrap"),
    case("runtime_not_enabled", {**A_RUN, "runtime": "process"}, "runtime"),
    case("runtime_mock", {**A_RUN, "runtime": "mock"}, "runtime"),
    case("network_mode_absent", {**A_RUN, "network": {}}, "network.mode"),
    case("entry_escapes", {"language": "python", "code": "1", "entry": "../m.py"}, "entry"),
    case("two_mistakes", {"command": ["true"], "cwd": 1, "wait": 2}, "wait"),
    case("duplicate_key", '{"command":["true"],"command":["false"]}', "", "command"),
    case("malformed", '{"command":["true"]', "", "line"),
    case("trailing_text", '{"command":["true"]} x', ""),
    case("comment", '{"command":["true"]/* */}', ""),
    case("empty_body", "", ""),
    case("a_list", "[]", "", "object"),
    case("a_number", "5", "", "object"),
    case("null", "null", "", "object"),
    case("not_a_number", '{"command":["true"],"limits":{"cpus":NaN}}', ""),
    case("not_utf8", b'{"command":["\xff"]}', ""),
    case("surrogate", '{"command":["\\ud800"]}', ""),
    case("too_deep", '{"labels":' * 5000 + "1" + "}" * 5000, ""),
    case("skill_command_and_shell", {**A_RUN, "skill": "word-counter", "shell": "ls"}, "shell", "cannot be combined with command"),
    case("collect_and_skill", {"skill": "word-counter", "collect": ["out/**"]}, "collect", "cannot be combined with skill"),
    case("input_alone", {**A_RUN, "input": {}}, "input", "needs skill"),
    case("later_sandbox", {**A_RUN, "sandbox_id": "sbx_1"}, "sandbox_id", status=501, slug="not_implemented"),
    case("image_without_images", {**A_RUN, "image": "debian"}, "image", "has no meaning on the runtime"),
    case("image_of_no_name", {**A_RUN, "image": "a b"}, "image", "must be the name of an image"),
    case("later_user", {**A_RUN, "user": "x"}, "user", status=501, slug="not_implemented"),
    case("retry_without_attempts", {**A_RUN, "retry": {"attempts": 0}}, "retry.attempts", "between 1 and 10"),
    case("retry_of_a_lost_run", {**A_RUN, "retry": {"on": ["agent_lost"]}}, "retry", "idempotent"),
    case("empty_webhook", {**A_RUN, "webhook": {}}, "webhook.url", "is required"),
    case("webhook_to_this_host", {**A_RUN, "webhook": {"url": "http://127.0.0.1:1/", "secret": "x" * 16}}, "webhook.url", "webhooks.allow_private"),
    case("webhook_with_short_secret", {**A_RUN, "webhook": {"url": "https://example.com/", "secret": "x" * 15}}, "webhook.secret", "16"),
    case("later_network", {**A_RUN, "network": {"mode": "allow"}}, "network.mode", status=501, slug="not_implemented"),
]


@pytest.mark.parametrize("body, field, words, status, slug", BODIES)
def test_a_bad_execution_is_refused_by_name(api, body, field, words, status, slug):
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    answer = api.post("/v1/executions", raw=raw)
    assert answer.status == status and answer["error"] == (slug or "bad_request"), answer.value
    text = json.dumps(answer.value, ensure_ascii=False)
    if field:
        assert any(name.startswith(field) for name in answer.fields()), (field, answer.value)
    for word in words:
        assert word in text, (word, text)


def test_all_mistakes_are_told_at_once(api):
    answer = api.post("/v1/executions", {"command": [], "limits": {"wall_ms": 0, "pids": 0}, "nonsense": 1, "cwd": 5})
    assert {"command", "limits.wall_ms", "limits.pids", "nonsense", "cwd"} <= set(answer.fields())


def test_refused_requests_leave_no_record(server):
    api = server.tenant("refused")
    assert api.post("/v1/executions", {"command": []}).status == 400
    assert api.get("/v1/executions")["items"] == []


QUERIES = [
    ("/v1/executions", {"limit": "0"}, "limit"),
    ("/v1/executions", {"limit": "201"}, "limit"),
    ("/v1/executions", {"limit": "ten"}, "limit"),
    ("/v1/executions", {"status": "done"}, "status"),
    ("/v1/executions", {"kind": "skill!"}, "kind"),
    ("/v1/executions", {"cursor": "nonsense"}, "cursor"),
    ("/v1/executions", {"label": "novalue"}, "label"),
    ("/v1/executions", {"created_from": "yesterday"}, "created_from"),
    ("/v1/executions", {"nonsense": "1"}, "nonsense"),
    (f"/v1/executions/{WELL_FORMED}", {"wait_ms": "-1"}, "wait_ms"),
    (f"/v1/executions/{WELL_FORMED}", {"wait_ms": "999999999"}, "wait_ms"),
    (f"/v1/executions/{WELL_FORMED}/events", {"after": "!!!"}, "after"),
    (f"/v1/executions/{WELL_FORMED}/events", {"follow": "perhaps"}, "follow"),
]


@pytest.mark.parametrize("path, query, field", QUERIES, ids=[f"{list(q)[0]}={list(q.values())[0]}" for _, q, _ in QUERIES])
def test_a_bad_parameter_is_refused_by_name(api, path, query, field):
    answer = api.get(path, query=query)
    assert answer.status == 400 and field in answer.fields(), answer.value


ODD_IDS = ["x", "exe_", WELL_FORMED, WELL_FORMED.upper(), WELL_FORMED + "0", "sbx_" + "0" * 26, "exe_" + "u" * 26, "%00", "exe_%2e%2e", "é".encode().hex(), "a" * 3000]


@pytest.mark.parametrize("name", ODD_IDS, ids=range(len(ODD_IDS)))
def test_an_odd_id_is_not_found(api, name):
    for method, more in (("GET", ""), ("DELETE", ""), ("GET", "/logs"), ("GET", "/events"), ("GET", "/stream")):
        answer = api.call(method, f"/v1/executions/{name}{more}")
        assert answer.status in (404, 400) if more == "/stream" else answer.status == 404, (method, more, answer.value)
    assert api.cancel(name).status == 404
    assert api.signal(name, "TERM").status == 404
    assert api.stdin(name, "x").status == 404


CONTROLS = [
    ("signal", {}, "signal"),
    ("signal", {"signal": "SIGNOTHING"}, "signal"),
    ("signal", {"signal": 0}, "signal"),
    ("signal", {"signal": 99}, "signal"),
    ("signal", {"signal": "TERM", "target": "all"}, "target"),
    ("signal", {"signal": "TERM", "more": 1}, "more"),
    ("stdin", {}, "data"),
    ("stdin", {"data": 5}, "data"),
    ("stdin", {"data": "*", "encoding": "base64"}, "data"),
    ("stdin", {"data": "", "encoding": "utf-16"}, "encoding"),
    ("stdin", {"data": "", "offset": -1}, "offset"),
    ("cancel", {"why": "x"}, "why"),
]


@pytest.mark.parametrize("verb, body, field", CONTROLS)
def test_a_bad_control_is_refused_by_name(api, verb, body, field):
    one = api.run(command=["true"])["execution_id"]
    answer = api.post(f"/v1/executions/{one}/{verb}", body)
    assert answer.status == 400 and field in answer.fields(), answer.value


@pytest.mark.parametrize("path", ["/v1/tickets", "/v1/skills/nobodys/1.0.0/disable", "/v1/skills/nobodys/1.0.0/enable"])
def test_a_body_where_none_is_needed_is_refused(api, path):
    assert api.post(path, {"x": 1}).fields() == {"x": "is not a known field"}
    assert "body" in api.post(path, raw=b"{bad").fields()
    assert api.post(path, {}).status == api.post(path).status != 400


def test_a_body_of_another_type_is_415(api):
    answer = api.post("/v1/executions", raw=b"command=true", headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 415 and answer["error"] == "unsupported_media_type"
    charset = api.post("/v1/executions", {"command": ["true"]}, headers={"Content-Type": "application/json; charset=utf-8"})
    assert charset.status == 200


WRONG_METHODS = [("PUT", "/v1/executions"), ("DELETE", "/v1/executions"), ("POST", "/health"), ("PATCH", f"/v1/executions/{WELL_FORMED}"), ("GET", "/v1/tickets"),
                 ("POST", "/v1/admin/images"), ("GET", "/v1/admin/images/python:3")]


@pytest.mark.parametrize("method, path", WRONG_METHODS)
def test_a_wrong_method_says_which_are_right(api, method, path):
    answer = api.call(method, path)
    assert answer.status == 405 and answer["error"] == "method_not_allowed" and answer.headers["allow"]


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1/nothing", "/v1/executions/", "/v2/executions", "//v1/executions", "/v1/executions/../executions", "/%2e%2e/etc/passwd"])
def test_an_unknown_route_is_a_json_404(api, path):
    answer = api.get(path)
    assert answer.status == 404 and answer["error"] == "not_found"


@pytest.mark.parametrize("path", ["/v1/sandboxes", "/v1/sandboxes/x"])
def test_a_route_of_a_later_version_is_said_to_come(api, path):
    answer = api.post(path, {})
    assert answer.status == 501, answer.value


def test_a_content_encoding_is_415(api):
    answer = api.post("/v1/executions", {"command": ["true"]}, headers={"Content-Encoding": "gzip"})
    assert answer.status == 415 and "encoding" in answer["message"]


@pytest.mark.parametrize("credentials", ["", "Authorization: Bearer csn_nobody\r\n", "X-API-Key: x\r\n"])
def test_a_large_body_of_a_stranger_is_refused_unread(api, credentials):
    import socket

    head = f"POST /v1/executions HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n{credentials}\r\n"
    with socket.create_connection(api.address, timeout=30) as stranger:
        stranger.sendall(head.encode())    # and none of the body
        assert stranger.recv(64).startswith(b"HTTP/1.1 401 ")

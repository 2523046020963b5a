"""Requests and programs that make the server work as much as its limits let them. Each takes an Api and returns when it is answered."""

import base64
import io
import json
import socket
import zipfile
from concurrent.futures import ThreadPoolExecutor

from harness.waiting import until

MIB = 1 << 20
LOADS = {}


def load(what):
    """Registers a load under its function's name."""

    def keep(function):
        LOADS[function.__name__] = (what, function)
        return function

    return keep


def post(api, path, body, want, **more):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = api.call("POST", path, raw=raw, judged=False, **more)
    assert answer.status == want, (answer.status, answer.body[:500])
    return answer


def get(api, path, want=200, **more):
    answer = api.call("GET", path, judged=False, **more)
    assert answer.status == want, (answer.status, answer.body[:500], path)
    return answer


def batch_of(api, number, **one):
    answer = post(api, "/v1/executions/batch", {"executions": [one] * number, "wait": False}, 202)
    return [each["execution"]["execution_id"] for each in answer.value["results"]]


def at_once(number, do):
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(do, range(number)))


def ended(api, execution):
    return api.ended(execution)


def many_files(count, size):
    """A program that writes so many files."""
    return f"import os\nfor i in range({count}): open(f'f{{i}}','wb').write(b'x'*{size})"


# Bodies


@load("a program's text of 75 MB in a body, each character escaped")
def escaped_code(api):
    post(api, "/v1/executions", b'{"language":"python","wait":false,"code":"' + b"\\u0041" * (75 * MIB // 6) + b'"}', 202)


@load("63 MB of text for a program's input")
def large_stdin(api):
    post(api, "/v1/executions", b'{"command":["true"],"stdin":"' + b"x" * (63 * MIB) + b'"}', 200)


@load("75 MB of files in base64")
def large_files(api):
    content = base64.b64encode(bytes(55 * MIB)).decode()
    post(api, "/v1/executions", {"command": ["true"], "files": {"a": {"base64": content}}}, 200)


@load("a thousand files of 70 kB")
def many_request_files(api):
    content = base64.b64encode(bytes(50_000)).decode()
    post(api, "/v1/executions", {"command": ["true"], "files": {f"d{i % 50}/f{i}": {"base64": content} for i in range(1000)}}, 200)


@load("a body of 75 MB that is small arrays")
def nested_arrays(api):
    post(api, "/v1/executions", b'{"command":["true"],"x":[' + b"[]," * (25 * MIB) + b"0]}", 400)


@load("a body of 75 MB that is numbers")
def numbers(api):
    post(api, "/v1/executions", b'{"command":[' + b"1.5e3," * (12 * MIB) + b"0]}", 400)


@load("a body with millions of members")
def members(api):
    post(api, "/v1/executions", b'{"env":{' + b",".join(b'"k%d":"v"' % i for i in range(4_000_000)) + b"}}", 400)


@load("a body with millions of arguments")
def arguments(api):
    post(api, "/v1/executions", b'{"command":["a"' + b',"b"' * (18 * MIB) + b"]}", 400)


@load("a body of 75 MB that is not JSON at its end")
def broken(api):
    post(api, "/v1/executions", b'{"command":["a"' + b',"b"' * (18 * MIB), 400)


@load("75 MB in chunks, without a length")
def chunks(api):
    piece = b"x" * MIB
    lines = [b"%x\r\n%s\r\n" % (len(piece), piece)] * 60
    with socket.create_connection(api.address, 60) as one:
        one.sendall(b"POST /v1/executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n" % api.key.encode())
        start = b'{"command":["true"],"stdin":"'
        one.sendall(b"%x\r\n%s\r\n" % (len(start), start))
        for line in lines:
            one.sendall(line)
        one.sendall(b"2\r\n\"}\r\n0\r\n\r\n")
        assert one.recv(12) == b"HTTP/1.1 200"


@load("75 MB of white space before an object")
def white_space(api):
    for kind in ("application/json", "text/plain"):
        api.call("POST", "/v1/executions", raw=b" " * (75 * MIB) + b'{"command":["true"]}', headers={"Content-Type": kind}, judged=False)


@load("three hundred bodies of 200 kB at once")
def many_bodies(api):
    body = json.dumps({"command": ["true"], "stdin": "x" * 200_000, "wait": False})
    at_once(300, lambda _: post(api, "/v1/executions", body.encode(), 202))


@load("a batch of a hundred, 700 kB each")
def batch(api):
    one = {"command": ["true"], "files": {f"f{i}": "x" * 7_000 for i in range(100)}}
    post(api, "/v1/executions/batch", {"executions": [one] * 100, "wait": False}, 202)


@load("a skill's input of 16 MB")
def skill_input(api):
    skill(api, "input", {"skill.py": b"import sys,json\njson.load(sys.stdin)\nprint('{}')"})
    rows = [{"a": i, "b": [1, 2, {"c": None}]} for i in range(300_000)]
    post(api, "/v1/executions", {"skill": "input", "command": ["true"], "input": {"rows": rows}}, 200)


def skill(api, name, files, manifest="", version="1.0.0", description="A skill"):
    text = f"---\nname: {name}\nversion: {version}\ndescription: {json.dumps(description)}\n{manifest}---\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("SKILL.md", text)
        for path, content in files.items():
            made.writestr(path, content)
    post(api, "/v1/skills", out.getvalue(), 201, headers={"Content-Type": "application/zip"})


@load("a package of 500 files and 45 MB")
def package(api):
    skill(api, "large", {f"d{i}/f{i}": bytes(90_000) for i in range(480)})


# Runs


@load("a thousand kept files of a run, and its end")
def kept_files(api):
    made = api.run(language="python", code=many_files(1000, 1000), collect=["**"])
    assert len(made["files_list"]) == 1000
    get(api, f"/v1/executions/{made['execution_id']}/artifacts?limit=200")
    assert api.delete(f"/v1/executions/{made['execution_id']}").status == 204


@load("60 files that a hundred patterns look at")
def patterns(api):
    api.run(language="python", code=many_files(60, 10), collect=["*a*" * 20] * 100)


@load("200 kB of output in pieces of one byte, with twenty viewers")
def single_bytes(api):
    one = api.start(command=["python3", "-c", "import os\nfor i in range(200000): os.write(1,b'x')"], limits={"wall_ms": 60_000})
    at_once(20, lambda _: read_events(api, one))


def read_events(api, one):
    response, connection = api.open_events(one, sse=True)
    assert response.status == 200
    while response.read(1 << 16):
        pass
    connection.close()


@load("12 MB of output, read as a log, as events and as a record")
def large_output(api):
    one = api.run(command=["sh", "-c", "yes 0123456789 | head -c 16000000; yes e | head -c 200000 >&2"],
                  limits={"max_output_bytes": 64 * MIB})["execution_id"]
    for path in ("", "/logs", "/events?follow=0"):
        get(api, f"/v1/executions/{one}{path}")
    at_once(20, lambda _: read_events(api, one))


@load("lines of two streams that alternate, read as one text")
def torn_lines(api):
    code = "import os\nfor i in range(100000): os.write(1+i%2,b'abcdefgh'*4+(b'\\n' if i%3==0 else b''))"
    one = api.run(language="python", code=code, limits={"max_output_bytes": 64 * MIB})["execution_id"]
    at_once(8, lambda _: get(api, f"/v1/executions/{one}/logs"))
    at_once(8, lambda _: get(api, f"/v1/executions/{one}"))


@load("six hundred short runs at once, and pages of their list by label")
def lists(api):
    labels = {f"key-{i}": "v" * 255 for i in range(64)}
    for _ in range(6):
        batch_of(api, 100, command=["true"], labels=labels)
    for _ in range(10):
        get(api, f"/v1/executions?limit=200&label=key-0%3D{'v' * 255}")
    at_once(8, lambda _: get(api, "/v1/executions?limit=200&include=output"))


@load("pages of runs that go on, with output that is not UTF-8")
def live_pages(api):
    code = "import os,time\nfor i in range(2000): os.write(1,bytes([200+i%50])*50)\ntime.sleep(300)"
    made = batch_of(api, 4, language="python", code=code)
    until(lambda: sum(api.show(one)["status"] == "running" for one in made) >= 3, what="runs")
    for _ in range(20):
        get(api, "/v1/executions?limit=200&include=output")
    for one in made:
        api.call("POST", f"/v1/executions/{one}/cancel", judged=False)


@load("pages of runs with output")
def pages_with_output(api):
    for _ in range(2):
        made = batch_of(api, 100, command=["sh", "-c", "yes | head -c 100000"])
    for each in made:
        api.ended(each)
    at_once(4, lambda _: get(api, "/v1/executions?limit=200&include=output"))
    at_once(16, lambda n: [api.call("DELETE", f"/v1/executions/{one}", judged=False) for one in made[n::16]])


@load("a thousand cancelled while they wait")
def cancelled(api):
    made = [one for _ in range(10) for one in batch_of(api, 100, command=["sleep", "60"])]
    at_once(16, lambda n: [api.call("POST", f"/v1/executions/{one}/cancel", judged=False) for one in made[n::16]])


# Threads


def state_of(size):
    return {"rows": [{"id": i, "text": "abc" * 10, "more": [1, 2, 3]} for i in range(size // 80)]}


@load("saved states of 4 MB, their differences, an export and an import")
def states(api):
    large = state_of(3_600_000)
    made = []
    for i in range(4):
        large["rows"][i]["id"] = -1
        made.append(post(api, "/v1/threads/t/checkpoints", {"state": large}, 201).value["id"])
    get(api, f"/v1/threads/t/diff?from={made[0]}&to={made[3]}")
    for path in (f"checkpoints/{made[3]}", f"checkpoints/{made[3]}/state", "checkpoints?limit=200"):
        get(api, f"/v1/threads/t/{path}")
    exported = get(api, "/v1/threads/t/export")
    post(api, "/v1/threads/u/import", exported.body, 201, headers={"Content-Type": exported.headers["content-type"]})
    assert api.call("DELETE", "/v1/threads/t", judged=False).status == 204


@load("the latest state of 4 MB in bytes")
def state_in_bytes(api):
    state = base64.b64encode(bytes(range(256)) * (4 * MIB // 256)).decode()
    post(api, "/v1/threads/bytes/checkpoints", {"state_base64": state, "media_type": "application/x-raw"}, 201)
    get(api, "/v1/threads/bytes/checkpoints/latest")
    get(api, "/v1/threads/bytes/checkpoints?include=state")


@load("pages of states that name as much as they may, with large metadata")
def references(api):
    deep = "/".join(["q" * 250] * 5)
    code = f"import os\nfor i in range(50):\n p='{deep}/%d'%i\n os.makedirs(os.path.dirname(p),exist_ok=True)\n open(p,'w').close()"
    run = api.run(language="python", code=code, collect=["**"])
    custom = {"k": '"' * 4_000}
    body = {"state": 1, "execution_id": run["execution_id"], "artifacts": run["files_list"], "metadata": {"custom": custom}}
    for _ in range(60):
        post(api, "/v1/threads/names/checkpoints", body, 201)
    for query in ("?limit=200", "/latest?include=artifacts"):
        get(api, "/v1/threads/names/checkpoints" + query)


@load("names of a thousand files, each 4 kB that JSON writes as 8")
def long_names(api):
    deep = "/".join(['"' * 250] * 15)
    code = f"import os\nos.makedirs('{deep}')\nos.chdir('{deep}')\nfor i in range(1000): open('f%d'%i,'w').close()"
    one = api.run(language="python", code=code, collect=["**"])["execution_id"]
    get(api, f"/v1/executions/{one}")
    get(api, f"/v1/executions/{one}/artifacts?limit=200")


@load("an archive of a run's files")
def archive(api):
    one = api.run(language="python", code=many_files(300, 300_000), collect=["**"], limits={"disk_bytes": 512 * MIB})["execution_id"]
    for kind in ("application/zip", "application/gzip"):
        get(api, f"/v1/executions/{one}/files", headers={"Accept": kind})


@load("a thousand requests with 100 headers and a query of 16 kB")
def headers(api):
    more = {f"X-{i}": "v" * 500 for i in range(90)}
    at_once(8, lambda _: [get(api, "/v1/executions?limit=1&label=" + "a" * 15_000, 400, headers=more) for _ in range(100)])


@load("messages of 8 MB on a connection, in ASCII and not, and what follows nine hundred logs")
def connection(api):
    viewer = api.websocket("/v1/connect")
    run = {"type": "run", "command": ["true"], "stdin": "x" * (7 * MIB)}
    for i in range(2):
        viewer.send_text(json.dumps({**run, "ref": f"large-{i}"}))
    for i in range(2):
        wide = {"type": "run", "ref": f"wide-{i}", "command": ["true"], "stdin": "é" * (7 * MIB // 2)}
        viewer.send_text(json.dumps(wide, ensure_ascii=False))
    for each in batch_of(api, 100, command=["echo", "x"]):
        for i in range(9):
            viewer.send_text(json.dumps({"type": "attach", "execution_id": each, "ref": f"{each}-{i}"}))
    ends = 0
    while ends < 904:
        message = viewer.receive()
        frame = json.loads(message) if isinstance(message, str) else {}
        ends += frame.get("type") == "exit" or "error" in frame
    viewer.close()


@load("a thread of two thousand states, its pages and its end")
def many_states(api):
    for i in range(2000):
        post(api, "/v1/threads/many/checkpoints", {"state": {"i": i}, "metadata": {"step": i, "tags": ["loop"]}}, 201)
    get(api, "/v1/threads/many/checkpoints?limit=200")
    exported = get(api, "/v1/threads/many/export")
    post(api, "/v1/threads/copy/import", exported.body, 201, headers={"Content-Type": exported.headers["content-type"]})
    assert api.call("DELETE", "/v1/threads/many", judged=False).status == 204


@load("an output of 1 MB that a schema checks")
def checked_output(api):
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object", "required": ["a", "b"]}}}}
    program = b"import json,os\nopen(os.environ['SANDBOX_OUTPUT'],'w').write(json.dumps({'rows':[{'a':1,'b':'x'}]*50000}))"
    skill(api, "checked", {"main.py": program}, f"entry: main.py\noutput_schema: {json.dumps(schema)}\n")
    post(api, "/v1/executions", {"skill": "checked"}, 200)


@load("a hundred packages, their list and their validation")
def packages(api):
    for i in range(100):
        skill(api, f"many-{i}", {f"f{j}.txt": b"x" * 1000 for j in range(100)})
    for i in range(200):
        skill(api, "versions", {"a": b"x"}, version=f"1.0.{i}", description='"' * 1000)
    get(api, "/v1/skills?limit=200")
    get(api, "/v1/skills/versions")
    get(api, "/v1/stats")


@load("as many arguments and variables as there may be")
def arguments_and_variables(api):
    env = {f"v{i}": "x" * 60 for i in range(1000)}
    batch_of(api, 8, command=["true", *["a" * 10] * 4000], env=env)


@load("a log of many small events, read from each of its positions")
def small_events(api):
    code = "import os,time\nfor i in range(3000): os.write(1+i%2,b'x\\n'); time.sleep(0.0002)"
    one = api.run(language="python", code=code)["execution_id"]
    lines = get(api, f"/v1/executions/{one}/events?follow=0").body.splitlines()
    for line in lines[:: max(1, len(lines) // 200)]:
        cursor = json.loads(line).get("cursor")
        get(api, f"/v1/executions/{one}/events?follow=0&after={cursor}")

"""Programs in containers, under docker and under gVisor: the same requests, streams and ends as in any other sandbox."""

import json

import pytest

from harness import events as tools
from harness.containers import BASH, BUSYBOX, NODE, PYTHON
from harness.packages import pushed
from harness.verdicts import ROWS, check, column_of
from harness.waiting import until
from test_examples import EACH, EXAMPLES, EXPECTED, NAMES
from test_verdicts import run_table, runtime_of

LONG = {"wall_ms": 60_000}


def first_output(api, one):
    return next(e for e in api.follow(one) if e["kind"] == "output")


# What runs


def test_a_command_runs_in_its_image(box):
    record = box.api.run(command=["sh", "-c", "echo out; echo err >&2; exit 3"], limits=LONG)
    assert (record["verdict"], record["exit_code"], record["stdout"], record["stderr"]) == ("exited", 3, "out\n", "err\n")
    assert (record["runtime"], record["image"]) == (box.runtime, PYTHON)
    assert record["image_digest"] == box.engine.inspect(PYTHON)["Id"]


@pytest.mark.parametrize("language, code, image", [
    ("python", "import sys; print(sum(map(int, sys.argv[1:])))", PYTHON), ("bash", 'echo "$(($1 + $2))"', BASH),
    ("node", "console.log(process.argv.slice(2).reduce((a, b) => a + Number(b), 0))", NODE),
])
def test_code_runs_in_the_image_of_its_language(box, language, code, image):
    record = box.api.run(language=language, code=code, args=["40", "2"], limits=LONG)
    assert (record["status"], record["stdout"], record["image"]) == ("success", "42\n", image)


def test_an_image_can_be_named(box):
    record = box.api.run(command=["busybox", "sh", "-c", "echo $0; ls /bin/busybox"], image=BUSYBOX, limits=LONG)
    assert (record["stdout"], record["image"]) == ("sh\n/bin/busybox\n", BUSYBOX)
    assert record["image_digest"] == box.engine.inspect(BUSYBOX)["Id"]


def test_it_gets_files_environment_and_input(box):
    record = box.api.run(shell='cat given; echo "$WORD"; cat; pwd; echo "$HOME"', files={"given": "file\n"}, env={"WORD": "ä b"}, stdin="in\n", limits=LONG)
    assert record["stdout"].splitlines()[:4] == ["file", "ä b", "in", "/workspace"], record


def test_bytes_come_as_they_were_written(box):
    one = box.api.start(command=["python3", "-c", "import os; os.write(1, bytes(range(256)) * 8192); os.write(2, b'\\xff' * 70000)"], limits=LONG)
    box.api.ended(one)
    log = box.api.log(one)
    assert tools.joined(log) == bytes(range(256)) * 8192 and tools.joined(log, "stderr") == b"\xff" * 70000


def test_it_is_fed_and_watched_live(box):
    one = box.api.start(command=["cat"], stdin_open=True, limits=LONG)
    for word in ("one\n", "two\n"):
        assert box.api.stdin(one, word).status == 202
        until(lambda: word in box.api.show(one)["stdout"], what=word)
    box.api.stdin(one, "", eof=True)
    assert box.api.ended(one)["stdout"] == "one\ntwo\n"


def test_a_terminal_is_one(box):
    record = box.api.run(command=["sh", "-c", "test -t 0 && stty size"], pty={"cols": 81, "rows": 25}, limits=LONG)
    assert record["stdout"] == "25 81\r\n", record
    slow = [line for line in box.log_tail(1 << 20).splitlines() if "did not end the streams" in line and record["execution_id"] in line]
    assert not slow, "its end was not seen"


def test_the_end_of_a_terminals_input_is_seen_or_told_beforehand(box):
    record = box.api.run(command=["cat"], pty={"cols": 80, "rows": 24}, limits={"wall_ms": 5_000})
    told = "terminal" in record["degraded"]
    assert (record["verdict"], told) in (("exited", False), ("wall_limit", True)), record


def test_a_signal_and_a_cancel_reach_it(box):
    one = box.api.start(shell="trap 'echo caught; exit 7' TERM; echo on; while :; do sleep 0.05; done", limits=LONG)
    first_output(box.api, one)
    assert box.api.signal(one, "TERM").status == 202
    assert (box.api.ended(one)["exit_code"], box.api.show(one)["stdout"]) == (7, "on\ncaught\n")
    other = box.api.start(command=["sleep", "1000"], limits=LONG)
    until(lambda: box.api.show(other)["status"] == "running", what="its start")
    box.api.cancel(other)
    assert box.api.ended(other)["verdict"] == "cancelled"


def test_many_at_once(box):
    ids = [box.api.start(shell=f"echo {number}", limits={**LONG, "memory_bytes": 64 << 20, "disk_bytes": 16 << 20}) for number in range(16)]
    assert [box.api.ended(one, wait_ms=120_000)["stdout"] for one in ids] == [f"{number}\n" for number in range(16)]


@pytest.mark.parametrize("ends", ["by_itself", "cancelled"])
def test_the_engine_is_not_told_to_kill_what_the_server_has_killed(new_box, engine, ends):
    """containerd, while it kills, needs a second for the end of each process beyond some thirty, and gVisor has many."""
    server = new_box("gvisor")
    forking = "for i in $(seq 60); do sleep 100 & done; echo on; " + ("cat" if ends == "by_itself" else "wait")
    one = server.api.start(shell=forking, stdin_open=True, limits=LONG)
    first_output(server.api, one)
    name = server.container()
    if ends == "cancelled":
        assert server.api.cancel(one).status in (200, 202)
    else:
        assert server.api.stdin(one, "", eof=True).status in (200, 202)
    assert server.api.ended(one)["status"] == ("success" if ends == "by_itself" else "cancelled")
    server.nothing_left()
    deeds = engine.deeds(name)
    assert "destroy" in deeds and "kill" not in deeds, deeds


def test_files_are_collected(box):
    record = box.api.run(shell="mkdir a; printf one >a/1; ln -s /etc/passwd link; printf two >2", collect=["**"], limits=LONG)
    files = box.api.get(f"/v1/executions/{record['execution_id']}/artifacts").value
    kept = {each["path"] for each in (files if isinstance(files, list) else files["items"])}
    assert {"a/1", "2"} <= kept and "link" not in kept


# Confinement


def test_the_program_has_no_rights_and_no_network(box):
    record = box.api.run(language="python", limits=LONG, code="""
import os, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(os.getuid() != 0, status["CapEff"].strip(), status["CapBnd"].strip(), status.get("NoNewPrivs", "1").strip())
print(sorted(name for _, name in socket.if_nameindex()))
for path in ("/x", "/etc/x", "/usr/x", "/.caisson/x"):
    try:
        open(path, "w")
        print("wrote", path)
    except OSError:
        pass
for path in ("/workspace/x", "/tmp/x", "/dev/shm/x"):
    open(path, "w").write("y")
print(any(os.path.exists(path) for path in ("/var/run/docker.sock", "/run/docker.sock")))
""")
    assert record["status"] == "success", record
    assert record["stdout"].splitlines() == ["True 0000000000000000 0000000000000000 1", "['lo']", "False"], record["stdout"]


def test_two_of_them_share_nothing(box):
    assert box.api.run(shell="echo secret >/tmp/s; echo secret >s; echo secret >/dev/shm/s", limits=LONG)["status"] == "success"
    assert box.api.run(shell="cat /tmp/s s /dev/shm/s 2>/dev/null; echo fresh", limits=LONG)["stdout"] == "fresh\n"


# Images


def refused(answer, field):
    assert answer.status in (400, 403, 422), (answer.status, answer.value)
    return json.dumps(answer.value)


def test_an_image_that_is_not_allowed_is_refused(box):
    answer = box.api.post("/v1/executions", {"command": ["true"], "image": "debian:12"})
    assert "debian:12" in refused(answer, "image") and not box.containers()


@pytest.mark.parametrize("name", ["", "UPPER", "a b", "../x", "x" * 300, "a:b:c", "-x", "http://x/y"])
def test_a_name_that_is_none_is_refused(box, name):
    answer = box.api.post("/v1/executions", {"command": ["true"], "image": name})
    assert answer.status == 400 and "image" in answer.fields(), answer.value


def test_an_image_that_is_allowed_and_not_there_ends_with_its_name(new_box):
    server = new_box("docker", allowed=["nothing/here:1"])
    record = server.api.run(command=["true"], image="nothing/here:1", retry={"attempts": 1}, limits=LONG)
    assert record["status"] == "failed" and record["verdict"] == "runtime_error" and "nothing/here:1" in record["error"], record
    assert server.api.run(command=["echo", "on"], limits=LONG)["stdout"] == "on\n"
    server.nothing_left()


@pytest.mark.parametrize("policy", ["missing", "always"])
def test_a_registry_that_cannot_be_reached_is_told(new_box, policy):
    name = "127.0.0.1:9/nothing/here:1"
    server = new_box("docker", "--set", f"images.pull={policy}", "--set", f"images.allowed={name}", "--set", "images.default=" + name)
    record = server.api.run(command=["true"], retry={"attempts": 1}, limits=LONG)
    assert record["status"] == "failed" and name in record["error"], record
    server.nothing_left()


HOSTILE = {
    "entrypoint": ['ENTRYPOINT ["/bin/false"]', 'CMD ["/bin/false"]'],
    "user": ["USER 0:0"],
    "unknown_user": ["USER nobody-knows"],
    "environment": ["ENV LD_PRELOAD=/nowhere.so PYTHONSTARTUP=/x BASH_ENV=/x ENV=/x"],
    "directory": ["WORKDIR /usr/bin"],
    "volumes": ["VOLUME /workspace /tmp /home /.caisson"],
    "health": ["HEALTHCHECK --interval=1s CMD touch /tmp/health"],
    "signal": ["STOPSIGNAL SIGWINCH"],
    "onbuild": ["ONBUILD RUN false"],
    "labels": ["LABEL caisson.instance=other caisson.sandbox=sbx_00000000000000000000000000"],
}
# Made of everything above, and more. Entry points last: they would end the build's own commands.
WORST = [
    "USER 0:0", "RUN mkdir -m 0777 /data && echo secret >/data/of-image && chmod 0777 /data",
    'VOLUME ["/data", "/data/deep/", "/workspace/inner", "/tmp/inner", "/other/../srv//x/", "/.caisson", "/var/lib/none"]',
    "ENV LD_PRELOAD=/data/x.so LD_LIBRARY_PATH=/data GLIBC_TUNABLES=glibc.malloc.check=3 PYTHONPATH=/data PYTHONSTARTUP=/data/x PYTHONHOME=/data",
    "ENV NODE_OPTIONS=--require=/data/x.js BASH_ENV=/data/x ENV=/data/x HOME=/data TERM=evil CAISSON_ATTEMPT=99 LANG=tlh a.b-c=odd",
    "ENV PATH=/data:.::/bin:/usr/bin", *(line for kind in ("health", "signal", "directory", "onbuild", "labels", "entrypoint") for line in HOSTILE[kind]),
]
UNUSABLE = {"root": '["/"]', "proc": '["/proc/sys"]', "sys": '["/x/../sys"]', "shm": '["/dev/shm"]', "link": '["/.caisson/agent/x"]'}


@pytest.fixture(scope="module")
def hostile_box(contract, engine, images):
    """A server that may use images whose every setting is hostile."""
    from harness.containers import ContainerServer
    from harness.server import new_folder
    names = {kind: engine.image_of(f"hostile-{kind}:1", BUSYBOX, *lines) for kind, lines in HOSTILE.items()}
    names["no_shell"] = no_shell(engine)
    names["worst"] = engine.image_of("hostile-worst:1", BUSYBOX, *WORST)
    names |= {kind: engine.image_of(f"hostile-volume-{kind}:1", BUSYBOX, f"VOLUME {paths}") for kind, paths in UNUSABLE.items()}
    with new_folder() as folder:
        server = ContainerServer(folder, contract, engine, "docker", allowed=names.values())
        try:
            server.start()
            yield server, names
            server.stop()
        finally:
            server.discard()


def no_shell(engine):
    """An image with one program, and no shell."""
    import tempfile
    from pathlib import Path
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Dockerfile").write_text("FROM scratch\nCOPY busybox /only/busybox\n")
        Path(folder, "busybox").write_bytes(Path("/bin/busybox").read_bytes())
        Path(folder, "busybox").chmod(0o755)
        return engine.build(folder, Path(folder, "Dockerfile"), "hostile-no-shell:1")


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_an_image_asks_for_is_not_done(hostile_box, kind, runtime):
    server, names = hostile_box
    before = server.engine.volumes()
    record = server.api.run(shell="id -u; pwd; touch /tmp/mine; ls /tmp", image=names[kind], runtime=runtime, limits=LONG)
    lines = record["stdout"].splitlines()
    assert record["status"] == "success" and lines[0] != "0" and lines[1:] == ["/workspace", "mine"], record
    server.nothing_left()
    assert server.engine.volumes() <= before, "no volume is left"


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
def test_of_the_worst_image_files_and_path_alone_reach_a_program(hostile_box, runtime):
    server, names = hostile_box
    before = server.engine.volumes()
    one = server.api.start(command=["env"], image=names["worst"], runtime=runtime, limits=LONG)
    found = dict(line.split("=", 1) for line in server.api.ended(one)["stdout"].splitlines())
    assert found == {"PATH": "/data:.::/bin:/usr/bin", "HOME": "/workspace", "LANG": "C.UTF-8", "CAISSON_EXECUTION_ID": one, "CAISSON_ATTEMPT": "1",
                     "ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}
    record = server.api.run(image=names["worst"], runtime=runtime, limits=LONG, env={"LD_LIBRARY_PATH": "/mine"}, shell="""
id -u; pwd; echo $LD_LIBRARY_PATH; ls -A /srv/x /workspace/inner /tmp/inner /var/lib/none
for place in /data /data/deep /srv/x /workspace/inner /tmp/inner /var/lib/none /.caisson; do echo >$place/x && echo wrote $place; done 2>/dev/null
grep -E ' (/data|/data/deep|/srv/x|/workspace/inner|/tmp/inner|/var/lib/none|/.caisson) ' /proc/mounts | cut -d' ' -f3 | sort | uniq -c""")
    lines = record["stdout"].split("\n")
    assert record["status"] == "success" and lines[0] != "0" and lines[1:3] == ["/workspace", "/mine"], record
    assert "of-image" not in record["stdout"] and "wrote" not in record["stdout"] and "7 tmpfs" in record["stdout"], record
    server.nothing_left()
    assert server.engine.volumes() <= before, "no volume is left"


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
def test_the_agent_has_nothing_of_the_worst_image_either(hostile_box, runtime):
    server, names = hostile_box
    one = server.api.start(shell="echo on; cat >/dev/null", stdin_open=True, image=names["worst"], runtime=runtime, limits=LONG)
    first_output(server.api, one)
    told = server.engine.inspect(server.container())
    assert not [each for each in told["Mounts"] if each["Type"] == "volume"]
    assert told["Config"]["StopSignal"] == "SIGKILL" and told["HostConfig"]["CgroupnsMode"] == "private"
    if runtime == "docker":
        mine = open(f"/proc/{told['State']['Pid']}/environ", "rb").read().decode().strip("\0").split("\0")
        assert {each.split("=")[0] for each in mine} <= {"PATH", "HOSTNAME", "HOME"}, mine
    server.api.stdin(one, "", eof=True)
    assert server.api.ended(one)["status"] == "success"


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
@pytest.mark.parametrize("kind", UNUSABLE)
def test_an_image_that_wants_a_volume_where_none_can_be_is_refused(hostile_box, kind, runtime):
    server, names = hostile_box
    record = server.api.run(command=["true"], image=names[kind], runtime=runtime, limits=LONG)
    assert (record["status"], record["verdict"]) == ("failed", "runtime_error"), record
    assert names[kind] in record["error"] and "cannot be used: the image wants a volume at" in record["error"], record
    assert len(record["attempts"]) == 1, "it would fail again"
    circuit = next(each for each in server.api.get("/v1/runtimes").value["items"] if each["name"] == runtime)["circuit"]
    assert circuit["faults"] == 0, "the runtime is not to blame"
    server.nothing_left()


@pytest.mark.parametrize("runtime", ["docker", "gvisor"])
def test_an_image_without_a_shell_runs_its_program_and_says_that_it_has_none(hostile_box, runtime):
    server, names = hostile_box
    record = server.api.run(command=["/only/busybox", "echo", "on"], image=names["no_shell"], runtime=runtime, limits=LONG)
    assert record["stdout"] == "on\n", record
    record = server.api.run(shell="echo on", image=names["no_shell"], runtime=runtime, limits=LONG)
    assert record["status"] == "failed" and record["verdict"] == "runtime_error" and "sh" in record["error"], record


# Skills


@pytest.fixture(scope="module")
def box_skills(box_server):
    for name in NAMES:
        done = box_server.cli("skill", "push", EXAMPLES / name)
        assert done.returncode == 0, done.stderr
    yield
    for name in NAMES:
        assert box_server.cli("skill", "rm", f"{name}@1.0.0").returncode == 0


@EACH
def test_an_example_skill(box, box_skills, skill, status, check):
    given = json.loads((EXAMPLES / skill / "example-input.json").read_text())
    record = box.api.run(skill=skill, input=given, limits=LONG)
    assert (record["runtime"], record["exit_code"]) == (box.runtime, status), record
    check(record["output"], None)
    assert record["image_digest"].startswith("sha256:")


def test_a_package_cannot_be_changed_by_a_run(box):
    code = "import os\ntry:\n    open('/sandbox/scripts/SKILL.md', 'w')\n    print('wrote')\nexcept OSError:\n    print('kept')\n"
    with pushed(box.api, {"read-only": {"program": code}}):
        assert box.api.run(skill="read-only", limits=LONG)["stdout"] == "kept\n"


# Limits


@pytest.fixture(scope="module")
def box_table(box_server, request):
    yield from run_table(box_server, request)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_verdict(box_table, row):
    api, runtime, executions = box_table
    check(row, column_of(runtime), api, api.ended(executions[row.name], wait_ms=120_000))


def test_output_that_was_seen_stays_where_memory_ends_the_whole_sandbox(box):
    code = "import sys\nprint('before', flush=True)\nsys.stdin.readline()\nkeep = []\nwhile True: keep.append(b'x' * (1 << 20))"
    one = box.api.start(command=["python3", "-c", code], stdin_open=True, limits={**LONG, "memory_bytes": 64 << 20, "disk_bytes": 8 << 20})
    first_output(box.api, one)
    box.api.stdin(one, "go on\n")
    record = box.api.ended(one)
    assert (record["verdict"], record["stdout"]) == ("memory_limit", "before\n"), record
    assert ("the last of its output may be missing" in record["error"]) == ("signal" not in record), record


def test_the_runtime_says_what_it_holds(box):
    runtime = runtime_of(box.api)
    assert runtime["name"] == box.runtime and EXPECTED
    images = {each["name"]: each["images"] for each in box.api.get("/v1/runtimes").value["items"]}
    assert images == {"docker": True, "gvisor": True, "bubblewrap": False}

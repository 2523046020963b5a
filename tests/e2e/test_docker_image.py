"""docker/: the server's image and the proxy's, started as compose.yaml says, on images of this host's own packages."""

import json
import os
import shutil
import socket
import subprocess
import urllib.request

import pytest
import yaml

from harness.api import Api
from harness.packages import pushed
from harness.server import BINARY, PROGRAMS, ROOT
from harness.waiting import until

COMPOSE = shutil.which("docker-compose", path="/usr/bin:/usr/local/bin")
DOCKER = ROOT / "docker"
HEALTHY_S = 60


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def context(folder, with_programs=True):
    """What docker/Dockerfile is built of here: docker/ and the programs under test, without what debuggers need."""
    shutil.copytree(DOCKER, folder / "docker", ignore=shutil.ignore_patterns("images"))
    (folder / "built").mkdir()
    for name in PROGRAMS if with_programs else ():
        subprocess.run(["strip", "--strip-debug", "-o", folder / "built" / name, BINARY.parent / name], check=True)
    return folder


def build_server(engine, folder, name):
    base = engine.load("server")
    return engine.build(folder, folder / "docker/Dockerfile", name, BUILD_BASE=base, BASE=base, BUILT_IN="built")


@pytest.fixture(scope="module")
def server_image(engine, tmp_path_factory):
    """docker/Dockerfile with the programs under test."""
    return build_server(engine, context(tmp_path_factory.mktemp("context")), "caisson:test")


@pytest.fixture(scope="module")
def proxy_image(engine):
    base = engine.load("proxy", "caisson-proxy-base:bookworm")
    return engine.build(DOCKER / "proxy", DOCKER / "proxy/Dockerfile", "caisson-proxy:test", BASE=base)


class Started:
    """Containers, a network and volumes of one test."""

    def __init__(self, engine):
        self.engine, self.name, self.port = engine, f"caisson-test-{os.getpid()}-{free_port()}", free_port()

    def server(self, image):
        """As docker run would start it on a host that has nothing but the image."""
        self.engine.docker("network", "create", self.name)
        self.engine.docker(
            "run", "-d", "--name", self.name, "--network", self.name, "-p", f"127.0.0.1:{self.port}:8320", "--read-only", "--cap-drop", "ALL",
            "--security-opt", "no-new-privileges", "--tmpfs", "/tmp", "-v", f"{self.name}:/var/lib/caisson", "--health-interval", "1s", image,
        )

    def health(self):
        return self.engine.inspect(self.name)["State"]["Health"]["Status"]

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    def get(self, path):
        with urllib.request.urlopen(self.url(path), timeout=10) as answer:
            return json.load(answer)

    def remove(self):
        self.engine.docker("rm", "-fv", self.name, check=False)
        self.engine.docker("network", "rm", self.name, check=False)
        self.engine.docker("volume", "rm", self.name, check=False)


@pytest.fixture
def started(engine):
    one = Started(engine)
    yield one
    one.remove()


def test_the_image_serves_with_a_read_only_root_and_without_rights(engine, server_image, started):
    started.server(server_image)
    until(lambda: started.health() == "healthy", HEALTHY_S, "the health check")
    assert started.get("/health")["status"] == "ok"
    told = engine.inspect(server_image)["Config"]
    assert told["User"] == "8320:8320" and "/var/lib/caisson" in told["Volumes"] and "8320/tcp" in told["ExposedPorts"]
    assert engine.docker("exec", started.name, "id", "-u") == "8320"
    assert engine.docker("exec", started.name, "caisson", "version").startswith("caisson ")


def test_the_data_outlives_the_container_and_it_ends_when_asked(engine, server_image, started):
    started.server(server_image)
    until(lambda: started.health() == "healthy", HEALTHY_S, "the health check")
    key = engine.docker("exec", started.name, "cat", "/var/lib/caisson/admin.key")
    engine.docker("stop", "-t", "30", started.name)
    assert engine.inspect(started.name)["State"]["ExitCode"] == 0
    engine.docker("start", started.name)
    until(lambda: started.health() == "healthy", HEALTHY_S, "the health check")
    request = urllib.request.Request(started.url("/v1/executions"), headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200


def test_a_missing_program_ends_the_build_with_its_name(engine, tmp_path):
    with pytest.raises(AssertionError, match="make-programs: built/caisson is not there"):
        build_server(engine, context(tmp_path, with_programs=False), "caisson:broken")


# compose.yaml


def compose(engine, project, *arguments, **env):
    done = subprocess.run(
        [COMPOSE, "-f", DOCKER / "compose.yaml", "-p", project, *arguments], capture_output=True, text=True, timeout=180,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "DOCKER_HOST": engine.address, "COMPOSE_INTERACTIVE_NO_CLI": "1", **env},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def test_what_compose_starts_has_no_rights(engine):
    services = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
    for service in services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert services["proxy"]["network_mode"] == "none"
    assert not [each for each in services["caisson"]["volumes"] if "docker.sock" in each], "the server reaches the engine by the proxy only"


@pytest.fixture
def composed(engine, server_image, proxy_image, tmp_path):
    """The two containers of compose.yaml; a client of the server."""
    assert COMPOSE, "tools/setup --engine installs docker-compose"
    for made, wanted in ((server_image, "caisson"), (proxy_image, "caisson-proxy")):
        engine.docker("tag", made, wanted)
    engine.load("python")
    project, port = f"caissontest{os.getpid()}", free_port()
    env = {"PORT": str(port), "DOCKER_SOCKET": engine.address.removeprefix("unix://"), "CAISSON_TOML": str(settings(tmp_path))}
    try:
        compose(engine, project, "up", "-d", "--no-build", **env)
        server = f"{project}_caisson_1"
        until(lambda: engine.inspect(server)["State"]["Health"]["Status"] == "healthy", HEALTHY_S, "the server's health")
        key = engine.docker("exec", server, "cat", "/var/lib/caisson/admin.key")
        yield engine, project, f"http://127.0.0.1:{port}", key
        instance = json.loads(engine.docker("exec", server, "cat", "/var/lib/caisson/instance.json"))["id"]
        for names in engine.packages(instance):
            engine.docker("volume", "rm", *names, check=False)
    finally:
        print(engine.docker("logs", "--tail", "30", f"{project}_caisson_1", check=False))
        compose(engine, project, "down", "-v", **env)


def settings(folder):
    """caisson.toml with the one image that is here."""
    text = (DOCKER / "caisson.toml").read_text().splitlines()
    place = text.index("[images]")
    text[place + 1:] = ['allowed = ["caisson-python:bookworm"]', 'languages = ["python=caisson-python:bookworm"]', 'default = "caisson-python:bookworm"']
    file = folder / "caisson.toml"
    file.write_text("\n".join(text) + "\n")
    folder.chmod(0o755)
    file.chmod(0o644)
    return file


def test_compose_runs_programs_in_containers_through_the_proxy(composed, contract):
    engine, project, url, key = composed
    api = Api(url, key, contract)
    ready = api.get("/ready")
    assert ready.status == 200, {name: one for name, one in ready["dependencies"].items() if not one["ready"]}
    done = api.run(language="python", code="import os; print(6 * 7, os.getuid() != 0)", limits={"wall_ms": 60_000})
    assert (done["status"], done["stdout"]) == ("success", "42 True\n")
    image = "caisson-python:bookworm"
    with pushed(api, {"behind": {"program": "print(open('/sandbox/scripts/SKILL.md').readline())", "image": image}}):
        done = api.run(skill="behind", limits={"wall_ms": 60_000})
        assert (done["status"], done["stdout"].strip()) == ("success", "---"), done
    until(lambda: not [name for name in engine.containers() if name.startswith("caisson-sbx")], what="its container to go")
    # What the proxy refuses even the server cannot do.
    said = engine.docker("exec", f"{project}_caisson_1", "bash", "-c", "ls /var/run/docker.sock", check=False)
    assert said == ""

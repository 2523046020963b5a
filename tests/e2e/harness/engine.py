"""The Docker engine that tests use: CAISSON_TEST_ENGINE names it, tools/test starts one. And engines of a test's own."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .server import ROOT
from .waiting import until

TOOL = ROOT / "tools" / "engine"
RECIPES = ROOT / "docker" / "images"
MADE = ROOT / "build" / "images" / "tests"
LABEL = "caisson.instance"


def why_none():
    """Why containers cannot be tested here; None if they can."""
    if os.environ.get("CAISSON_TEST_ENGINE"):
        return None
    if os.getuid() != 0:
        return "an engine for tests takes root"
    return "no engine for tests: tools/engine start says why, tools/test starts it"


class Engine:
    """What tests do to an engine besides the server, by the docker command."""

    def __init__(self, address):
        self.address = address

    def docker(self, *arguments, check=True, input=None, timeout=120):
        done = subprocess.run(
            ["docker", "-H", self.address, *map(str, arguments)], input=input, capture_output=True, timeout=timeout,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "DOCKER_BUILDKIT": "0"},
        )
        assert not check or done.returncode == 0, (arguments, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.decode(errors="replace").strip()

    def answers(self):
        return bool(self.docker("version", "--format", "{{.Server.Version}}", check=False))

    def deeds(self, container):
        """What happened to it so far: "create", "start", "kill", "die", in their order."""
        which = ["--filter", "type=container", "--filter", f"container={container}"]
        until = f"{time.time() + 0.2:.3f}"    # it lists what was before the second that is named, and waits for it
        return self.docker("events", "--since", "0", "--until", until, *which, "--format", "{{.Action}}").split()

    def said_of(self, container):
        """Lines of the engine's log that name it; none where the log of another engine is not at hand."""
        log = Path(self.address.removeprefix("unix://")).with_name("log")
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return [line for line in lines if container and container in line]

    def containers(self, instance=None, everything=True):
        """Names of containers; of one server's only, if `instance` says which."""
        which = ["--filter", f"label={LABEL}={instance}"] if instance else []
        return self.docker("ps", *(["-a"] if everything else []), *which, "--format", "{{.Names}}").split()

    def inspect(self, name):
        return json.loads(self.docker("inspect", name))[0]

    def volumes(self):
        return set(self.docker("volume", "ls", "-q").split())

    def packages(self, instance):
        """Volumes with a server's packages of skills, and those that say that one is whole."""
        names = {name for name in self.volumes() if name.startswith(f"caisson-package-{instance}-")}
        whole = {name for name in names if ".whole-" in name}
        return names - whole, whole

    def has_image(self, name):
        return bool(self.docker("images", "-q", name))

    def load(self, recipe, name=None):
        """An image of docker/images/RECIPE, of this host's packages, under the name that it returns."""
        name = name or f"caisson-{recipe}:bookworm"
        self.docker("load", "-i", made_image(recipe, name))
        return name

    def build(self, folder, dockerfile, name, **arguments):
        """docker build, without any network."""
        given = [word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")]
        self.docker("build", "-q", "--network", "none", "-f", dockerfile, "-t", name, *given, folder, timeout=300)
        return name

    def image_of(self, name, base, *lines):
        """A small image: `lines` of a Dockerfile on `base`."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Dockerfile").write_text("\n".join([f"FROM {base}", *lines, ""]))
            return self.build(folder, Path(folder, "Dockerfile"), name)


def made_image(recipe, name):
    """The file of an image; made anew if the recipe, or what is installed here, is newer. By one run of tests at a time."""
    file = MADE / f"{name.replace(':', '_')}.tar"
    sources = [Path("/var/lib/dpkg/status"), *RECIPES.glob("lib/*"), *(RECIPES / recipe).iterdir(), ROOT / "docker/packages-server"]
    MADE.mkdir(parents=True, exist_ok=True)
    with open(MADE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists() or file.stat().st_mtime < max(each.stat().st_mtime for each in sources):
            done = subprocess.run([RECIPES / recipe / "build", "--installed", "--name", name, file], capture_output=True, timeout=120)
            assert done.returncode == 0, done.stderr.decode()
    return file


class PrivateEngine(Engine):
    """An engine that a test may stop, kill and break."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="caisson-engine-", dir="/tmp"))
        super().__init__(f"unix://{self.folder}/s")

    def _tool(self, verb):
        done = subprocess.run([TOOL, "--at", self.folder, verb], capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()

    def pid(self):
        return int((self.folder / "pid").read_text())

    def start(self):
        self._tool("start")
        return self

    def _end(self):
        process = self.pid()
        os.kill(process, signal.SIGTERM)
        until(lambda: not Path(f"/proc/{process}").exists() or "State:\tZ" in Path(f"/proc/{process}/status").read_text(), 60, "its end")

    def stop(self):
        """As a service manager does it: the engine ends its containers itself."""
        if (self.folder / "pid").exists():
            self._end()
        self._tool("stop")

    def restart(self, *more, meanwhile=lambda: None):
        """As a service manager does it, from now on with options `more` for dockerd beside those that it has; `meanwhile` none runs."""
        words = Path(f"/proc/{self.pid()}/cmdline").read_text().split("\0")[:-1]
        self._end()
        meanwhile()
        with open(self.folder / "log", "ab") as log:
            subprocess.Popen([*words, *map(str, more)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        until(self.answers, 60, "the engine")

    def discard(self):
        self._tool("remove")
        shutil.rmtree(self.folder, ignore_errors=True)

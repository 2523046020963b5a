"""A server whose programs run in containers, and the images that they need, under the names by which the examples call them."""

import re
from pathlib import Path

from .leaks import descendants, process_table
from .server import Server
from .waiting import TimedOut, until

RUNTIMES = ("docker", "gvisor")
# name -> recipe
IMAGES = {"python:3.12-slim": "python", "bash:5": "bash", "node:20-slim": "node", "busybox:1": "busybox"}
PYTHON, BASH, NODE, BUSYBOX = IMAGES
GONE_S = 30


def load_images(engine, *names):
    for name in names or IMAGES:
        if not engine.has_image(name):
            engine.load(IMAGES[name], name)


def options(engine, runtime, *more, allowed=(), enabled=("docker", "gvisor", "bubblewrap")):
    """For `caisson serve`: everything runs on `runtime`, unless a request says otherwise."""
    given = {
        "docker.engine": engine.address,
        "runtimes.enabled": ",".join(enabled),
        "runtimes.default": runtime,
        "images.allowed": ",".join([*IMAGES, *allowed]),
        "images.languages": f"python={PYTHON},bash={BASH},node={NODE}",
        "images.default": PYTHON,
        "images.pull": "never",
    }
    return [word for name, value in given.items() for word in ("--set", f"{name}={value}")] + list(more)


class ContainerServer(Server):
    """With what its containers are on the engine."""

    kept_connections = 4    # to the engine, for the next requests

    def __init__(self, folder, contract, engine, runtime, *more, env=None, **options_of):
        super().__init__(folder, contract, options=options(engine, runtime, *more, **options_of), env=env)
        self.engine, self.runtime = engine, runtime

    def containers(self):
        return self.engine.containers(self.instance())

    def container(self):
        """The name of the only container that it has."""
        def only():
            found = self.containers()
            return found[0] if len(found) == 1 else None
        return until(only, what="one container")

    def nothing_left(self):
        try:
            until(lambda: not self.containers(), GONE_S, f"no container of {self.instance()} left")
        except TimedOut as late:
            raise TimedOut(f"{late}\n{self.why_left()}") from None

    def why_left(self):
        """What the engine, the kernel and the server know of containers that should be gone."""
        known = []
        for name in self.containers():
            state = self.engine.docker("inspect", "--format", "{{.Id}} {{json .State}}", name, check=False)
            known.append(f"{name}: {state}")
            known += [f"  {line}" for line in processes_of(state.split(" ")[0])]
            known += self.engine.said_of(state.split(" ")[0])[-20:]
        said = self.log_file.read_text(errors="replace").splitlines()
        return "\n".join(known + [line for line in said if re.search(r"remov|left|sweep|engine", line)][-20:])

    def discard(self):
        super().discard()
        if (self.data / "instance.json").exists():
            if not self.engine.answers():    # a test's own, which is gone already
                return
            for name in self.containers():
                self.engine.docker("rm", "-fv", name, check=False)
            for names in self.engine.packages(self.instance()):
                for name in names:
                    self.engine.docker("volume", "rm", name, check=False)


def processes_of(container):
    """Those that name it, and what these began (a process that has ended names nothing), with what each of their threads waits for."""
    table = process_table()
    naming = {pid for pid in table if container and container in command_line(pid)}
    below = {child for pid in naming for child in descendants(pid, table)}
    return [line for pid in sorted(naming | below) for line in told(pid, *table[pid])]


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def stack_of(thread):
    try:
        return " ".join(line.split(" ")[-1] for line in (thread / "stack").read_text().splitlines()[:6])
    except OSError:
        return "where it waits is not told to this user"


def told(pid, parent, state, name):
    lines = [f"{pid} of {parent} {name} {state} {command_line(pid)[:160]}"]
    for thread in sorted(Path(f"/proc/{pid}/task").glob("*")):
        try:
            its_state = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:    # it is gone
            continue
        lines.append(f"  thread {thread.name} {its_state} {stack_of(thread)}")
    return lines

"""Programs of Debian that must do in a sandbox what they do on the host: tests/programs/NAME.sh, one a file.

Each begins with lines "# KEY: VALUE": packages, which it needs; size, small for those that tools/setup --test installs, or large; limits,
which differ from the defaults ("name=number ..."); differs, why the sandbox's answer is another one, where that is so.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .server import ROOT

FOLDER = ROOT / "tests" / "programs"
HOST_S = 180
NOBODY = 65_534    # an account that every Debian has: some programs look up who runs them


@dataclass
class Program:
    name: str
    text: str
    packages: list
    is_small: bool
    limits: dict = field(default_factory=dict)
    differs: str = ""

    def request(self):
        """The body of POST /v1/executions."""
        return {"command": ["bash", "program.sh"], "files": {"program.sh": self.text}, "limits": self.limits}


def read(path):
    text = path.read_text(encoding="utf-8")
    keys = dict(re.findall(r"^# ([a-z]+): (.*)$", text, re.MULTILINE))
    limits = {name: int(number) for name, number in (each.split("=") for each in keys.get("limits", "").split())}
    return Program(path.stem, text, keys["packages"].split(), keys["size"] == "small", limits, keys.get("differs", ""))


def programs():
    return [read(path) for path in sorted(FOLDER.glob("*.sh"))]


def installed_packages():
    """Versions by name."""
    listed = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"], check=True, capture_output=True, text=True)
    return {line.split()[1]: line.split()[2] for line in listed.stdout.splitlines() if line.startswith("installed ")}


def on_host(program):
    """(exit status, stdout) of the program on this host, as an ordinary user in an empty directory."""
    with tempfile.TemporaryDirectory(prefix="caisson-program-", dir="/tmp") as folder:
        Path(folder, "program.sh").write_text(program.text)
        user = {}
        if os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"}
        done = subprocess.run(["bash", "program.sh"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=HOST_S, **user)
        return done.returncode, done.stdout.decode(errors="replace")


def in_sandbox(program, api, **more):
    """The same in a sandbox, and what it wrote to stderr."""
    record = api.run(**program.request(), **more)
    return (record["exit_code"], record["stdout"]), f"{record['verdict']} {record['limits_hit']} {record['stderr'][-600:]}"

"""The units of packaging/systemd as systemd's own checker sees them. tools/systemd-guest tries them on a host of their own."""

import os
import re
import subprocess

import pytest

from harness.server import BINARY, ROOT, environment

UNITS = ROOT / "packaging" / "systemd"
INSTALLED = "/usr/local/bin/caisson"


@pytest.fixture(params=["system", "user"])
def units(request, tmp_path):
    """(kind, copies of its units that start the built server)."""
    folder = UNITS if request.param == "system" else UNITS / "user"
    copies = []
    for unit in sorted(folder.glob("*.service")):
        copies.append(tmp_path / unit.name)
        copies[-1].write_text(unit.read_text(encoding="utf-8").replace(INSTALLED, str(BINARY)), encoding="utf-8")
    return request.param, copies


def settings(unit):
    """Name -> value of the lines that are no comments."""
    return dict(line.split("=", 1) for line in unit.read_text(encoding="utf-8").splitlines() if re.match(r"\w+=", line))


def test_systemd_finds_nothing_wrong(units, tmp_path):
    kind, copies = units
    done = subprocess.run(
        ["systemd-analyze", f"--{kind}", "--man=no", "verify", *copies], capture_output=True, text=True, timeout=60,
        env={**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_a_restart_of_the_server_leaves_sandboxes_alone(units):
    server, sandboxes = ({unit.name: settings(unit) for unit in units[1]}[name] for name in ("caisson.service", "caisson-sandboxes.service"))
    assert server["Environment"] == "CAISSON_CGROUPS_ROOT=../caisson-sandboxes.service"
    assert server["Requires"] == "caisson-sandboxes.service" and "BindsTo" not in sandboxes and "PartOf" not in sandboxes
    assert set(sandboxes["Delegate"].split()) == {"cpu", "io", "memory", "pids"}
    # What the kernel and systemd let end first: clients (10 s), what is to be stored (10 s), then the server.
    assert int(server["TimeoutStopSec"]) > 20


def test_the_server_says_when_it_is_ready(units):
    server = next(settings(unit) for unit in units[1] if unit.name == "caisson.service")
    assert server["Type"] == "notify" and server["ExecReload"].endswith("-HUP $MAINPID")


def test_a_chosen_group_that_is_not_there_is_refused(tmp_path):
    done = subprocess.run(
        [BINARY, "serve", "--data", tmp_path, "--listen", "127.0.0.1:0", "--set", "cgroups.root=/nowhere/caisson-sandboxes.service"],
        capture_output=True, text=True, timeout=60, env=environment(),
    )
    assert done.returncode == 1
    assert 'cgroups.root = "/nowhere/caisson-sandboxes.service" cannot be used' in done.stderr

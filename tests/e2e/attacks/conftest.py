"""The server that is attacked, and the results of both passes."""

import json
import os
import secrets
import tempfile
from pathlib import Path

import pytest

from harness.server import BINARY, Server

from campaign import ROOM, Campaign
from catalogue import Case, catalogue_cases, ends_by, says
from own_cases import own_cases

REPORT = Path(os.environ.get("CAISSON_ATTACKS_REPORT", BINARY.parent / "reports" / "attacks.json"))
OPTIONS = ("--set", f"executions.max_running={ROOM}", "--set", f"executions.tenant_max_running={ROOM}")
# Little quarantine, freed memory back to the kernel at once: what the server holds is what it uses.
SANITIZER = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:allocator_release_to_os_interval_ms=0:exitcode=99"


def pytest_generate_tests(metafunc):
    if "attack" in metafunc.fixturenames:
        rows = [(case, number) for number in (1, 2) for case in catalogue_cases() + own_cases()]
        ids = [f"{case.id}-{number}-{case.name}".replace(" ", "_").replace("/", "_") for case, number in rows]
        metafunc.parametrize("attack", rows, ids=ids)


@pytest.fixture(scope="session")
def canary():
    """A file of the host that no attack may reach, in a directory of a random name."""
    with tempfile.TemporaryDirectory(prefix=secrets.token_hex(6), dir="/var/tmp") as folder:
        path = Path(folder) / secrets.token_hex(8)
        path.write_bytes(secrets.token_bytes(64))
        yield path


@pytest.fixture(scope="session")
def attacked(contract):
    with tempfile.TemporaryDirectory(prefix="caisson-attacks-", dir="/tmp") as folder:
        server = Server(folder, contract, None, OPTIONS, {"SRV_SECRET": "x", "ASAN_OPTIONS": SANITIZER})
        try:
            yield server.start()
            server.stop()
        finally:
            server.discard()


def warm_up(campaign):
    """What a server takes once and keeps: pools, rings, the database's cache. Attacks are measured after it."""
    flood = Case("warm", "", "sh", "yes", ends_by("output_limit"), {"max_output_bytes": 1 << 20}, {"on_output_limit": "kill"})
    plain = Case("warm", "", "sh", "echo warm", says("warm"))
    for _ in range(2):
        campaign.batch([flood] * 4 + [plain] * 4)


@pytest.fixture(scope="session")
def campaign(attacked, canary):
    cases = catalogue_cases() + own_cases()
    with tempfile.TemporaryDirectory(prefix="caisson-attacks-c-", dir="/tmp") as folder:
        made = Campaign(attacked, canary, Path(folder))
        warm_up(made)
        for number in (1, 2):
            made.run(cases, number)
        yield made
        rows = sorted(made.table(cases) + made.rows, key=lambda each: (each["case"], each["pass"]))
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(json.dumps({"canary_runs": made.canaries, "rows": rows}, indent=1) + "\n")

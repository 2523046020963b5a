"""The server that is attacked, and the results of both passes."""

import contextlib
import json
import os
import secrets
import tempfile
from pathlib import Path

import pytest

from harness.containers import RUNTIMES, ContainerServer
from harness.engine import why_none
from harness.server import BINARY, Server, pool_of, prepared

from by_runtime import cases_on
from campaign import ROOM, Campaign
from catalogue import Case, catalogue_cases, ends_by, says
from own_cases import own_cases

REPORT = Path(os.environ.get("CAISSON_ATTACKS_REPORT", BINARY.parent / "reports" / "attacks.json"))
PASSES = (1, 2)
# In containers each attack takes longer: a second pass there is asked for by name.
CONTAINER_PASSES = PASSES if os.environ.get("CAISSON_ATTACKS_IN_CONTAINERS") else (1,)
CONTAINER_OPTIONS = ("--set", "executions.sweep_interval_ms=5000")    # what an engine under attack does not remove in time is swept soon
OPTIONS = ("--set", f"executions.max_running={ROOM}", "--set", f"executions.tenant_max_running={ROOM}")
# Little quarantine, freed memory back to the kernel at once: what the server holds is what it uses.
# Some of a batch run in sandboxes that are made for them, most in ready ones.
MOSTLY_READY = {**pool_of(6), **prepared(4), "CAISSON_POOL_WARM_INTERPRETERS": "true"}
SANITIZER = "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:allocator_release_to_os_interval_ms=0:exitcode=99"


def named(text):
    return text.replace(" ", "_").replace("/", "_")


def pytest_generate_tests(metafunc):
    if "attack" in metafunc.fixturenames:
        rows = [(case, number) for number in PASSES for case in catalogue_cases() + own_cases()]
        metafunc.parametrize("attack", rows, ids=[named(f"{case.id}-{number}-{case.name}") for case, number in rows])
    if "container_attack" in metafunc.fixturenames:
        rows = [(runtime, case, number) for runtime in RUNTIMES for number in CONTAINER_PASSES for case in cases_on(runtime)]
        metafunc.parametrize("container_attack", rows, ids=[named(f"{runtime}-{case.id}-{number}-{case.name}") for runtime, case, number in rows])


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
        server = Server(folder, contract, None, OPTIONS, {"SRV_SECRET": "x", "ASAN_OPTIONS": SANITIZER, **MOSTLY_READY})
        try:
            yield server.start()
            server.stop()
        finally:
            server.discard()


def warm_up(campaign):
    """What a server takes once and keeps: pools, rings, the database's cache. Attacks are measured after it."""
    flood = Case("warm", "", "sh", "yes", ends_by("output_limit"), {"max_output_bytes": 1 << 20}, {"on_output_limit": "kill"})
    plain = Case("warm", "", "sh", "echo warm", says("warm"))
    files = Case("warm", "", "sh", "i=0; while [ $i -lt 1000 ]; do echo $i > f$i; i=$((i+1)); done", ends_by("exited"), {}, {"collect": ["*"]})
    for _ in range(2):
        found = [problem for result in campaign.together([flood] * 4 + [plain] * 3 + [files]) for problem in result.problems]
        assert not found, found


@pytest.fixture(scope="session")
def report():
    """The campaigns of this run; what they found is written down at the end."""
    finished = []
    yield finished
    rows = sorted((row for one in finished for row in one), key=lambda each: (each["case"], each["runtime"], each["pass"]))
    canaries = sum(one.canaries for one in finished)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps({"canary_runs": canaries, "no_engine": why_none(), "rows": rows}, indent=1) + "\n")


class Finished(list):
    """Rows of a campaign that is over."""

    def __init__(self, campaign, cases):
        super().__init__(campaign.table(cases) + [{**row, "request": True} for row in campaign.rows])
        self.canaries = campaign.canaries


@contextlib.contextmanager
def led(report, server, canary, runtime, cases, passes):
    """A campaign whose cases have all run in each of the passes."""
    with tempfile.TemporaryDirectory(prefix="caisson-attacks-c-", dir="/tmp") as folder:
        made = Campaign(server, canary, Path(folder), runtime)
        warm_up(made)
        for number in passes:
            made.run(cases, number)
        yield made
        report.append(Finished(made, cases))


@pytest.fixture(scope="session")
def campaign(report, attacked, canary):
    with led(report, attacked, canary, "bubblewrap", catalogue_cases() + own_cases(), PASSES) as made:
        yield made


@pytest.fixture(scope="session")
def container_campaigns(report, contract, engine, images, canary):
    """By runtime, each begun when it is first asked for."""
    with contextlib.ExitStack() as stack:
        made = {}

        def campaign_on(runtime):
            if runtime not in made:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="caisson-attacks-", dir="/tmp"))
                server = ContainerServer(folder, contract, engine, runtime, *OPTIONS, *CONTAINER_OPTIONS)
                server.env.update({"SRV_SECRET": "x", "ASAN_OPTIONS": SANITIZER})
                stack.callback(server.discard)
                server.start()
                stack.callback(server.stop)
                made[runtime] = stack.enter_context(led(report, server, canary, runtime, cases_on(runtime), CONTAINER_PASSES))
            return made[runtime]

        yield campaign_on

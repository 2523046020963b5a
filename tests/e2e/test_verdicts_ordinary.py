"""The same table for a server of an ordinary user, under both runtimes: where no control groups are delegated to it, rlimits hold what
they can, and each record says what nobody holds."""

import os
from contextlib import contextmanager

import pytest

from harness.server import ORDINARY_USER, Server, new_folder
from harness.verdicts import ROWS, check, column_of
from test_verdicts import run_table

LOUD = "runtimes.process.i_know_this_runs_code_without_isolation=true"
PROCESS = ("--set", LOUD, "--set", "runtimes.enabled=process", "--set", "runtimes.default=process")


@contextmanager
def ordinary(contract, *options):
    with new_folder() as folder:
        server = Server(folder, contract, user=ORDINARY_USER if os.getuid() == 0 else None, options=options)
        try:
            server.start()
            assert server.api.run(command=["true"])["status"] == "success"
            yield server
            server.stop()
        finally:
            server.discard()


def parameters():
    """Rows of bubblewrap, then those whose limit the process runtime holds too."""
    found = [pytest.param("bubblewrap", row, id=f"bubblewrap-{row.name}") for row in ROWS]
    return found + [pytest.param("process", row, id=f"process-{row.name}") for row in ROWS if not row.needs]


@pytest.fixture(scope="module")
def tables(contract, request):
    chosen = {item.callspec.params["name"] for item in request.session.items if item.module is request.module}
    with ordinary(contract) as bubblewrap, ordinary(contract, *PROCESS) as process:
        servers = {"bubblewrap": bubblewrap, "process": process}
        runs = {name: run_table(servers[name], request, name) for name in chosen}
        yield {name: next(run) for name, run in runs.items()}
        for run in runs.values():
            assert next(run, "over") == "over"


@pytest.mark.parametrize("name, row", parameters())
def test_verdict(tables, name, row):
    api, runtime, executions = tables[name]
    record = api.ended(executions[row.name], wait_ms=120_000)
    assert record["runtime"] == name
    check(row, column_of(runtime), api, record)
    if column_of(runtime) == "rlimits" and record["verdict"] != "runtime_error":
        assert {"memory", "pids"} <= set(record["degraded"]), record["degraded"]
    if name == "process":
        assert {"isolation", "disk"} <= set(record["degraded"]), record["degraded"]

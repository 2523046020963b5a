"""Exact verdicts: each row of the table (harness/verdicts/) on this host, with what the default runtime enforces here. The rows of a
run are executions of one server at the same time; each is then looked at by its own test."""

import pytest

from harness.leaks import Baseline
from harness.verdicts import COLUMNS, ROWS, check, column_of


def started(api, request, of):
    """Starts the rows of the tests that were chosen: row -> execution. `of`: only of tests with that name of a runtime."""
    items = [item for item in request.session.items if item.module is request.module and "row" in item.fixturenames]
    chosen = {item.callspec.params["row"].name for item in items if item.callspec.params.get("name") == of}
    return {row.name: api.start(**row.request) for row in ROWS if row.name in chosen}


def runtime_of(api):
    answer = api.get("/v1/runtimes").value
    return next(each for each in answer["items"] if each["name"] == answer["default"])


def run_table(server, request, of=None):
    """Yields (api, runtime, executions); afterwards nothing of them is left."""
    before = Baseline(server)
    executions = started(server.api, request, of)
    yield server.api, runtime_of(server.api), executions
    for execution in executions.values():
        server.api.ended(execution, wait_ms=120_000)
    before.compare()


@pytest.fixture(scope="module")
def table(shared_server, request):
    yield from run_table(shared_server, request)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS])
def test_verdict(table, row):
    api, runtime, executions = table
    check(row, column_of(runtime), api, api.ended(executions[row.name], wait_ms=120_000))


def test_every_row_says_what_each_kind_of_host_gives():
    for row in ROWS:
        for column in COLUMNS:
            assert row.ends(column) and all(end is not None for end in row.ends(column)), (row.name, column)

"""No row of the catalogue is dropped in silence: each is run, or waits for something that is named."""

import ast
import re
from pathlib import Path

from by_runtime import STAYS
from catalogue import JUSTIFIED, ROWS, WAITING, catalogue_cases
from own_cases import own_cases

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "docs" / "security.md"


def rows_as_requests():
    found = []
    for path in sorted(HERE.glob("test_attacks_*.py")):
        names = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        found += [name.split("_")[1].upper() for name in names if re.match(r"test_[a-z]\d\d_", name)]
    return found


def test_each_row_is_run_or_waits():
    run = [case.id for case in catalogue_cases()] + rows_as_requests()
    assert len(run) == len(set(run)) and not set(run) & set(WAITING)
    assert set(run) | set(WAITING) == set(ROWS)


def test_all_rows_on_escapes_resources_and_requests_run():
    waiting = {identity for identity in WAITING if ROWS[identity]["group"] in ("escape", "resource", "cross-tenant")}
    assert not waiting
    assert [identity for identity in WAITING if ROWS[identity]["group"] == "api"] == ["A03"]


def test_what_waits_is_named():
    assert all(len(reason) > 10 for reason in WAITING.values())


def test_own_cases_are_many_and_named_once():
    names = [case.id for case in own_cases()] + list(ROWS)
    assert len(own_cases()) >= 20 and len(names) == len(set(names))


def test_what_stays_reachable_is_justified():
    text = DOCUMENT.read_text()
    assert all(f"({identity})" in text for identity in JUSTIFIED)


def test_what_stays_reachable_in_containers_is_justified():
    text = DOCUMENT.read_text()
    for runtime, cases in STAYS.items():
        told = [each.strip() for found in re.findall(rf"\({runtime}: ([^)]*)\)", text) for each in found.split(",")]
        assert sorted(told) == sorted(cases), runtime


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")]


def named(text):
    return set(re.findall(r"`(\w+)`", text))


def test_the_refused_calls_are_those_of_the_document():
    code = (HERE.parents[2] / "adapters/host/seccomp_rules.hpp").read_text()
    calls = dict(re.findall(r'\{"(\w+)", (\w+)', code))
    text = DOCUMENT.read_text()
    rows = cells(text[text.index("| of | calls |"):text.index("Some are refused by")])
    assert {name: row[2] for row in rows for name in named(row[1])} == {name: answer for name, answer in calls.items() if answer != "0"}
    done = text[text.index("Some return 0"):text.index("## What remains")]
    assert named(done) >= {name for name, answer in calls.items() if answer == "0"}


def test_calls_that_are_refused_by_their_arguments_are_those_of_the_document():
    code = (HERE.parents[2] / "adapters/host/seccomp_argument_rules.cpp").read_text()
    text = DOCUMENT.read_text()
    rows = cells(text[text.index("| call | what is refused |"):text.index("Some return 0")])
    only_without_effect = {"fadvise64", "setrlimit"}
    assert {name for row in rows for name in named(row[0])} == set(re.findall(r'\{"(\w+)",', code)) - only_without_effect

"""Several runs of pytest beside each other share the tests: each takes a module when it is done with the one before.

CAISSON_E2E_SHARE names a directory that they have in common, CAISSON_E2E_WORKERS says how many they are. The modules of a folder below
tests/e2e are taken as one. Workers with CAISSON_E2E_NO_ENGINE=1 leave what needs an engine to the others, which take that first.
When all have ended a last run, with CAISSON_E2E_LAST=1, takes what looks at what they have seen of the contract.
"""

import fcntl
import json
import os
import re
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
LAST = "test_zz_"    # modules of the last run
LAST_RUN = "CAISSON_E2E_LAST" in os.environ
# Begun first, in this order.
LONG = ("attacks", "test_container_faults.py", "test_containers.py", "test_engine_ways.py", "test_compile_cache.py", "test_languages.py",
        "test_host_programs.py", "test_kill_cases.py", "test_restart.py", "test_kill_anytime.py", "test_verdicts_ordinary.py")


class Share:
    """What the workers tell each other, in one file under a lock."""

    def __init__(self, folder, workers):
        self.path, self.workers = Path(folder) / "state.json", workers

    def change(self, change):
        """Calls change(state) while nobody else does; returns what it returns."""
        with open(self.path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            state = json.loads(file.read() or '{"taken": [], "seen": [], "ended": 0}')
            answer = change(state)
            file.truncate(0)
            file.write(json.dumps(state))
            return answer

    def take(self, units):
        """The first of `units` that nobody has taken; None if there is none."""

        def first(state):
            for unit in units:
                if unit not in state["taken"]:
                    state["taken"].append(unit)
                    return unit
            return None

        return self.change(first)

    def end(self, seen):
        """Adds what this worker saw of the contract."""

        def add(state):
            state["seen"] += sorted(seen)
            state["ended"] += 1

        self.change(add)

    def seen(self):
        """What all workers saw of the contract: (METHOD, path, status)."""
        return {tuple(each) for each in self.change(lambda state: state["seen"])}

    def others_work(self):
        """Whether another worker has not ended."""
        return self.change(lambda state: state["ended"]) < self.workers - 1


def share():
    """The share of this run; None if it has all tests to itself."""
    folder = os.environ.get("CAISSON_E2E_SHARE")
    return Share(folder, int(os.environ.get("CAISSON_E2E_WORKERS", "1"))) if folder else None


def unit_of(item):
    """What is taken as one: a module, or a folder of modules."""
    return item.path.relative_to(HERE).parts[0]


def needs_engine(items):
    """By their fixtures, or by their parameters where a fixture asks for the engine when it knows these."""
    return any("engine" in item.fixturenames or re.search(r"\[(docker|gvisor)\b", item.name) for item in items)


def in_order(units):
    """The units that this run may take: what only it can take first, then what takes long."""
    if LAST_RUN:
        return [unit for unit in units if unit.startswith(LAST)]
    has_engine = "CAISSON_E2E_NO_ENGINE" not in os.environ
    mine = [unit for unit in units if not unit.startswith(LAST) and (has_engine or not needs_engine(units[unit]))]
    return sorted(mine, key=lambda unit: (not needs_engine(units[unit]), LONG.index(unit) if unit in LONG else len(LONG)))


def told(text):
    """Writes a line where tools/test shows progress."""
    if descriptor := os.environ.get("CAISSON_E2E_PROGRESS"):
        os.write(int(descriptor), f"   {text}\n".encode())


def run_shared(session, ours):
    """pytest's loop over the tests of one worker."""
    units = {}
    for item in session.items:
        units.setdefault(unit_of(item), []).append(item)
    order = in_order(units)
    unit = ours.take(order)
    while unit:
        items, failed, start = units[unit], session.testsfailed, time.monotonic()
        for number, item in enumerate(items):
            following = ours.take(order) if number + 1 == len(items) else unit
            next_item = None if following is None else units[following][0] if following != unit else items[number + 1]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
        told(f"{unit}: {len(items)} tests, {session.testsfailed - failed or 'none'} failed, {time.monotonic() - start:.1f} s")
        unit = following

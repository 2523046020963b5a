"""What of the cases is different in containers: cases that do not apply there, ends that are right there, and what stays reachable.

All of it is told in docs/security.md, "In containers"."""

from dataclasses import replace

from catalogue import catalogue_cases
from own_cases import own_cases

# Cases that need what the images lack.
LEFT_OUT = {"R38"}    # a compiler

# runtime -> case -> judge: ends that are right there and not on bubblewrap.
JUDGES = {"docker": {}, "gvisor": {}}

# runtime -> cases of which REACHABLE is told and justified.
STAYS = {"docker": set(), "gvisor": set()}


def stays_on(runtime):
    return STAYS.get(runtime, set())


def cases_on(runtime):
    """The cases as they run on a runtime with containers."""
    judges = JUDGES[runtime]
    cases = [case for case in catalogue_cases() + own_cases() if case.id not in LEFT_OUT]
    return [replace(case, judge=judges.get(case.id, case.judge)) for case in cases]

"""Counted bounds: a text file of them, and what is above, or far below."""

import math

HEAD = """# Bounds of tools/counts, written by `tools/counts --renew`: how many, of what was counted when this was written.
# instructions: of going once along a hot path, by callgrind. calls: system calls of a run in a ready sandbox, and (collecting)
# of one that is collected from, by strace.
"""
INSTRUCTIONS, CALLS = "instructions", "calls"
MOST_MORE = {INSTRUCTIONS: 1.03, CALLS: 1.05}
SLACK = {INSTRUCTIONS: 0, CALLS: 0.5}    # so that a call more in each run is seen
FAR_BELOW = {INSTRUCTIONS: 0.95, CALLS: 0.90}


def text(counted, host):
    """`counted`: kind to (name to number)."""
    lines = [HEAD, f"host {host}\n"]
    for kind, each in counted.items():
        lines += [f"{kind} {name} {math.ceil(number * 10) / 10:.10g}\n" for name, number in each.items()]
    return "".join(lines)


def parse(content):
    """(kind to (name to bound), the host that they were counted on)"""
    bounds, host = {INSTRUCTIONS: {}, CALLS: {}}, ""
    for line in content.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "host":
            host = " ".join(words[1:])
        else:
            kind, name, number = words
            bounds[kind][name] = float(number)
    return bounds, host


def allowed(kind, bound):
    return bound * MOST_MORE[kind] + SLACK[kind]


class Verdict:
    """What compare() finds, as sentences."""

    def __init__(self):
        self.failures = []
        self.below = []


def compare(kind, counted, bounds):
    found = Verdict()
    for name, number in counted.items():
        if name not in bounds:
            found.failures.append(f"{kind} {name}: {shown(number)}, and there is no bound for it")
        elif number > allowed(kind, bounds[name]):
            found.failures.append(f"{kind} {name}: {shown(number)}, which is {number / bounds[name] - 1 if bounds[name] else 1:+.1%} against the bound of "
                                  f"{shown(bounds[name])}")
        elif number < bounds[name] * FAR_BELOW[kind] - SLACK[kind]:
            found.below.append(f"{kind} {name}: {shown(number)} is far below the bound of {shown(bounds[name])}")
    found.failures += [f"{kind} {name}: it has a bound and was not counted" for name in bounds if name not in counted and bounds[name] > SLACK[kind]]
    return found


def shown(number):
    return f"{number:,.1f}".removesuffix(".0")


def self_test(content):
    """What the comparison gets wrong with the committed bounds, doctored; empty if nothing."""
    bounds, _ = parse(content)
    wrong = []
    for kind, given in bounds.items():
        wrong += [f"{kind}: {what}" for what, holds in cases(kind, given) if not holds]
    return wrong


def cases(kind, given):
    if not given:
        return [("there are no bounds", False)]
    name = max(given, key=given.get)
    more = {**given, name: allowed(kind, given[name]) + 1}
    less = {**given, name: given[name] * FAR_BELOW[kind] - SLACK[kind] - 1}
    tight = {**given, name: given[name] / MOST_MORE[kind] - SLACK[kind] - 1}
    gone = {other: number for other, number in given.items() if other != name}
    return [
        ("the bounds themselves are refused", not compare(kind, given, given).failures),
        ("what grew is let pass", len(compare(kind, more, given).failures) == 1),
        ("a bound that was lowered is not missed", len(compare(kind, given, tight).failures) == 1),
        ("what has no bound is let pass", len(compare(kind, given, gone).failures) == 1),
        ("what was not counted is let pass", len(compare(kind, gone, given).failures) == 1),
        ("what is far below is not told", len(compare(kind, less, given).below) == 1 and not compare(kind, less, given).failures),
    ]

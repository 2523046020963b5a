"""Medians, spreads and ratios, and the page that shows them."""

import math
import statistics


def percentile(values, part):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * part) - 1)]


class Series:
    """What one contender showed, round by round; each round has one value or many."""

    def __init__(self, unit):
        self.unit = unit
        self.rounds = []
        self.p99s = []

    def add(self, values, p99=None):
        self.rounds.append(values)
        if p99 is not None:
            self.p99s.append(p99)

    def medians(self):
        return [statistics.median(values) for values in self.rounds]

    def median(self):
        return statistics.median(self.medians())

    def p99(self):
        """Of all samples, if there are enough; of rounds that bring their own, the median."""
        if self.p99s:
            return statistics.median(self.p99s)
        pooled = [value for values in self.rounds for value in values]
        return percentile(pooled, 0.99) if len(pooled) >= 100 else None


def in_turn(rounds, contenders, before=None):
    """Measures all contenders in each round, in changing order, each after a call of `before`. `contenders`: name to (unit, function that gives
    values or (values, p99)); returns name to Series."""
    series = {name: Series(unit) for name, (unit, _) in contenders.items()}
    for number_of_round in range(rounds):
        order = list(contenders.items())
        for name, (_, measure) in order if number_of_round % 2 == 0 else reversed(order):
            if before:
                before()
            found = measure()
            values, p99 = found if isinstance(found, tuple) else (found, None)
            series[name].add(values, p99)
    return series


def ratios(ours, peer):
    """Of each round's medians, since both contenders met the same machine then."""
    return [mine / theirs for mine, theirs in zip(ours.medians(), peer.medians())]


def between(series, one, other):
    """The median of the rounds' ratios of two contenders."""
    return statistics.median(ratios(series[one], series[other]))


def against(series, peer):
    """The median of the rounds' ratios of the project's own, which is the first of `series`, to `peer`."""
    return statistics.median(ratios(next(iter(series.values())), series[peer]))


def number(value):
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def span(values):
    return f"{number(min(values))}–{number(max(values))}"


def grid(rows):
    """A table whose first row is its head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text) + "\n"


OWN = "caisson"    # how the names of the project's own contenders begin


class Results:
    """Rows of the table, and what else was seen."""

    def __init__(self):
        self.lines = []
        self.seen = []
        self.bounds = []
        self.failures = []

    def compare(self, row, what, contenders):
        """`contenders`: name to Series; the first is the project's own that the peers are compared with."""
        names = list(contenders)
        ours = contenders[names[0]]
        for name in names:
            series = contenders[name]
            ratio = ""
            if not name.startswith(OWN):
                times = ratios(ours, series)
                ratio = f"{number(statistics.median(times))} ({span(times)})"
            self.lines.append([row, what, name, f"{number(series.median())} {series.unit}", span(series.medians()), number(series.p99()), ratio])
            row = what = ""

    def note(self, text):
        self.seen.append(text)

    def bound(self, what, asked, measured, holds, floor=None):
        """A promise of the project, and whether this run kept it. `floor`: what the kernel alone takes, if that is more than was promised."""
        kept = "yes" if holds else "**no**" if floor is None else f"no: {floor}"
        self.bounds.append([what, asked, measured, kept])

    def not_measured(self, what, asked, why):
        self.bounds.append([what, asked, f"not measured: {why}", ""])

    def failed(self, row, why):
        """A row that broke off: the page says so in place of what it lacks."""
        self.failures.append(row)
        self.bounds.append([f"row {row}", "is measured", f"failed: {why}", "**no**"])

    HEAD = ["row", "measured", "by", "median", "medians of rounds", "p99", "caisson is × this"]
    BOUNDS_HEAD = ["what is promised", "bound", "measured", "kept"]

    def table(self):
        """For a terminal and for Markdown alike."""
        text = grid([self.HEAD, *self.lines]) + "\n" + "".join(f"- {line}\n" for line in self.seen)
        if self.bounds:
            text += "\n" + grid([self.BOUNDS_HEAD, *self.bounds])
        return text


INTRODUCTION = """# Measured

Written by `bench/run`, which measures the server and its peers in the same run, in turn, round by round. "caisson is × this"
is the server's median over the peer's, round by round: the median of these ratios, and their range. For durations less than
1 is better, for rates more than 1. Absolute figures belong to the machine below; only ratios can be compared between machines.
p99 is of all samples together; for wrk it is the median of the rounds' own.
"""


def page(found, machine, build_times, notes, seconds):
    builds = "Not measured; `bench/run --build-times` does.\n"
    if build_times:
        builds = ("A clean release build without ccache takes {build_s} s with {jobs} jobs, after {configure_s} s of configuring "
                  "(measured {date}).\n").format(**build_times)
    more = "".join(f"- {line}\n" for line in notes)
    return (f"{INTRODUCTION}\n{found.table()}\n## Machine\n\n" + "".join(f"- {line}\n" for line in machine) +
            f"- the whole run took {seconds:.0f} s\n\n## Build\n\n{builds}{more}")

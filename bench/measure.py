"""Measures what bench/run has built: python3 measure.py [--quick] [--only ROW,...] [--note TEXT]..."""

import argparse
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lib"))

import machine
import results
import rows
from bench_setup import Bench
from processes import Failed

ROOT = Path(__file__).resolve().parent.parent


def options():
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--note", action="append", default=[])
    given = parser.parse_args()
    unknown = set(given.only) - set(rows.ALL)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}; there are {', '.join(rows.ALL)}")
    return given


def measure(bench, only):
    """All rows in turn; each gives the lines that it adds to the tables."""
    found = results.Results()
    for name, measure_row in rows.ALL.items():
        if only and name not in only:
            continue
        begin = time.monotonic()
        print(f"   {name} …", end="", flush=True)
        try:
            measure_row(bench, found)
        except Exception as failure:    # the other rows are measured all the same
            if not isinstance(failure, Failed):
                traceback.print_exc()
            found.failed(name, failure)
            print(f" failed: {failure}", flush=True)
            continue
        print(f" {time.monotonic() - begin:.1f} s", flush=True)
    return found


def main():
    given = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print("== measuring", flush=True)
    begin = time.monotonic()
    try:
        with Bench(ROOT, quick=given.quick) as bench:
            found = measure(bench, given.only)
    except Failed as failure:
        print(f"bench/run: {failure}", file=sys.stderr)
        return 1
    seconds = time.monotonic() - begin
    print("\n" + found.table())
    print(f"measured in {seconds:.0f} s")
    if not given.quick and not given.only:
        target = ROOT / "bench/results.md"
        target.write_text(results.page(found, machine.describe(ROOT), machine.build_times(ROOT), given.note, seconds))
        print(f"written: {target.relative_to(ROOT)}")
    return 1 if found.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

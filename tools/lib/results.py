"""Adds up what the test runners wrote (JUnit XML), names failures and skips, and prints the closing line.

usage: results.py [--expected FILE] [--save FILE] [--programs XML] XML...
With --programs, what ctest wrote of test programs (NAME, whose tests are in unit/NAME.xml beside it), one that failed though none of its tests
did, or that told of no tests, is a failure. With --expected a skip that the file does not list is a failure. Lines of that file: name pattern | reason
A reason that begins with "run by an ordinary user" holds for none but ordinary users, one with "a host with cgroup v2 only" for no other host.
"""

import argparse
import fnmatch
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Results:
    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)  # (name, reason)

    def closing_line(self):
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def reason_of(case, skipped):
    """pytest puts the reason into the message, GoogleTest prints it after "Skipped"."""
    message = skipped.get("message") or ""
    printed = re.search(r": Skipped\n(.*)", case.findtext("system-out") or "")
    if "SKIP" in message or "Disabled" in message or not message:
        message = printed.group(1) if printed else message or "no reason given"
    return message.strip()


def name_of(case, is_google):
    suite = case.get("classname", "")
    if is_google:
        return f"{suite}.{case.get('name')}"
    return f"{suite}::{case.get('name')}" if suite.startswith("test_") else case.get("name")


def read(path, results):
    root = ElementTree.parse(path).getroot()
    for case in root.iter("testcase"):
        name = name_of(case, root.get("name") == "AllTests")
        skipped = case.find("skipped")
        if skipped is not None:
            results.skipped.append((name, reason_of(case, skipped)))
        elif case.find("failure") is not None or case.find("error") is not None or case.get("status") in ("fail", "notrun"):
            results.failed.append(name)
        else:
            results.passed += 1


def read_or_miss(path, results):
    try:
        read(path, results)
    except (OSError, ElementTree.ParseError):
        results.failed.append(f"{path} was not written: its tests did not run")


def read_programs(path, results):
    programs = Results()
    read_or_miss(path, programs)
    results.failed += [name for name in programs.failed if "was not written" in name]
    for case in ElementTree.parse(path).getroot().iter("testcase") if Path(path).exists() else ():
        before = len(results.failed)
        read_or_miss(Path(path).parent / "unit" / f"{case.get('name')}.xml", results)
        if case.get("name") in programs.failed and len(results.failed) == before:
            results.failed.append(f"{case.get('name')} failed after its tests")


def holds_here(reason):
    if reason.startswith("run by an ordinary user"):
        return os.getuid() != 0
    return not reason.startswith("a host with cgroup v2 only") or not os.path.exists("/sys/fs/cgroup/memory")


def expected_patterns(path):
    patterns = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, bar, reason = line.partition("|")
            if not bar or not reason.strip():
                sys.exit(f"{path}: a line is: name pattern | reason; this is not: {line}")
            if holds_here(reason.strip()):
                patterns.append(pattern.strip())
    return patterns


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--expected")
    parser.add_argument("--save")
    parser.add_argument("--programs")
    parser.add_argument("xml", nargs="*")
    options = parser.parse_args()
    results = Results()
    if options.programs:
        read_programs(options.programs, results)
    for path in options.xml:
        read_or_miss(path, results)
    for name in results.failed:
        print(f"   failed: {name}")
    for name, reason in results.skipped:
        print(f"   skipped: {name}: {reason}")
    unexpected = []
    if options.expected:
        patterns = expected_patterns(options.expected)
        unexpected = [name for name, _ in results.skipped if not any(fnmatch.fnmatch(name, each) for each in patterns)]
        for name in unexpected:
            print(f"   skipped, but not listed in {options.expected}: {name}")
    if results.passed == 0:
        print("   no test ran")
    if options.save:
        Path(options.save).write_text(json.dumps({**asdict(results), "line": results.closing_line()}))
    print(results.closing_line())
    return 1 if results.failed or unexpected or results.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

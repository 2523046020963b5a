"""The lints that only read text: python3 text.py ROOT. Takes a second, needs no build."""

import sys

import coroutines
import includes
import names
import programs
import skips
import sql


def main(root):
    findings = [finding for lint in (includes, coroutines, names, programs, skips, sql) for finding in lint.check(root)]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Scripts name test programs and end-to-end modules that exist: a folder of tests that moves renames its program."""

import re
from pathlib import Path

from cpp_text import Finding

PLACES = (".ci/run", "tools", "bench", "docker", "packaging")
PROGRAM = re.compile(r"\b((?:core|adapters|app|storage)(?:_[a-z0-9]+)*)_tests\b")
MODULE = re.compile(r"(?<![\w/*])((?:[a-z_]+/)*test_[a-z0-9_]+\.py)\b")


def existing(root):
    """Names of the test programs, and paths of the end-to-end modules below tests/e2e."""
    tests = Path(root) / "tests"
    folders = (each.parent.relative_to(tests) for each in tests.glob("**/CMakeLists.txt"))
    programs = {"_".join(each.parts) for each in folders}
    modules = {str(each.relative_to(tests / "e2e")) for each in tests.glob("e2e/**/test_*.py")}
    return programs, modules


def check_text(path, text, programs, modules):
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        findings += [Finding(path, number, "test-program", f"no folder of tests makes {name}_tests") for name in PROGRAM.findall(line) if name not in programs]
        findings += [Finding(path, number, "test-program", f"tests/e2e has no {name}") for name in MODULE.findall(line) if name not in modules]
    return findings


def scripts(root):
    for place in PLACES:
        at = Path(root) / place
        for each in [at] if at.is_file() else sorted(at.rglob("*")):
            if each.is_file() and "lints" not in each.parts and "__pycache__" not in each.parts:
                yield each


def check(root):
    programs, modules = existing(root)
    findings = []
    for each in scripts(root):
        findings += check_text(str(each.relative_to(root)), each.read_text(encoding="utf-8", errors="replace"), programs, modules)
    return findings

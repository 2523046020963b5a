"""End-to-end tests that need a language which tools/setup does not install are listed in tests/expected-skips: only a host without
the language shows it otherwise."""

import ast
import fnmatch
import re
from pathlib import Path

from cpp_text import Finding

EXPECTED = "tests/expected-skips"
NOT_INSTALLED = re.compile(r"^\*test_languages\*\[\[\](\w+)\]$")    # the pattern that lists a language as one


def patterns_of(text):
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [line.partition("|")[0].strip() for line in lines]


def needed_by(function):
    """Languages that a test asks for by name."""
    calls = (each for each in ast.walk(function) if isinstance(each, ast.Call))
    named = [each for each in calls if isinstance(each.func, ast.Name) and each.func.id == "needs" and each.args]
    return {each.args[0].value for each in named if isinstance(each.args[0], ast.Constant)}


def check_text(path, text, expected):
    patterns = patterns_of(expected)
    missing = {match[1] for match in map(NOT_INSTALLED.match, patterns) if match}
    module = Path(path).stem
    findings = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith("test_"):
            continue
        listed = any(fnmatch.fnmatch(f"{module}::{function.name}", pattern) for pattern in patterns)
        for language in sorted(needed_by(function) & missing):
            if not listed:
                told = f"{function.name} is skipped where {language} is not installed; list it in {EXPECTED}"
                findings.append(Finding(path, function.lineno, "expected-skip", told))
    return findings


def check(root):
    expected = (Path(root) / EXPECTED).read_text(encoding="utf-8")
    files = sorted(Path(root).glob("tests/e2e/**/test_*.py"))
    return [each for path in files for each in check_text(str(path.relative_to(root)), path.read_text(encoding="utf-8"), expected)]

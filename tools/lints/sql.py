"""SQL files: one statement each, columns named, lists in a stated order; migrations numbered without gaps."""

import re
from pathlib import Path

from cpp_text import Finding, project_files

# Verbs of statements that give at most one row.
ONE_ROW = ("find", "count", "exists", "sum", "extent", "get", "last", "max", "min", "total", "version", "has", "position", "totals")
LITERAL_OR_COMMENT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)


def bare(text):
    """Without comments and the insides of literals, lower case; lines stay."""
    return LITERAL_OR_COMMENT.sub(lambda m: ("''" if m.group()[0] in "'\"" else "") + "\n" * m.group().count("\n"), text).lower()


def gives_one_row(path, sql):
    verb = Path(path).stem.split("_")[0]
    return verb in ONE_ROW or re.search(r"\blimit\s+1\s*;?\s*$", sql) or re.match(r"\s*select\s+(count|max|min|sum|exists)\s*\(", sql)


def check_text(path, text):
    sql = bare(text)
    findings = []
    statements = [part for part in sql.split(";") if part.strip()]
    if len(statements) != 1:
        findings.append(Finding(path, 1, "sql-statement", f"{len(statements)} statements; one a file"))
    match = re.search(r"\bselect\s+(all\s+|distinct\s+)?([a-z_]+\.)?\*", sql)
    if match:
        findings.append(Finding(path, sql[: match.start()].count("\n") + 1, "sql-columns", "name the columns instead of *"))
    selects = re.match(r"\s*(with\b.*?\)\s*)?select\b", sql, re.DOTALL)
    if selects and not gives_one_row(path, sql.strip()) and not re.search(r"\border\s+by\b", sql):
        findings.append(Finding(path, 1, "sql-order", "a list needs ORDER BY (statements of one row begin with find, count, …)"))
    return findings


def check_numbers(names):
    """Each folder of migrations counts from 0001 without a gap."""
    findings = []
    folders = {}
    for name in sorted(names):
        folders.setdefault(str(Path(name).parent), []).append(Path(name).name)
    for folder, files in folders.items():
        for want, name in enumerate(files, start=1):
            match = re.fullmatch(r"(\d{4})_[a-z0-9_]+\.sql", name)
            if not match or int(match.group(1)) != want:
                findings.append(Finding(f"{folder}/{name}", 1, "migration-name", f"expected {want:04d}_<what>.sql"))
    return findings


def check(root):
    names = project_files(root, (".sql",))
    findings = check_numbers([name for name in names if name.startswith("migrations/")])
    for name in names:
        if name.startswith("storage/sql/"):
            findings += check_text(name, (Path(root) / name).read_text(encoding="utf-8"))
    return findings

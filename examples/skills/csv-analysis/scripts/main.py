"""Statistics of a table's columns, with a bar chart of their means."""

import csv
import io
import json
import os
import statistics
import sys
from collections import Counter
from pathlib import Path

from bar_chart import bar_chart


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def number(value):
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if found - found == 0 else None  # not a NaN, not an infinity


def is_empty(value):
    return value is None or value == ""


def describe(values):
    """Statistics of one column, numeric if more than half of what is there are numbers."""
    present = [value for value in values if not is_empty(value)]
    numbers = [found for found in map(number, present) if found is not None]
    if numbers and len(numbers) * 2 > len(present):
        figures = {
            "mean": statistics.fmean(numbers),
            "median": statistics.median(numbers),
            "std_dev": statistics.pstdev(numbers),
            "min": min(numbers),
            "max": max(numbers),
            "sum": sum(numbers),
        }
        return {"type": "numeric", "count": len(numbers), **{name: round(value, 4) for name, value in figures.items()}}
    counts = Counter(map(str, present))
    return {"type": "categorical", "count": len(present), "unique": len(counts), "top_values": dict(counts.most_common(10))}


def summary(means):
    width = max(map(len, means))
    lines = [f"{name.ljust(width)}  {'#' * max(1, min(50, int(mean)))} {mean:g}" for name, mean in means.items()]
    return "\n".join(lines) + "\n"


def main():
    given = read_input()
    rows = given.get("data")
    if rows is None:
        rows = list(csv.DictReader(io.StringIO(given.get("csv", ""))))
    if not rows:
        print("the table has no rows: give \"csv\" with a header line and at least one more, or \"data\" with records", file=sys.stderr)
        return 1
    names = list(dict.fromkeys(name for row in rows for name in row if name is not None))
    columns = {}
    for name in names:
        columns[name] = describe([row.get(name) for row in rows])
        print(f"column {name}: {columns[name]['type']}, {columns[name]['count']} values", flush=True)
    means = {name: column["mean"] for name, column in columns.items() if column["type"] == "numeric"}
    files = Path(os.environ["SANDBOX_FILES_DIR"])
    files.mkdir(parents=True, exist_ok=True)
    if means:
        (files / "summary.txt").write_text(summary(means), encoding="utf-8")
        (files / "chart.png").write_bytes(bar_chart(list(means.values())))
    result = {"row_count": len(rows), "column_count": len(columns), "columns": columns, "numeric_columns": list(means)}
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result), encoding="utf-8")
    print(f"Analysis complete: {len(rows)} rows, {len(columns)} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())

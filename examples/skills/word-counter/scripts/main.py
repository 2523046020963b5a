"""Counts the words of the input's text. The result goes to SANDBOX_OUTPUT, a report for people to SANDBOX_FILES_DIR."""

import json
import os
import re
from collections import Counter
from pathlib import Path


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def report(total, top):
    title = "Word count"
    rows = [f"{count:6d}  {word}" for word, count in top]
    return "\n".join([title, "=" * len(title), f"{total} words", "", *rows]) + "\n"


def main():
    given = read_input()
    words = re.findall(r"\b[a-z]+\b", given.get("text", "").lower())
    counts = Counter(words)
    top = counts.most_common(given.get("top_n", 10))
    result = {
        "total_words": len(words),
        "unique_words": len(counts),
        "top_words": [{"word": word, "count": count} for word, count in top],
    }
    files = Path(os.environ["SANDBOX_FILES_DIR"])
    files.mkdir(parents=True, exist_ok=True)
    (files / "report.txt").write_text(report(len(words), top), encoding="utf-8")
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result), encoding="utf-8")
    print(f"Counted {len(words)} words, {len(counts)} unique")


if __name__ == "__main__":
    main()

"""Writes several files below SANDBOX_FILES_DIR and says which."""

import json
import os
from pathlib import Path


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def contents(count):
    """The files, name by name."""
    files = {f"output_{i}.txt": f"This is file {i} of {count}\n" for i in range(count)}
    files["data.csv"] = "id,value\n" + "".join(f"{i},{i * 10}\n" for i in range(count))
    files["nested/deep.txt"] = "a file in a folder\n"
    return files


def main():
    files = contents(read_input().get("file_count", 3))
    folder = Path(os.environ["SANDBOX_FILES_DIR"])
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"files_written": list(files), "total_files": len(files)}), encoding="utf-8")
    print(f"Wrote {len(files)} files")


if __name__ == "__main__":
    main()

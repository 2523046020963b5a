"""Exits with the status that the input asks for."""

import json
import os
import sys
from pathlib import Path


def main():
    given = json.loads(os.environ.get("SANDBOX_INPUT") or Path("/sandbox/input.json").read_text(encoding="utf-8"))
    code = given.get("exit_code", 1)
    message = given.get("message", "it failed on purpose")
    sys.stderr.write(f"exiting with status {code}\n")    # one write: the two streams may be shown side by side
    print(message, flush=True)
    if given.get("write_output", False):
        target = Path(os.environ["SANDBOX_OUTPUT"])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps({"partial": True, "message": message}), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())

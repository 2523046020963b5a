"""Succeeds at the attempt that the input names; before that it asks to be run again."""

import json
import os
import sys
from pathlib import Path

TRY_AGAIN_LATER = 75  # EX_TEMPFAIL of sysexits.h, named under "retry" in SKILL.md


def main():
    given = json.loads(os.environ.get("SANDBOX_INPUT") or Path("/sandbox/input.json").read_text(encoding="utf-8"))
    attempt = int(os.environ.get("CAISSON_ATTEMPT", "1"))
    if attempt < given.get("succeed_at", 3):
        print(f"attempt {attempt}: not yet", file=sys.stderr)
        return TRY_AGAIN_LATER
    print(f"attempt {attempt}: done")
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"attempt": attempt}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

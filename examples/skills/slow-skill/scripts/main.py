"""Sleeps in ten steps."""

import json
import os
import time
from pathlib import Path

STEPS = 10


def main():
    given = json.loads(os.environ.get("SANDBOX_INPUT") or Path("/sandbox/input.json").read_text(encoding="utf-8"))
    seconds = given.get("sleep_seconds", 30)
    print(f"sleeping for {seconds} s", flush=True)
    for step in range(STEPS):
        time.sleep(seconds / STEPS)
        print(f"{(step + 1) * 100 // STEPS} %", flush=True)
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"completed": True, "slept": seconds}), encoding="utf-8")


if __name__ == "__main__":
    main()

"""clang-tidy over the project's sources, several at once. What was clean stays clean until its text, a header of the
project that it includes, the configuration or the command changes."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

TIDY = "clang-tidy-19"
SKIPPED = ("core/third_party/",)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


class Headers:
    """Digest of a file and of all that it includes by quotes, from the root or from where the build puts what it makes."""

    def __init__(self, root, build):
        self.root = Path(root)
        self.folders = [self.root, Path(build)]
        self.direct = {}

    def includes(self, path):
        if path not in self.direct:
            text = path.read_bytes()
            names = INCLUDE.findall(text.decode("utf-8", "replace"))
            found = [next((f / n for f in self.folders if (f / n).is_file()), None) for n in names]
            self.direct[path] = (hashlib.sha256(text).hexdigest(), [f for f in found if f])
        return self.direct[path]

    def digest(self, path):
        seen, waiting = {}, [path]
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen[each], more = self.includes(each)
                waiting += more
        return hashlib.sha256("".join(sorted(seen.values())).encode()).hexdigest()


def configuration(root):
    files = sorted(Path(root).glob(".clang-tidy")) + sorted(Path(root).glob("*/.clang-tidy"))
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    return version + "".join(f.read_text() for f in files)


def sources(root, build):
    """Source and command of each of the project's own sources, once."""
    entries = json.loads((Path(build) / "compile_commands.json").read_text())
    chosen = {}
    for entry in entries:
        path = Path(entry["file"]).resolve()
        if not path.is_relative_to(root) or path.is_relative_to(build):
            continue
        name = str(path.relative_to(root))
        if not name.startswith(SKIPPED) and name.endswith(".cpp"):
            chosen.setdefault(name, entry["command"])
    return chosen


def run_one(root, build, name):
    start = time.monotonic()
    done = subprocess.run([TIDY, "--quiet", "-p", str(build), name], cwd=root, capture_output=True, text=True)
    return name, done.returncode, done.stdout.strip(), done.stderr.strip(), time.monotonic() - start


def check(root, build, only=(), jobs=None):
    """Prints findings and progress; returns how many sources have findings."""
    root, build = Path(root).resolve(), Path(build).resolve()
    cache = root / "build" / "lint" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    headers, config = Headers(root, build), configuration(root)
    waiting, clean = {}, 0
    for name, command in sources(root, build).items():
        if only and name not in only:
            continue
        text = config + shlex.join(shlex.split(command)) + headers.digest(root / name)
        stamp = cache / hashlib.sha256(text.encode()).hexdigest()
        if stamp.exists():
            clean += 1
        else:
            waiting[name] = stamp
    bad, total = 0, 0.0
    print(f"   clang-tidy: {len(waiting)} sources to check, {clean} unchanged", flush=True)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        runs = [pool.submit(run_one, root, build, name) for name in sorted(waiting)]
        for count, run in enumerate(as_completed(runs), start=1):
            name, code, out, err, seconds = run.result()
            total += seconds
            if code == 0:
                waiting[name].touch()
            else:
                bad += 1
                print(out or err, flush=True)
            if count % 20 == 0 or count == len(runs):
                print(f"   clang-tidy: {count}/{len(runs)}, {total / count:.1f} s each", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(1 if check(sys.argv[1], sys.argv[2], sys.argv[3:]) else 0)

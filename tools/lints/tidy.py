"""clang-tidy over the project's sources, several at once. What was clean stays clean until its text, a header of the
project that it includes, the configuration or the command changes.

The file checked-commit beside this one names a commit of which all sources were found clean. Only sources that differ from it, or include
a header that does, are looked at; with --whole all are, and if all are clean and committed the file names this commit.
"""

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

import names

TIDY = "clang-tidy-19"
SKIPPED = ("core/third_party/",)
CHECKED = Path(__file__).with_name("checked-commit")
OF_ALL = (".clang-tidy", "CMakeLists.txt", "CMakePresets.json", "cmake/compiler.cmake", "cmake/dependencies.cmake")    # a change of these is one of all sources
BATCH = 40  # sources that are looked at as one
OWN_OPTIONS = ("-c", "-o", "-MD", "-MT", "-MF")  # of a source's command, with their values
PART = re.compile(r'^#include "(.+)"$', re.MULTILINE)  # of sources that are compiled as one
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

    def files(self, path):
        """The file and all that it includes, each with the digest of its text."""
        seen, waiting = {}, [path]
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen[each], more = self.includes(each)
                waiting += more
        return seen

    def digest(self, path):
        return hashlib.sha256("".join(sorted(self.files(path).values())).encode()).hexdigest()


def configuration(root):
    files = sorted(Path(root).glob(".clang-tidy")) + sorted(Path(root).glob("*/.clang-tidy"))
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    return version + "".join(f.read_text() for f in files)


def sources(root, build):
    """Source and command of each of the project's own sources, once."""
    entries = json.loads((Path(build) / "compile_commands.json").read_text())
    chosen = {}
    for entry in entries:
        compiled = Path(entry["file"]).resolve()
        for path in [Path(each) for each in PART.findall(compiled.read_text())] if compiled.name.startswith("unity_") else [compiled]:
            if not path.is_relative_to(root) or path.is_relative_to(build):
                continue
            name = str(path.relative_to(root))
            if not name.startswith(SKIPPED) and name.endswith(".cpp"):
                chosen.setdefault(name, entry["command"].replace(str(compiled), str(path)))
    return chosen


def git(root, *arguments):
    """What git says; nothing if it fails."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def changed_since_checked(root):
    """Paths below root that differ from the commit that was checked; nothing if everything has to be looked at."""
    commit = CHECKED.read_text().strip() if CHECKED.exists() else ""
    differing = git(root, "diff", "--name-only", "-z", commit) if commit else None
    untracked = git(root, "ls-files", "-o", "--exclude-standard", "-z")
    if differing is None or untracked is None:
        return None
    changed = set(filter(None, (differing + untracked).split("\0")))
    return None if any(name in OF_ALL or name.endswith("/.clang-tidy") for name in changed) else {root / name for name in changed}


def mark_checked(root):
    """Names this commit as checked, if it is what was looked at."""
    if git(root, "status", "--porcelain"):
        print("   clang-tidy: all sources are clean; commit them, then this marks the commit as checked")
        return
    CHECKED.write_text(git(root, "rev-parse", "HEAD"))
    print(f"   clang-tidy: all sources are clean; {CHECKED.relative_to(root)} says so, commit it")


def run_tidy(root, build, path, *options):
    return subprocess.run([TIDY, "--quiet", "-p", str(build), *options, str(path)], cwd=root, capture_output=True, text=True)


def run_one(root, build, folder, command, name):
    told_of(build, folder, command, root / name)
    done = run_tidy(root, folder, name)
    return done.returncode == 0, done.stdout.strip() or done.stderr.strip()


def told_of(build, folder, command, path):
    """How `path` is compiled, in `folder`: the build may know it as a part of another source only."""
    folder.mkdir(parents=True, exist_ok=True)
    entry = {"directory": str(build), "command": f"{command} -c {shlex.quote(str(path))}", "file": str(path)}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))


def batches(root, sources_there, commands):
    """Sources with one command and one configuration: they share what they include, and looking at that is most of the work."""
    alike = {}
    for name in sorted(sources_there):
        words = [w for w in shlex.split(commands[name]) if not w.startswith("/") or not w.endswith(name)]
        words = [w for i, w in enumerate(words) if w not in OWN_OPTIONS and (i == 0 or words[i - 1] not in OWN_OPTIONS)]
        alike.setdefault((name.split("/")[0], shlex.join(words)), []).append(root / name)
    for (_, command), group in sorted(alike.items()):
        for part in names.apart(group, BATCH, hiding=False):
            yield command, [str(path.relative_to(root)) for path in part]


def run_batch(root, build, folder, command, group):
    """Whether all of `group` is clean as one source."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "batch.cpp"
    whole.write_text("".join(f'#include "{root / name}"\n' for name in group))
    own = root / group[0].split("/")[0] / ".clang-tidy"
    if own.is_file():
        (folder / ".clang-tidy").write_text(own.read_text())
    told_of(build, folder, f"{command} -Wno-shadow", whole)
    return run_tidy(root, folder, whole, f"--header-filter=^{root}/(adapters|app|bench|core|fuzz|storage|tests)/").returncode == 0


def run_group(root, build, folder, command, group):
    """What is wrong in each of `group`: name, whether it is clean, what was said. One that is not clean as a whole may have sources that
    cannot be compiled as one, since a name of one hides another's; if that is not it, one of them is not clean, and it is halved."""
    if len(group) == 1:
        return [(group[0], *run_one(root, build, folder, command, group[0]))]
    if run_batch(root, build, folder, command, group):
        return [(name, True, "") for name in group]
    parts = [[str(path.relative_to(root)) for path in part] for part in names.apart([root / name for name in group], BATCH)]
    if len(parts) == 1:
        parts = [group[:len(group) // 2], group[len(group) // 2:]]
    return [each for part in parts for each in run_group(root, build, folder, command, part)]


def check(root, build, only=(), jobs=None, whole=True):
    """Prints findings and progress; returns how many sources have findings."""
    root, build = Path(root).resolve(), Path(build).resolve()
    cache = root / "build" / "lint" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    headers, config = Headers(root, build), configuration(root)
    changed = None if whole else changed_since_checked(root)
    waiting, clean, commands = {}, 0, sources(root, build)
    for name, command in commands.items():
        if only and name not in only:
            continue
        if changed is not None and not changed & headers.files(root / name).keys():
            clean += 1
            continue
        text = config + shlex.join(shlex.split(command)) + headers.digest(root / name)
        stamp = cache / hashlib.sha256(text.encode()).hexdigest()
        if stamp.exists():
            clean += 1
        else:
            waiting[name] = stamp
    print(f"   clang-tidy: {len(waiting)} sources to check, {clean} unchanged", flush=True)
    bad, seen, told, start = 0, 0, 0, time.monotonic()
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        runs = [pool.submit(run_group, root, build, root / "build" / "lint" / "batches" / str(number), command, group)
                for number, (command, group) in enumerate(batches(root, waiting, commands))]
        for run in as_completed(runs):
            for name, is_clean, said in run.result():
                seen += 1
                if is_clean:
                    waiting[name].touch()
                else:
                    bad += 1
                    if said:
                        print(said, flush=True)
            if seen >= told + 40 or seen == len(waiting):
                told = seen
                print(f"   clang-tidy: {seen}/{len(waiting)}, {time.monotonic() - start:.0f} s", flush=True)
    return bad


def main():
    root, build, *only = sys.argv[1:]
    whole = "--whole" in only
    named = [name for name in only if name != "--whole"]
    bad = check(root, build, named, whole=whole)
    if whole and not named and not bad:
        mark_checked(Path(root).resolve())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

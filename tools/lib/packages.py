"""Prints the files of installed packages and of all that they depend on, for tar -T.

usage: packages.py PACKAGE...
Documentation and translations are left out; compiled Python files beside the packages' own are there.
"""

import os
import re
import subprocess
import sys

LEFT_OUT = re.compile(r"^/usr/share/(doc|man|locale|info|lintian|bug|zsh|bash-completion|doc-base|perl5?)(/|$)")
MERGED = re.compile(r"^/(bin|sbin|lib|lib32|lib64|libx32)(/|$)")


def query(*arguments):
    return subprocess.run(["dpkg-query", *arguments], check=True, capture_output=True, text=True).stdout


def installed():
    """Dependencies of each installed package, and who provides a name."""
    depends, provider = {}, {}
    text = query("-W", "-f", "${db:Status-Status}\t${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n")
    for line in text.splitlines():
        status, name, provides, needs = line.split("\t")
        if status == "installed":
            depends[name] = needs
            for each in filter(None, (each.strip() for each in provides.split(","))):
                provider.setdefault(each.split(" ")[0], name)
    return depends, provider


def closure(wanted):
    depends, provider = installed()
    found, waiting = set(), list(wanted)
    while waiting:
        name = waiting.pop()
        name = name if name in depends else provider.get(name)
        if name is None or name in found:
            continue
        found.add(name)
        for alternatives in depends[name].split(","):
            names = [re.split(r"[ (:]", each.strip())[0] for each in alternatives.split("|")]
            waiting += [each for each in names if each in depends or each in provider][:1]
    missing = [name for name in wanted if name not in depends]
    if missing:
        sys.exit(f"packages.py: not installed: {' '.join(missing)}")
    return sorted(found)


def main():
    files, folders = set(), set()
    for path in query("-L", *closure(sys.argv[1:])).splitlines():
        if not path.startswith("/") or path == "/." or LEFT_OUT.match(path):
            continue
        path = MERGED.sub(r"/usr/\1\2", path)
        if not os.path.lexists(path):
            continue
        files.add(path)
        if path.endswith(".py"):
            folders.add(os.path.dirname(path))
    for folder in folders:
        compiled = os.path.join(folder, "__pycache__")
        if os.path.isdir(compiled):
            files.update([compiled, *(os.path.join(compiled, name) for name in os.listdir(compiled))])
    for path in sorted(files):
        print(path.lstrip("/"))


main()

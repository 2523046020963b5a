"""Packs a root file system as an image that `docker load` takes; the same tree gives the same bytes.

usage: archive.py TREE OUT --name NAME --recipe RECIPE

Files belong to root, /workspace to the image's user. No time is later than SOURCE_DATE_EPOCH, by default the time of the
packages' newest file.
"""

import argparse
import datetime
import hashlib
import io
import json
import os
import platform
import stat
import tarfile
from pathlib import Path

USER = 1000
OWN = {"workspace"}    # what the image's user may write
MADE_HERE = {"etc/passwd", "etc/group", "etc/nsswitch.conf"}    # not a package's
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def entries(tree):
    """All paths below `tree`, relative, in an order that does not depend on the file system."""
    for folder, folders, files in os.walk(tree):
        folders.sort()
        for name in sorted(folders + files):
            yield os.path.relpath(os.path.join(folder, name), tree)


def epoch_of(tree):
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    files = (Path(tree, path) for path in entries(tree) if path not in MADE_HERE and "__pycache__" not in path)
    return max((int(file.lstat().st_mtime) for file in files if file.is_file() and not file.is_symlink()), default=0)


def described(tree, path, epoch, seen):
    """The header of one path; a second name of a file is a link to the first."""
    status = Path(tree, path).lstat()
    info = tarfile.TarInfo(path)
    info.mode = stat.S_IMODE(status.st_mode)
    info.uid = info.gid = USER if path in OWN else 0
    info.mtime = epoch if stat.S_ISDIR(status.st_mode) or path in MADE_HERE else min(int(status.st_mtime), epoch)
    if stat.S_ISLNK(status.st_mode):
        info.type, info.linkname, info.mtime, info.mode = tarfile.SYMTYPE, os.readlink(Path(tree, path)), epoch, 0o777
    elif stat.S_ISDIR(status.st_mode):
        info.type = tarfile.DIRTYPE
    elif not stat.S_ISREG(status.st_mode):
        return None
    elif status.st_nlink > 1 and (status.st_dev, status.st_ino) in seen:
        info.type, info.linkname = tarfile.LNKTYPE, seen[status.st_dev, status.st_ino]
    else:
        seen[status.st_dev, status.st_ino] = path
        info.size = status.st_size
    return info


def write_layer(tree, layer, epoch):
    seen = {}
    with tarfile.open(layer, "w", format=tarfile.GNU_FORMAT) as out:
        for path in entries(tree):
            info = described(tree, path, epoch, seen)
            if info is None:
                continue
            if info.type == tarfile.REGTYPE:
                with open(Path(tree, path), "rb") as content:
                    out.addfile(info, content)
            else:
                out.addfile(info)


def digest(file):
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def config(recipe, layer_digest, epoch):
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"],
            "Cmd": ["/bin/sh"],
            "WorkingDir": "/workspace",
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + layer_digest]},
        "history": [{"created": created, "created_by": f"docker/images/{recipe}/build"}],
    }


def member(name, content, epoch):
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = len(content), epoch, 0o644
    return info, io.BytesIO(content)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("out")
    parser.add_argument("--name", required=True)
    parser.add_argument("--recipe", required=True)
    wanted = parser.parse_args()
    epoch = epoch_of(wanted.tree)
    unfinished, layer = Path(wanted.out + ".new"), Path(wanted.out + ".layer")
    try:
        write_layer(wanted.tree, layer, epoch)
        about = json.dumps(config(wanted.recipe, digest(layer), epoch), sort_keys=True).encode()
        about_name = hashlib.sha256(about).hexdigest() + ".json"
        manifest = json.dumps([{"Config": about_name, "RepoTags": [wanted.name], "Layers": ["layer.tar"]}]).encode()
        with tarfile.open(unfinished, "w", format=tarfile.GNU_FORMAT) as out:
            out.addfile(*member(about_name, about, epoch))
            out.addfile(*member("manifest.json", manifest, epoch))
            info = tarfile.TarInfo("layer.tar")
            info.size, info.mtime, info.mode = layer.stat().st_size, epoch, 0o644
            with open(layer, "rb") as content:
                out.addfile(info, content)
        unfinished.rename(wanted.out)
    finally:
        layer.unlink(missing_ok=True)
        unfinished.unlink(missing_ok=True)


main()

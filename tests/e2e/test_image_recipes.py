"""docker/images: the recipes make images that docker takes, the same ones each time, and say what is wrong if they cannot."""

import hashlib
import json
import subprocess
import tarfile

import pytest

from harness.engine import RECIPES

NAMES = sorted(path.parent.name for path in RECIPES.glob("*/build"))
NO_MIRROR = "http://127.0.0.1:9/debian"    # nobody listens there


def build(recipe, *arguments, **more):
    return subprocess.run([RECIPES / recipe / "build", *map(str, arguments)], capture_output=True, text=True, timeout=100, **more)


def made(folder, recipe, *options, **more):
    out = folder / f"{recipe}-{len(list(folder.iterdir()))}.tar"
    done = build(recipe, "--installed", *options, out, **more)
    assert done.returncode == 0, done.stderr
    return out


def opened(image):
    """(manifest, config, layer) of an image's file."""
    archive = tarfile.open(image)
    manifest = json.load(archive.extractfile("manifest.json"))[0]
    return manifest, json.load(archive.extractfile(manifest["Config"])), tarfile.open(fileobj=archive.extractfile(manifest["Layers"][0]))


def test_there_are_recipes_for_all_languages():
    assert {"python", "node", "bash", "busybox"} <= set(NAMES)


def test_the_same_packages_make_the_same_bytes(tmp_path):
    images = [made(tmp_path, "bash") for _ in range(2)]
    assert images[0].read_bytes() == images[1].read_bytes()


def test_an_image_is_small_and_an_ordinary_user_s(tmp_path):
    manifest, config, layer = opened(made(tmp_path, "bash", "--name", "some:name"))
    assert manifest["RepoTags"] == ["some:name"]
    assert config["config"]["User"] == "1000:1000" and config["config"]["WorkingDir"] == "/workspace"
    entries = {member.name: member for member in layer}
    assert entries["workspace"].uid == 1000 and entries["usr/bin/bash"].uid == 0 and entries["usr/bin/sh"].issym()
    assert not [name for name, member in entries.items() if member.isreg() and member.mode & 0o6000], "nobody becomes root in it"
    assert not [name for name in entries if name.startswith(("usr/share/man/", "usr/share/locale/", "var/cache/", "etc/shadow"))]


def test_the_layer_is_the_one_that_the_config_names(tmp_path):
    image = made(tmp_path, "busybox")
    _, config, _ = opened(image)
    layer = tarfile.open(image).extractfile("layer.tar").read()
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]


def test_times_are_bounded_by_source_date_epoch(tmp_path):
    done = made(tmp_path, "busybox", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SOURCE_DATE_EPOCH": "1000000000"})
    _, config, layer = opened(done)
    assert config["created"] == "2001-09-09T01:46:40Z" and max(member.mtime for member in layer) <= 1_000_000_000


@pytest.mark.parametrize("arguments, said", [
    ([], "where should the image go?"),
    (["--colour", "x.tar"], "unknown option --colour"),
    (["a.tar", "b.tar"], "b.tar is another one"),
    (["/nonexistent/x.tar"], "the directory /nonexistent is not there"),
])
def test_a_mistake_is_named(arguments, said):
    done = build("busybox", *arguments)
    assert done.returncode != 0 and said in done.stderr


def test_a_mirror_that_is_not_there_is_named_and_leaves_nothing(tmp_path):
    done = build("busybox", "--mirror", NO_MIRROR, tmp_path / "x.tar")
    assert done.returncode != 0 and f"could not get the packages from {NO_MIRROR}" in done.stderr
    assert not list(tmp_path.iterdir())

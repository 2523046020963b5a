"""Thumbnails of the input's images."""

import base64
import json
import os
import sys
from pathlib import Path

from pictures import BadPicture, decode, encode_png, shrink


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def make(image, size, files):
    picture = decode(base64.b64decode(image["base64"], validate=True))
    small = shrink(picture, size)
    file = image["name"] if image["name"].endswith(".png") else image["name"] + ".png"
    (files / file).write_bytes(encode_png(small))
    print(f"{image['name']}: {picture.width}x{picture.height} -> {small.width}x{small.height}", flush=True)
    before = {"original_width": picture.width, "original_height": picture.height}
    return {"name": image["name"], "file": file, "width": small.width, "height": small.height, **before}


def main():
    given = read_input()
    files = Path(os.environ["SANDBOX_FILES_DIR"])
    files.mkdir(parents=True, exist_ok=True)
    made = []
    for image in given["images"]:
        try:
            made.append(make(image, given.get("size", 64), files))
        except (BadPicture, ValueError) as problem:
            print(f"{image['name']}: {problem}", file=sys.stderr)
            return 1
    target = Path(os.environ["SANDBOX_OUTPUT"])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"thumbnails": made}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Skills for the tests: packages made on the fly, and pushed as clients push them."""

import contextlib
import io
import json
import random
import zipfile

import yaml

ENTRIES = {"python": "scripts/main.py", "bash": "scripts/main.sh", "node": "scripts/main.js"}
ZIP = {"Content-Type": "application/zip"}


def skill_md(name, version="1.0.0", lang="python", body="Do it.", description="for a test", **front):
    """SKILL.md; `front` are further members of its front matter."""
    head = {"name": name, "version": version, "description": description, "lang": lang, **front}
    return f"---\n{yaml.safe_dump(head, allow_unicode=True)}---\n{body}\n"


def zipped(files):
    """A zip of path and text, in their order."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        for path, text in files.items():
            out.writestr(path, text)
    return archive.getvalue()


def package(name, program, lang="python", entry=None, files=None, **front):
    """A zip with SKILL.md, the program and further files."""
    content = {"SKILL.md": skill_md(name, lang=lang, **front), entry or ENTRIES[lang]: program, **(files or {})}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path, text in content.items():
            info = zipfile.ZipInfo(path)
            info.external_attr = (0o755 if path.startswith("bin/") else 0o644) << 16
            out.writestr(info, text)
    return archive.getvalue()


def push(api, name, program, **more):
    """Uploads it; what the server says of it."""
    answer = api.call("POST", "/v1/skills", raw=package(name, program, **more), headers=ZIP)
    assert answer.status == 201, (answer.status, answer.body)
    return answer.value


def remove(api, name, version="1.0.0"):
    answer = api.delete(f"/v1/skills/{name}/{version}")
    assert answer.status == 204, (answer.status, answer.body)


@contextlib.contextmanager
def pushed(api, programs):
    """Skills by name, each what push() takes; gone afterwards."""
    for name, one in programs.items():
        push(api, name, **one)
    yield
    for name in programs:
        remove(api, name)


# Writes what the code in `answer` makes of `given` as the output.
PRELUDE = """\
import json, os, sys
given = json.loads(os.environ["SANDBOX_INPUT"])
def answer(value):
    with open(os.environ["SANDBOX_OUTPUT"], "w") as out:
        json.dump(value, out)
"""


def python(code):
    """A program with `given` and answer()."""
    return PRELUDE + code


def answers(value):
    """A program that only answers."""
    return python(f"answer(json.loads({json.dumps(value)!r}))\n")


# The registry


def upload(api, content, **headers):
    """Sends a package as it is; the answer."""
    return api.call("POST", "/v1/skills", raw=content, headers={**ZIP, **headers})


def versions(api):
    """(name, version) of all that the tenant has."""
    return [(row["name"], row["version"]) for row in api.get("/v1/skills").value]


def large(size, version="1.0.0"):
    """A package of about `size` bytes that hardly compresses."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("SKILL.md", skill_md("large", version))
        archive.writestr("main.py", "print(1)\n")
        for i in range(8):
            archive.writestr(f"data-{i}", random.Random(f"{version}/{i}").randbytes(size // 8))
    return out.getvalue()

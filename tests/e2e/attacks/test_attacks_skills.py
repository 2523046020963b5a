"""The rows of the catalogue on skill packages and their registry, each twice; after each the world is as it was."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import struct
import tarfile
import zipfile
import zlib

import pytest

from harness.packages import ZIP, package, skill_md

from catalogue import ROWS
from world import World

MIB = 1 << 20
GOOD = {"SKILL.md": skill_md("attack", lang="python"), "main.py": "print('hi')\n"}


@pytest.fixture(params=[1, 2])
def row(campaign, request):
    """Names the row by the test's name, test_s13_…; afterwards nothing is left behind. Its result goes to the table."""
    identity = request.function.__name__.split("_")[1].upper()
    world = World(campaign.server, campaign.canary)
    entry = {"case": identity, "name": ROWS[identity]["name"], "runtime": campaign.runtime, "pass": request.param, "result": "failed", "problems": []}
    campaign.rows.append(entry)
    yield identity
    left = world.left_behind()
    files = [path.name for path in (campaign.server.data / "uploads").iterdir()]
    entry["problems"] = [f"left behind: {left} {files}"] if left or files else []
    if request.node.report_call.passed and not entry["problems"]:
        entry["result"] = "held"
    assert not left and not files


@pytest.fixture
def api(campaign, row):
    """The attacker's; afterwards it has no skill."""
    api = campaign.attackers[0]
    yield api
    for name in {each["name"] for each in api.get("/v1/skills").value}:
        assert api.delete(f"/v1/skills/{name}").status == 204


def upload(api, content, kind="application/zip"):
    return api.call("POST", "/v1/skills", raw=content, headers={"Content-Type": kind})


def refused(api, content, *words):
    """It is refused as a whole, by an upload and by a validation alike, and said why."""
    for path in ("/v1/skills", "/v1/skills/validate"):
        answer = api.call("POST", path, raw=content, headers={"Content-Type": "application/octet-stream"})
        assert answer.status in (400, 413) and answer["error"] in ("invalid_skill", "too_large"), answer.value
        assert all(word in answer["message"] for word in words), answer.value
    assert api.get("/v1/skills").value == []


def zip_with(names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in GOOD.items():
            archive.writestr(path, text)
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x")
    return out.getvalue()


def tar_with(entries):
    """A tar.gz of a good skill and entries of these kinds."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, text in GOOD.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
        for info in entries:
            archive.addfile(info, io.BytesIO(b"\0" * info.size))
    return out.getvalue()


def entry(name, kind, **more):
    info = tarfile.TarInfo(name)
    info.type = kind
    for field, value in more.items():
        setattr(info, field, value)
    return info


def bomb(entries, size, told):
    """A zip whose entries inflate to `size` zeros each, and say `told`."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block, crc = bytes(MIB), 0
    packed = b""
    for _ in range(size // MIB):
        packed += squeezer.compress(block)
        crc = zlib.crc32(block, crc)
    packed += squeezer.flush()
    good = [(name.encode(), text.encode(), zlib.crc32(text.encode()), len(text), 0) for name, text in GOOD.items()]
    files = good + [(f"f{i}".encode(), packed, crc, told, 8) for i in range(entries)]
    out, central = b"", b""
    for name, data, sum_, length, method in files:
        fields = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, sum_, len(data), length, len(name), 0)
        central += b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(out)) + name
        out += b"PK\x03\x04" + fields + name + data
    return out + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(files), len(files), len(central), len(out), 0)


def test_s13_zip_bomb(api):
    refused(api, bomb(50, 16 * MIB, 16 * MIB))
    refused(api, bomb(1, 64 * MIB, 10))    # its header says that it is small
    refused(api, bomb(4, 16 * MIB, 0xFFFFFFF0))
    refused(api, tar_with([entry("zeros", tarfile.REGTYPE, size=64 * MIB)]))
    refused(api, zip_with([f"many-{i}" for i in range(2_000)]))


@pytest.mark.parametrize("name", ["../../../../tmp/slip", "/tmp/abs", "a/../../up", "C:\\x", "..\\..\\w", "ok/./../../x", "..", "a/\0b/../../x"])
def test_s15_zip_slip(api, name):
    refused(api, zip_with([name]))
    refused(api, tar_with([entry(name.replace("\0", "_") + "_", tarfile.SYMTYPE, linkname="/etc/passwd")]))
    assert not os.path.exists("/tmp/slip") and not os.path.exists("/tmp/abs")


def test_s17_special_entries(api, campaign):
    kinds = (tarfile.BLKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CONTTYPE)
    for kind in kinds:
        answer = upload(api, tar_with([entry("odd", kind, linkname="main.py", devmajor=8, mode=0o6777)]), "application/gzip")
        assert answer.status == 400 or kind == tarfile.CONTTYPE, (kind, answer.value)
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO(zip_with([]))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    refused_link = upload(api, out.getvalue())
    assert refused_link.status == 400, refused_link.value
    # Odd modes are no reason to refuse: they are not taken.
    assert upload(api, tar_with([entry("tool", tarfile.REGTYPE, size=3, mode=0o6777)]), "application/gzip").status == 201
    assert api.run(skill="attack")["stdout"] == "hi\n"
    modes = [os.lstat(os.path.join(top, name)).st_mode for top, _, names in os.walk(campaign.server.data / "skills") for name in names]
    assert modes and all(mode & 0o170000 == 0o100000 and mode & 0o7000 == 0 for mode in modes)


def test_s19_header_disagreement(api):
    content = zip_with(["good.py"])
    at = content.index(b"good.py")
    refused(api, content[:at] + b"evil.py" + content[at + 7 :])
    at = content.rindex(b"good.py")
    refused(api, content[:at] + b"evil.py" + content[at + 7 :])
    refused(api, content + zip_with(["evil.py"]))    # two archives in one file
    at = content.index(b"good.py") - 16
    refused(api, content[:at] + b"\xff\xff\xff\xff" + content[at + 4 :])    # another checksum in the local header


def test_s21_decoder_memory_bombs(api):
    plain = gzip.decompress(tar_with([]))
    window = b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"    # zstd: 2 GiB, one empty last block
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 64 * MIB}]
    xz = bytearray(lzma.compress(plain, filters=filters))
    brotli = b"\x11" + b"\x3f" * 64
    for content in (window, bytes(xz), bz2.compress(plain), brotli, plain, lzma.compress(plain, format=lzma.FORMAT_ALONE)):
        refused(api, content)
    half = len(plain) // 2
    refused(api, gzip.compress(plain[:half]) + gzip.compress(plain[half:]))
    refused(api, gzip.compress(plain) + b"behind the end")


def test_s23_install_hooks(api, campaign):
    hooks = {
        "setup.py": "import os\nopen(os.environ.get('CANARY', '/tmp/x') + '.pwn', 'w').write('x')\n",
        "package.json": '{"scripts": {"postinstall": "touch $CANARY.pwn", "install": "touch /tmp/x.pwn"}, "dependencies": {"left-pad": "*"}}',
        "requirements.txt": "no-such-package-of-anyone==9.9.9\n",
    }
    answer = upload(api, package("attack", "import os\nprint(sorted(os.listdir('/sandbox/scripts')))\n", files=hooks))
    assert answer.status == 201
    record = api.run(skill="attack", env={"MARK": str(campaign.canary)})
    assert record["status"] == "success" and "node_modules" not in record["stdout"], record
    assert not list(campaign.canary.parent.glob("*.pwn")) and not os.path.exists("/tmp/x.pwn")


def test_s25_publish_over_a_foreign_skill(api, campaign):
    victim = campaign.neighbour
    mine, theirs, older = (package("shared", f"print('{text}')\n", version=version) for text, version in (("b", "1.0.0"), ("a", "1.0.0"), ("c", "0.9.0")))
    assert upload(victim, theirs).status == 201
    digest = hashlib.sha256(theirs).hexdigest()
    try:
        assert upload(api, mine).status == 201, "names of another tenant are free"
        assert victim.get("/v1/skills/shared/1.0.0")["digest"] == digest and victim.run(skill="shared")["stdout"] == "a\n"
        for path in (f"/v1/skills/shared/sha256:{digest}", f"/v1/skills/shared/sha256:{digest}/package"):
            assert api.get(path).status == 404
        assert api.post("/v1/executions", {"skill": "shared", "version": f"sha256:{digest}"}).status == 404
        for method, path in (("DELETE", "/2.0.0"), ("POST", "/2.0.0/disable"), ("GET", "/2.0.0")):
            upload(victim, package("shared", "print('d')\n", version="2.0.0"))
            assert api.call(method, "/v1/skills/shared" + path).status == 404
        # Other bytes of a version do not hide what it was; an older version is not the latest.
        first = api.get("/v1/skills/shared/1.0.0")["digest"]
        other = upload(api, package("shared", "print('e')\n"))["digest"]
        assert other != first and api.run(skill="shared", version=f"sha256:{first}")["stdout"] == "b\n"
        assert upload(api, older).status == 201 and api.get("/v1/skills/shared/latest")["version"] == "1.0.0"
        reader = api.with_key(campaign.server.new_key("mallory", "--scope", "read"))
        assert reader.call("POST", "/v1/skills", raw=mine, headers=ZIP).status == 403, "going back needs the right to upload"
        assert api.get("/v1/skills/shared/1.0.0")["digest"] == other
    finally:
        assert victim.delete("/v1/skills/shared").status == 204

"""A Docker engine as a peer: its HTTP API, spoken as plainly as can be, over one kept connection."""

import http.client
import io
import json
import os
import socket
import tarfile
from pathlib import Path
from urllib.parse import quote, urlencode

from processes import Failed, run

API = "/v1.40"
# What the server asks of each of its containers; the peer's get the same, so that both pay for it.
HARDENING = {"CapDrop": ["ALL"], "SecurityOpt": ["no-new-privileges"], "ReadonlyRootfs": True, "NetworkMode": "none", "IpcMode": "private",
             "LogConfig": {"Type": "none"}, "RestartPolicy": {"Name": "no"}}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=120):
        super().__init__("engine", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Engine:
    """The private engine of tools/engine, started on entry if it does not run, and then stopped on exit."""

    def __init__(self, root):
        self.tool = root / "tools/engine"
        self.started = False

    def __enter__(self):
        try:
            self.address = run([self.tool, "address"])[0].strip()
        except Failed:
            run([self.tool, "start"])
            self.started = True
            self.address = run([self.tool, "address"])[0].strip()
        self.kept = UnixConnection(self.address.removeprefix("unix://"))
        return self

    def __exit__(self, *_):
        self.kept.close()
        if self.started:
            run([self.tool, "stop"])

    def call(self, method, target, body=None, content_type="application/json"):
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body)
        self.kept.request(method, API + target, sent, {"Content-Type": content_type} if sent is not None else {})
        answer = self.kept.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Failed(f"the engine answered {method} {target} with {answer.status}: {text.decode(errors='replace')[:500]}")
        return text

    def ask(self, method, target, body=None):
        return json.loads(self.call(method, target, body) or b"null")

    def has_runtime(self, name):
        return name in self.ask("GET", "/info")["Runtimes"]

    def import_image(self, name, files):
        """An image of `files`: paths in it to paths here."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for directory in sorted({str(parent) for path in files for parent in Path(path).parents} | {"tmp", "workspace"}):
                if directory != ".":
                    entry = tarfile.TarInfo(directory)
                    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(entry)
            for path, source in files.items():
                entry = tarfile.TarInfo(path)
                content = Path(source).read_bytes()
                entry.size, entry.mode = len(content), 0o755
                archive.addfile(entry, io.BytesIO(content))
        repository, tag = name.rsplit(":", 1)
        query = urlencode({"fromSrc": "-", "repo": repository, "tag": tag})
        self.call("POST", f"/images/create?{query}", out.getvalue(), "application/x-tar")

    def remove_image(self, name):
        self.call("DELETE", f"/images/{quote(name, safe='')}?force=1")

    def spec(self, image, argv, limits, **more):
        host = {**HARDENING, "Memory": limits["memory"], "MemorySwap": limits["memory"], "NanoCpus": limits["cpus"] * 10**9, "PidsLimit": 128,
                "Tmpfs": {"/workspace": "rw,exec,nosuid,nodev,size=64m", "/tmp": "rw,exec,nosuid,nodev,size=64m"}, **more.pop("HostConfig", {})}
        return {"Image": image, "Entrypoint": argv, "User": "1000:1000", "AttachStdout": True, "AttachStderr": True, "HostConfig": host, **more}

    def run_container(self, spec):
        """From nothing to the exit status and all of its output; what remains to be done is remove()."""
        made = self.ask("POST", "/containers/create", spec)["Id"]
        output = self.attach(f"/containers/{made}/attach?stream=1&stdout=1&stderr=1")
        self.call("POST", f"/containers/{made}/start")
        printed = read_all(output)
        status = self.ask("POST", f"/containers/{made}/wait")["StatusCode"]
        return made, status, printed

    def remove(self, container):
        self.call("DELETE", f"/containers/{container}?force=1&v=1")

    def exec_in(self, container, argv):
        """One command by the engine's own means, until its output and its exit status are there."""
        made = self.ask("POST", f"/containers/{container}/exec", {"Cmd": argv, "AttachStdout": True, "AttachStderr": True})["Id"]
        read_all(self.attach(f"/exec/{made}/start", {"Detach": False, "Tty": False}))
        return self.ask("GET", f"/exec/{made}/json")["ExitCode"]

    def attach(self, target, body=None):
        """A connection that the engine hands over, behind its head."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(120)
        connection.connect(self.address.removeprefix("unix://"))
        content = json.dumps(body or {}).encode()
        connection.sendall((f"POST {API}{target} HTTP/1.1\r\nHost: engine\r\nUpgrade: tcp\r\nConnection: Upgrade\r\n"
                            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n").encode() + content)
        stream = connection.makefile("rb")
        status = stream.readline()
        if b" 101 " not in status and b" 200 " not in status:
            raise Failed(f"the engine answered {target} with {status.decode(errors='replace').strip()}")
        while stream.readline() not in (b"\r\n", b""):
            pass
        connection.close()    # the stream keeps it open
        return stream


def read_all(stream):
    """What came over a handed-over connection, without the headers of its pieces."""
    out = b""
    with stream:
        while header := stream.read(8):
            out += stream.read(int.from_bytes(header[4:], "big"))
    return out


def is_possible():
    return os.geteuid() == 0

"""What a Docker engine says of its images, by a script: no containers, no registry, no network. Tests turn its knobs."""

import hashlib
import json
import re
import socketserver
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler
from pathlib import Path


def digest_of(name):
    return "sha256:" + hashlib.sha256(name.encode()).hexdigest()


def told(name):
    return {"Id": digest_of(name), "RepoTags": [name], "RepoDigests": [], "Size": 1_234_567, "Created": "2026-01-02T03:04:05Z",
            "Architecture": "amd64", "Os": "linux", "Config": {}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "test"

    def answer(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def lines(self, lines):
        """A stream of JSON as it is made."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            data = json.dumps(line).encode() + b"\r\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def handle_any(self):
        engine = self.server.engine
        path, _, query = self.path.partition("?")
        path = re.sub(r"^/v1\.[0-9]+", "", path)
        given = dict(urllib.parse.parse_qsl(query))
        engine.asked.append(f"{self.command} {path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if engine.is_broken:
            return self.answer(500, {"message": "the disk is gone"})
        if path == "/version":
            return self.answer(200, {"Version": "20.10.24", "ApiVersion": "1.41", "MinAPIVersion": "1.12", "Arch": "amd64"})
        if path == "/info":
            return self.answer(200, {"Runtimes": {"runc": {}, "runsc": {}}, "CgroupVersion": "1", "ServerVersion": "20.10.24", "MemTotal": 1 << 30})
        if path == "/containers/json":
            return self.answer(200, [])
        if path == "/images/json":
            return self.answer(200, [{**told(name), "Created": 1_767_323_045} for name in sorted(engine.images)])
        if path == "/images/create":
            return self.create(engine, given, body)
        if path == "/images/load":
            engine.received = body
            engine.images.add("loaded:1")
            return self.lines([{"stream": "Loaded image: loaded:1\n"}])
        if found := re.fullmatch(r"/images/(.+?)(/json)?", path):
            return self.one_image(engine, urllib.parse.unquote(found[1]), self.command)
        return self.answer(404, {"message": f"page not found: {path}"})

    do_GET = do_POST = do_DELETE = do_HEAD = handle_any

    def create(self, engine, given, body):
        if "fromSrc" in given:
            engine.received = body
            engine.images.add(f"{given['repo']}:{given['tag']}")
            return self.answer(200, {"status": digest_of(given["repo"])})
        name = f"{given['fromImage']}:{given['tag']}".removeprefix("docker.io/").removeprefix("library/")
        engine.pulled.append(name)
        engine.logins.append(self.headers.get("X-Registry-Auth"))
        if name not in engine.registry:
            return self.answer(404, {"message": f"manifest for {name} not found: manifest unknown: manifest unknown"})
        return self.lines(engine.pull(name))

    def one_image(self, engine, name, method):
        known = next((each for each in engine.images if name in (each, digest_of(each))), None)
        if known is None:
            return self.answer(404, {"message": f"No such image: {name}"})
        if method == "DELETE" and known in engine.in_use:
            return self.answer(409, {"message": f"conflict: unable to remove repository reference \"{name}\" (must force)"})
        if method == "DELETE":
            engine.images.discard(known)
            return self.answer(200, [{"Untagged": known}])
        return self.answer(200, told(known))


class Listener(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a server that ends hangs up


class EngineImposter:
    """Listens at `address` until close()."""

    def __init__(self):
        self.images, self.registry, self.in_use = set(), set(), set()
        self.asked, self.pulled, self.logins, self.received = [], [], [], b""
        self.is_broken = False
        self.go_on = threading.Event()
        self.go_on.set()
        self.folder = tempfile.TemporaryDirectory(prefix="caisson-imposter-", dir="/tmp")
        path = Path(self.folder.name, "s")
        self.address = f"unix://{path}"
        self.listener = Listener(str(path), Handler)
        self.listener.engine = self
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def pull(self, name):
        """The lines of a pull, which waits in the middle while go_on is not set."""
        yield {"status": f"Pulling from {name}", "id": "latest"}
        yield {"status": "Pulling fs layer", "progressDetail": {}, "id": "a"}
        yield {"status": "Downloading", "progressDetail": {"current": 430, "total": 1000}, "id": "a"}
        until = time.monotonic() + 60
        while not self.go_on.is_set() and time.monotonic() < until:
            self.go_on.wait(0.05)
        yield {"status": "Pull complete", "progressDetail": {}, "id": "a"}
        self.images.add(name)
        yield {"status": f"Status: Downloaded newer image for {name}"}

    def close(self):
        self.go_on.set()
        self.listener.shutdown()
        self.listener.server_close()
        self.folder.cleanup()

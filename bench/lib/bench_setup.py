"""The server under measurement, its peers, and the directory that all of them work in."""

import contextlib
import http.client
import json
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from machine import memory_of
from processes import Background, Failed, run_json


class Bench:
    """Starts the server on entry; ends everything that was started and removes the directory on exit."""

    def __init__(self, root, quick, built=None):
        self.root = root
        self.quick = quick
        self.built = built or root / "build/bench"
        self.dir = None
        self.started = []

    def __enter__(self):
        self.dir = Path(tempfile.mkdtemp(prefix="work-", dir=self.built))
        self.dir.chmod(0o711)
        try:
            self.start_server()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in reversed(self.started):
            each.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def many(self, full, quick):
        return quick if self.quick else full

    def program(self, name):
        return self.built / f"bench-{name}"

    def path(self, name):
        return self.dir / name

    def fresh_dir(self, name):
        path = self.path(name)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(mode=0o700)
        return path

    def remove(self, name):
        shutil.rmtree(self.path(name))

    def write(self, name, content):
        path = self.path(name)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def background(self, argv, name, env=None, reads_line=False):
        each = Background(argv, self.path(f"{name}.log"), env, reads_line)
        self.started.append(each)
        return each

    def start_server(self):
        self.open_server("server", *self.server_options())
        self.idle_memory = memory_of(self.server.pid)
        self.example = self.wait_for_runtime()

    def server_options(self):
        """Of the one that runs all the time."""
        return []

    def open_server(self, name, *options, patience=30):
        """A server on the data of this name, that is measured from now on; its start's time until /ready says so is `ready_ms`."""
        self.ready = self.path(f"{name}-ready.json")
        self.ready.unlink(missing_ok=True)
        begin = time.monotonic()
        self.server = self.server_process(self.ready, name, f"{name}-data", *options)
        self.server.wait_until(self.ready.exists, patience, pause=0.002)
        found = json.loads(self.ready.read_text())
        self.key, self.address = found["api_key"], urlsplit(found["url"]).netloc
        self.server.wait_until(lambda: self.call("GET", "/ready")[0] == 200, patience, pause=0.005)
        self.ready_ms = (time.monotonic() - begin) * 1000

    def server_process(self, ready, name, data, *options):
        argv = [self.built / "caisson", "serve", "--config", self.write("caisson.toml", ""), "--data", self.path(data),
                "--listen", "127.0.0.1:0", "--ready-file", ready, "--on-shutdown", "end", "--log-level", "warning", *options]
        env = {name: value for name, value in os.environ.items() if not name.startswith("CAISSON_")}
        return self.background(argv, name, env)

    @contextlib.contextmanager
    def other_server(self, name, *options):
        """Stands in for the server as long as it is open."""
        kept = self.ready, self.server, self.key, self.address, self.ready_ms
        try:
            self.open_server(name, *options)
            self.wait_for_runtime()
            yield
        finally:
            if self.server is not kept[1]:
                self.server.stop()
            self.ready, self.server, self.key, self.address, self.ready_ms = kept

    def wait_for_runtime(self):
        """One run that must succeed, whose id is returned: what was not probed yet is probed now."""
        status, body = self.call("POST", "/v1/executions", {"command": ["/usr/bin/true"]})
        answer = json.loads(body)
        if status != 200 or answer.get("status") != "success":
            raise Failed(f"the server cannot run /usr/bin/true: {body.decode()}")
        return answer["execution_id"]

    def call(self, method, target, body=None, content_type="application/json"):
        """`body` is sent as JSON unless it is bytes."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.key}", "Content-Type": content_type}
            sent = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, target, sent, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, method, target, body=None, content_type="application/json"):
        """The JSON of an answer that must be a success."""
        status, answer = self.call(method, target, body, content_type)
        if status >= 300:
            raise Failed(f"{method} {target} answered {status}: {answer.decode(errors='replace')[:1000]}")
        return json.loads(answer)

    def kept(self):
        """A client over one connection that is kept."""
        return KeptClient(self.address, self.key)

    def rest_load(self, body, count, clients=1, pause_ms=0):
        """Runs over REST; the program checks that each succeeded. Each client waits for `pause_ms` after each."""
        argv = [self.program("rest-load"), "--ready", self.ready, "--body", self.write("request.json", body), "--count", count, "--clients", clients]
        return run_json([*argv, "--pause-ms", pause_ms] if pause_ms else argv)

    def go_judge_load(self, port, body, count, clients=1):
        """The same of a go-judge."""
        argv = [self.program("rest-load"), "--go-judge", port, "--body", self.write("go-judge.json", body), "--count", count, "--clients", clients]
        return run_json(argv)

    def spawn_floor(self, argv, count, workers=1, groups=False):
        """`groups`: each run has a control group with limits of its own."""
        own = ["--groups", 1] if groups else []
        return run_json([self.program("spawn-floor"), "--workers", workers, "--count", count, *own, "--", *argv])

    def sandbox_floor(self, count, workers=1):
        """Sandboxes as the server makes them, without the server: run directories are in memory, as root's are."""
        with tempfile.TemporaryDirectory(prefix="caisson-bench-", dir="/dev/shm") as run_dir:
            os.chmod(run_dir, 0o711)
            return run_json([self.program("sandbox-floor"), "--launch", self.built / "caisson-launch", "--agent", self.built / "caisson-agent",
                             "--run", run_dir, "--workers", workers, "--count", count])

    def view(self, body, measure):
        """One viewer of one run on the server."""
        return run_json([self.program("ws-viewer"), "--ready", self.ready, "--body", self.write("view.json", body), "--measure", measure])

    def view_relay(self, relay, measure):
        return run_json([self.program("ws-viewer"), "--relay", relay.line["port"], "--measure", measure])

    def relay(self, argv, name):
        return self.background([self.program("ws-relay"), "--", *argv], name, reads_line=True)


class KeptClient:
    def __init__(self, address, key):
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}"}

    def get(self, target):
        """The bytes of an answer that must be a success."""
        return self.call("GET", target)

    def ask(self, method, target, body=None):
        """The JSON of such an answer."""
        return json.loads(self.call(method, target, body))

    def call(self, method, target, body=None):
        sent = {} if body is None else {"Content-Type": "application/json"}
        self.connection.request(method, target, None if body is None else json.dumps(body), self.headers | sent)
        answer = self.connection.getresponse()
        got = answer.read()
        if answer.status >= 300:
            raise Failed(f"{method} {target} answered {answer.status}: {got.decode(errors='replace')[:1000]}")
        return got

    def close(self):
        self.connection.close()


def free_port():
    """A port that was free a moment ago, for servers that cannot pick one themselves."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""docker/proxy: what of the engine's API comes through the proxy, and what containers it lets be made."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import threading

import pytest

from harness.server import ROOT
from harness.waiting import until

PROXY = ROOT / "docker" / "proxy"
HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin")
pytestmark = pytest.mark.skipif(
    not HAPROXY, reason="no haproxy: tools/setup --engine installs it" if os.getuid() == 0 else "no haproxy: tools/setup --engine, as root, installs it")
ID = "c0ffee" * 10


class FakeEngine:
    """Answers every call, and keeps what it was asked. A call to attach becomes an echo."""

    def __init__(self, path):
        self.calls = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection, connection.makefile("rb") as lines:
            first = lines.readline().decode().split()
            if not first:
                return
            fields = dict(line.decode().lower().strip().split(": ", 1) for line in iter(lines.readline, b"\r\n"))
            self.calls.append((first[0], first[1], lines.read(int(fields.get("content-length", 0)))))
            if fields.get("upgrade") == "tcp":
                connection.sendall(b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
                while data := lines.read1(65536):
                    connection.sendall(data)
            elif "/events" in first[1]:
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
                lines.read(1)    # the stream stays open until the client has gone
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")


class UnixHttp(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("engine", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Proxy:
    def __init__(self, folder):
        self.engine = FakeEngine(folder / "engine")
        self.address = str(folder / "proxy")
        text = (PROXY / "haproxy.cfg").read_text()
        for place, here in (("/run/engine/s", self.address), ("/var/run/docker.sock", folder / "engine"), ("/etc/caisson-proxy", PROXY)):
            assert place in text
            text = text.replace(place, str(here))
        (folder / "haproxy.cfg").write_text(text)
        self.process = subprocess.Popen([HAPROXY, "-db", "-f", folder / "haproxy.cfg"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: os.path.exists(self.address) and self.call("GET", "/_ping")[0] == 200, what="the proxy")

    def call(self, method, path, body=None, headers=None):
        """(status, answer, whether the engine was asked)."""
        before = len(self.engine.calls)
        connection = UnixHttp(self.address)
        try:
            connection.request(method, path, body=body, headers={"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), len(self.engine.calls) > before
        except OSError:
            return 0, "", len(self.engine.calls) > before
        finally:
            connection.close()

    def create(self, body):
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return self.call("POST", "/v1.41/containers/create?name=caisson-sbx_1", text)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    made = Proxy(tmp_path_factory.mktemp("p"))
    yield made
    made.process.terminate()
    made.process.wait()
    made.engine.socket.close()


NEEDED = [
    ("GET", "/_ping"), ("GET", "/version"), ("GET", "/v1.41/info"), ("HEAD", "/_ping"),
    ("GET", "/v1.41/containers/json?all=true"), ("GET", "/v1.41/images/json"), ("GET", f"/v1.41/containers/{ID}/json"),
    ("GET", "/v1.41/containers/caisson-sbx_1/json"), ("GET", f"/v1.41/containers/{ID}/stats?stream=false"),
    ("POST", f"/v1.41/containers/{ID}/start"), ("POST", f"/v1.41/containers/{ID}/kill?signal=SIGKILL"), ("POST", f"/v1.41/containers/{ID}/pause"),
    ("POST", f"/v1.41/containers/{ID}/unpause"), ("POST", f"/v1.41/containers/{ID}/wait?condition=removed"),
    ("DELETE", f"/v1.41/containers/{ID}?force=1&v=1"), ("PUT", f"/v1.41/containers/{ID}/archive?path=%2Fx"),
    ("GET", f"/v1.41/containers/{ID}/archive?path=%2Fx"), ("GET", "/v1.41/images/caisson-python%3Abookworm/json"),
    ("GET", "/v1.41/images/registry%2Fa%2Fb%3A1/json"), ("POST", "/v1.41/images/create?fromImage=registry%2Fa&tag=1"),
    ("GET", "/v1.41/images/json?filters=%7B%22label%22%3A%5B%22a%3Db%22%5D%7D"),
    ("GET", "/v1.41/volumes?filters=%7B%22name%22%3A%5B%22caisson-package-0123456789ab-%22%5D%7D"),
    ("DELETE", "/v1.41/volumes/caisson-package-0123456789ab-ten_1.00ff.tree"),
    ("DELETE", "/v1.41/volumes/caisson-package-0123456789ab-ten_1.00ff.tree.whole-2048"),
]
REFUSED = [
    ("POST", "/v1.41/volumes/create"), ("POST", f"/v1.41/containers/{ID}/exec"), ("POST", "/v1.41/exec/1/start"), ("POST", "/v1.41/build"),
    ("POST", "/v1.41/networks/create"), ("POST", "/v1.41/swarm/init"), ("POST", f"/v1.41/containers/{ID}/update"), ("GET", "/v1.41/secrets"),
    ("POST", "/v1.41/commit?container=x"), ("POST", "/v1.41/plugins/pull"), ("POST", "/v1.41/images/load"), ("DELETE", "/v1.41/images/x"),
    ("POST", "/v1.41/images/create?fromSrc=-&repo=x"), ("POST", "/v1.41/images/create?%66romSrc=-&fromImage=x&tag=1"), ("POST", "/v1.41/auth"),
    ("POST", "/v1.41/containers/prune"), ("GET", f"/v1.41/containers/{ID}/export"), ("GET", f"/v1.41/containers/{ID}/logs?stdout=1"),
    ("POST", "/v1.41/containers/creat%65"), ("POST", "/v1.41/containers/x/../create"), ("POST", "/v1.41/containers//create"),
    ("POST", "/v1.41/containers/x%2f..%2fcreate"), ("POST", "/v1.41/images/x/../../containers/create"), ("PUT", "/v1.41/containers/create"),
    ("DELETE", "/v1.41/volumes/data"), ("GET", "/v1.41/volumes/data"), ("POST", "/v1.41/volumes/prune"), ("POST", "/v1.41/volumes"),
    ("DELETE", "/v1.41/volumes/caisson-package-x/../data"), ("DELETE", "/v1.41/volumes"),
    ("GET", "/v1.41/images/x%2f%2e%2e%2fcontainers/json"), ("POST", "/containers/create/"), ("POST", "/v1.41/session"), ("POST", "/grpc"),
]


@pytest.mark.parametrize("method, path", NEEDED)
def test_what_caisson_needs_comes_through(proxy, method, path):
    status, _, asked = proxy.call(method, path)
    assert status == 200 and asked


@pytest.mark.parametrize("method, path", REFUSED)
def test_nothing_else_comes_through(proxy, method, path):
    status, _, asked = proxy.call(method, path)
    assert status == 403 and not asked


def test_events_come_as_they_happen(proxy):
    connection = UnixHttp(proxy.address)
    connection.request("GET", "/v1.41/events")
    assert connection.getresponse().read(5) == b"first"
    connection.close()


def test_an_attached_stream_goes_both_ways(proxy):
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(20)
        stream.connect(proxy.address)
        head = f"POST /v1.41/containers/{ID}/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
        stream.sendall(head.encode())
        got = b""
        while b"\r\n\r\n" not in got:
            got += stream.recv(4096)
        assert got.startswith(b"HTTP/1.1 101 ")
        got = got.partition(b"\r\n\r\n")[2]
        sent = bytes(range(256)) * 100
        stream.sendall(sent)
        while len(got) < len(sent):
            got += stream.recv(65536)
        assert got == sent


MASKED = [f"/proc/{name}" for name in (
    "acpi", "asound", "cmdline", "interrupts", "kallsyms", "kcore", "key-users", "keys", "latency_stats", "locks", "pressure", "sched_debug", "scsi",
    "sysrq-trigger", "timer_list", "timer_stats")] + ["/sys"]


def asked_for():
    """What Caisson asks for."""
    return {
        "Image": "python:3.12-slim", "Entrypoint": ["/.caisson/bin/agent", "--work", "/workspace", "--stdio"], "Cmd": [], "Env": ["A=b"],
        "User": "1000:1000", "WorkingDir": "/", "Labels": {"caisson.instance": "x"}, "Tty": False, "AttachStdin": False, "AttachStdout": False,
        "AttachStderr": False, "OpenStdin": True, "StdinOnce": False, "StopSignal": "SIGKILL", "Hostname": "sandbox",
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": {
            "MaskedPaths": MASKED,
            "Privileged": False, "CapAdd": [], "CapDrop": ["ALL"], "SecurityOpt": ["no-new-privileges"], "ReadonlyRootfs": True,
            "NetworkMode": "none", "IpcMode": "private", "CgroupnsMode": "private", "PidMode": "", "UTSMode": "", "PublishAllPorts": False,
            "LogConfig": {"Type": "none", "Config": {}}, "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0}, "AutoRemove": False, "Init": False,
            "OomKillDisable": False, "OomScoreAdj": 900, "ShmSize": 1 << 20, "Memory": 1 << 28, "MemorySwap": 1 << 28, "NanoCpus": 10**9,
            "BlkioDeviceReadBps": [{"Path": "/dev/vda", "Rate": 1 << 28}], "BlkioDeviceReadIOps": [{"Path": "/dev/cciss/c0d0", "Rate": 4_000}],
            "PidsLimit": 66, "Runtime": "runsc", "Tmpfs": {"/workspace": "rw,nosuid,nodev,exec,mode=0700,size=1048576"},
            "Mounts": [{"Type": "volume", "Source": "caisson-agent-0123456789abcdef", "Target": "/.caisson/bin", "ReadOnly": True,
                        "VolumeOptions": {"NoCopy": True}},
                       {"Type": "volume", "Source": "caisson-package-0123456789ab-ten_1.00ff.tree", "Target": "/sandbox/scripts", "ReadOnly": True,
                        "VolumeOptions": {"NoCopy": True}}],
        },
    }


def changed(path, value):
    """asked_for() with one member changed, added or (value is KeyError) left out."""
    body = asked_for()
    *inner, last = path.split(".")
    place = body
    for name in inner:
        place = place[int(name)] if isinstance(place, list) else place[name]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return body


def test_the_container_that_caisson_asks_for_is_made(proxy):
    body = json.dumps(asked_for())
    assert proxy.create(body) == (200, "{}", True)
    assert proxy.engine.calls[-1][2] == body.encode(), "as it was sent"


H = "HostConfig."
BREAKS_OUT = [
    ("User", "0:0"), ("User", "root"), ("User", "1000"), ("User", ""), ("User", KeyError), ("User", "01:0"), ("User", "1000:0"), (H + "Privileged", True),
    (H + "Privileged", "false"), (H + "privileged", True), (H + "CapAdd", ["SYS_ADMIN"]), (H + "CapDrop", []), (H + "CapDrop", KeyError),
    (H + "CapDrop", ["NET_RAW"]), (H + "SecurityOpt", []), (H + "SecurityOpt", KeyError), (H + "SecurityOpt", ["no-new-privileges", "seccomp=unconfined"]),
    (H + "NetworkMode", "host"), (H + "NetworkMode", "container:x"), (H + "NetworkMode", "bridge"), (H + "NetworkMode", KeyError), (H + "PidMode", "host"),
    (H + "IpcMode", "host"), (H + "UTSMode", "host"), (H + "UsernsMode", "host"), (H + "CgroupnsMode", "host"), (H + "Binds", ["/:/host"]),
    (H + "BlkioDeviceReadBps", [{"Path": "/etc/passwd", "Rate": 1}]), (H + "BlkioDeviceReadBps", [{"Path": "/dev/../etc", "Rate": 1}]),
    (H + "BlkioDeviceReadIOps", [{"Path": "/dev/vda", "Rate": -1}]), (H + "BlkioWeight", 1_000),
    (H + "Devices", [{"PathOnHost": "/dev/sda"}]), (H + "DeviceRequests", []), (H + "DeviceCgroupRules", ["a *:* rwm"]), (H + "CgroupParent", "/"),
    (H + "VolumesFrom", ["x"]), (H + "VolumeDriver", "x"), (H + "MaskedPaths", []), (H + "MaskedPaths", MASKED[:-1]),
    (H + "MaskedPaths", None), (H + "ReadonlyPaths", []), (H + "Sysctls", {}), (H + "Runtime", "other"),
    (H + "GroupAdd", ["0"]), (H + "LogConfig", {"Type": "syslog", "Config": {}}), (H + "RestartPolicy", {"Name": "always", "MaximumRetryCount": 0}),
    (H + "OomKillDisable", True), (H + "OomScoreAdj", -1000), (H + "Links", ["x"]), (H + "ContainerIDFile", "/x"), (H + "Ulimits", []), ("Volumes", {"/x": {}}),
    ("NetworkingConfig", {}), ("HostConfig", KeyError), ("HostConfig", None), ("hostconfig", {"Privileged": True}), ("HoſtConfig", {"Privileged": True}),
    ("Healthcheck", {"Test": ["CMD", "x"]}), ("MacAddress", "x"), (H + "Mounts", [{"Type": "bind", "Source": "/", "Target": "/.caisson/x"}]),
    (H + "Mounts.0.Source", "data"), (H + "Mounts.0.Source", "/"), (H + "Mounts.0.Source", "caisson-agent-0123456789abcdef/../x"),
    (H + "Mounts.1.Source", "caisson-package"), (H + "Mounts.1.Source", "caisson-package-/x"), (H + "Mounts.1.Source", "x-caisson-package-y"),
    (H + "Mounts.1.Target", "/etc"), (H + "Mounts.1.Type", "bind"), (H + "Mounts.1.VolumeOptions", {"DriverConfig": {"Name": "local"}}),
    ("StopSignal", "SIGTERM"), (H + "Mounts.0.Target", "/etc"), (H + "Mounts.0.VolumeOptions", {"DriverConfig": {"Name": "local", "Options": {"type": "none", "device": "/", "o": "bind"}}}),
    (H + "Mounts.0.BindOptions", {"Propagation": "shared"}), (H + "Mounts", {"0": {}}),
]


@pytest.mark.parametrize("path, value", BREAKS_OUT, ids=[f"{path} {'left out' if value is KeyError else json.dumps(value)}"[:60] for path, value in BREAKS_OUT])
def test_a_container_that_reaches_further_is_refused(proxy, path, value):
    status, said, asked = proxy.create(changed(path, value))
    assert status == 403 and not asked and "the proxy refuses this container" in json.loads(said)["message"]


WHOLE = json.dumps(asked_for())
AMBIGUOUS = {
    "nothing": "", "no_object": "[]", "half": WHOLE[:-1], "two_values": WHOLE + WHOLE, "a_second_host_config": WHOLE[:-1] + ', "HostConfig": {"Privileged": true}}',
    "another_case": WHOLE[:-1] + ', "hostConfig": {"Privileged": true}}', "escaped_name": WHOLE[:-1] + ', "HostConfi\\u0067": {"Privileged": true}}',
    "escaped_member": WHOLE.replace('"Init": false', '"\\u0050rivileged": true'), "a_comment": "/**/" + WHOLE, "a_nul": WHOLE[:-1] + "\0}",
    "single_quotes": WHOLE.replace('"', "'"), "too_deep": "[" * 100 + "]" * 100, "too_large": json.dumps(changed("Env", ["x" * 100_000])),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_body_that_could_be_read_in_two_ways_is_refused(proxy, name):
    status, _, asked = proxy.create(AMBIGUOUS[name])
    assert status == 403 and not asked


def test_a_body_without_a_length_is_refused(proxy):
    connection = UnixHttp(proxy.address)
    before = len(proxy.engine.calls)
    connection.request("POST", "/v1.41/containers/create", body=iter([WHOLE.encode()]), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 403 and len(proxy.engine.calls) == before
    connection.close()

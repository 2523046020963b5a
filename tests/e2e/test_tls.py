"""TLS: everything over it, what is refused, new certificates without a restart, and the command line's trust."""

import json
import signal
import socket
import ssl
import subprocess

import pytest

from harness import raw
from harness.leaks import Baseline
from harness.waiting import until

HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
GET = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


class Certificates:
    def __init__(self, folder):
        self.folder = folder

    def make(self, name, names="DNS:localhost,IP:127.0.0.1", expired=False):
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}"]
        command += ["-addext", f"subjectAltName={names}", "-days", "90", "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)
        if expired:
            again = ["openssl", "x509", "-in", str(certificate), "-signkey", str(key), "-days", "-1", "-out", str(certificate)]
            subprocess.run(again, check=True, capture_output=True)
        key.chmod(0o600)
        return certificate, key


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def pair(certificates):
    return certificates.make("server")


def trusting(certificate):
    context = ssl.create_default_context(cafile=str(certificate))
    context.set_alpn_protocols(["http/1.1"])
    return context


@pytest.fixture
def secure_server(new_server, pair):
    """Makes servers that speak TLS with `pair`."""

    def make(*options, files=pair, **env):
        server = new_server("--tls-cert", files[0], "--tls-key", files[1], *options, **env)
        server.api.tls = trusting(files[0])
        assert server.api.url.startswith("https://")
        return server

    return make


def shown(server, context=None):
    """The certificate that a new connection gets, and the connection."""
    context = context or ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    wrapped = context.wrap_socket(raw.connect(server.api.address), server_hostname="localhost")
    return wrapped.getpeercert(binary_form=True), wrapped


def der(certificate):
    return ssl.PEM_cert_to_DER_cert(certificate.read_text())


def health(wrapped):
    wrapped.sendall(GET)
    return wrapped.recv(4096).startswith(b"HTTP/1.1 200")


def test_requests_streams_and_sockets_go_over_tls(secure_server, pair):
    server = secure_server()
    api = server.api
    before = Baseline(server)
    text = "x" * 3_000_000
    done = api.run(shell="wc -c; echo done >&2", stdin=text)
    assert done["stdout"] == "3000000\n" and done["stderr"] == "done\n"
    one = api.run(shell="head -c 2000000 /dev/zero | tr '\\0' a; echo")["execution_id"]
    log = api.log(one)
    assert [event for event in api.follow(one, sse=True)] == log
    with api.stream(one) as viewer:
        assert list(api.frames(viewer)) == log
    with api.websocket("/v1/connect") as viewer:
        viewer.send_json({"type": "run", "ref": "a", "shell": "read x; echo got $x", "stdin_open": True})
        viewer.send_json({"type": "stdin", "ref": "a", "data": "it\n", "eof": True})
        seen = []
        while not seen or seen[-1]["kind"] != "exit":
            seen.append(json.loads(viewer.receive()))
        assert "".join(e["data"] for e in seen if e["kind"] == "output") == "got it\n"
    ran = server.cli("run", "-l", "python", "-c", "print(6 * 7)", "--ca", pair[0])
    assert (ran.returncode, ran.stdout) == (0, b"42\n"), ran.stderr
    ready = api.get("/ready")
    assert ready.status == 200 and "expires in 89 days" in ready["dependencies"]["certificate"]["detail"]
    before.compare()


def test_versions_ciphers_and_protocols(secure_server):
    server = secure_server()
    _, newest = shown(server)
    assert newest.version() == "TLSv1.3" and newest.compression() is None
    older = ssl.create_default_context()
    older.maximum_version = ssl.TLSVersion.TLSv1_2
    older.set_alpn_protocols(["h2", "http/1.1"])
    _, wrapped = shown(server, older)
    assert wrapped.version() == "TLSv1.2" and wrapped.cipher()[0].startswith("ECDHE-") and wrapped.selected_alpn_protocol() == "http/1.1"
    assert health(wrapped)
    only_h2 = ssl.create_default_context()
    only_h2.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError):
        shown(server, only_h2)
    too_old = ["openssl", "s_client", "-connect", "%s:%d" % server.api.address, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]
    assert subprocess.run(too_old, input=b"", capture_output=True, timeout=20).returncode != 0
    weak = ["openssl", "s_client", "-connect", "%s:%d" % server.api.address, "-tls1_2", "-cipher", "AES128-SHA:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"]
    assert subprocess.run(weak, input=b"", capture_output=True, timeout=20).returncode != 0
    assert server.api.get("/health").status == 200


def test_a_session_is_resumed(secure_server, pair):
    server = secure_server()
    context = trusting(pair[0])
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    first = context.wrap_socket(raw.connect(server.api.address), server_hostname="localhost")
    assert health(first)
    second = context.wrap_socket(raw.connect(server.api.address), server_hostname="localhost", session=first.session)
    assert second.session_reused and health(second)


def test_plain_http_to_the_tls_port_is_told_so(secure_server):
    server = secure_server()
    plain = raw.connect(server.api.address)
    plain.sendall(GET)
    [(status, _, body)] = raw.answers(plain)
    assert status == 400 and "https://" in json.loads(body)["message"]
    assert server.api.get("/health").status == 200


def test_tls_to_the_plain_port_is_told_so(api):
    sock = raw.connect(api.address)
    sock.sendall(HELLO)
    [(status, _, body)] = raw.answers(sock)
    assert status == 400 and "not HTTP" in json.loads(body)["message"]
    with pytest.raises(ssl.SSLError):
        ssl.create_default_context().wrap_socket(raw.connect(api.address), server_hostname="localhost")


def test_a_new_pair_is_taken_at_sighup_and_a_bad_one_is_not(secure_server, certificates):
    files = certificates.make("live")
    old = der(files[0])
    server = secure_server(files=files)
    certificate, going_on = shown(server)
    assert certificate == old and health(going_on)

    certificates.make("live")
    new = der(files[0])
    server.process.send_signal(signal.SIGHUP)
    until(lambda: shown(server)[0] == new, what="the new certificate")
    assert health(going_on), "a connection outlives its certificate"

    for number, break_it in enumerate((lambda: files[1].write_text("no key"), lambda: certificates.make("other")[1].rename(files[1]), files[1].unlink)):
        break_it()
        server.process.send_signal(signal.SIGHUP)
        until(lambda: server.log_file.read_text().count("stays the old one") > number, what="the error in the log")
        assert shown(server)[0] == new
    assert health(going_on)
    certificates.make("live")
    server.process.send_signal(signal.SIGHUP)
    until(lambda: shown(server)[0] == der(files[0]), what="a good certificate again")


def test_a_hangup_without_tls_ends_nothing(new_server):
    server = new_server()
    server.process.send_signal(signal.SIGHUP)
    until(lambda: "SIGHUP" in server.log_file.read_text(), what="a line in the log")
    assert server.api.get("/health").status == 200


def refused_start(server_folder, contract, *options):
    from harness.server import BINARY, environment

    command = [str(BINARY), "serve", "--data", str(server_folder), "--listen", "127.0.0.1:0", *map(str, options)]
    done = subprocess.run(command, capture_output=True, timeout=60, env=environment(), cwd="/")
    assert done.returncode != 0
    return done.stderr.decode()


def test_a_pair_that_cannot_be_used_ends_the_start(tmp_path, contract, certificates, pair):
    other = certificates.make("another")
    assert "go together" in refused_start(tmp_path, contract, "--tls-cert", pair[0])
    assert "does not belong to the certificate" in refused_start(tmp_path, contract, "--tls-cert", pair[0], "--tls-key", other[1])
    assert "nothing.pem" in refused_start(tmp_path, contract, "--tls-cert", tmp_path / "nothing.pem", "--tls-key", pair[1])


def test_weakness_is_loud(new_server, secure_server, certificates, tmp_path):
    assert "UNENCRYPTED" in new_server("--set", "listen=0.0.0.0:0").log_file.read_text()
    files = certificates.make("old", expired=True)
    files[1].chmod(0o644)
    server = secure_server(files=files)
    log = server.log_file.read_text()
    assert "can be read by every user" in log and "clients refuse it" in log and "UNENCRYPTED" not in log
    server.api.tls = ssl._create_unverified_context()
    ready = server.api.get("/ready")
    assert ready.status == 503 and "expired on" in ready["dependencies"]["certificate"]["detail"]
    found = server.cli("doctor", "--output", "json", "--set", f"http.tls.certificate={files[0]}", "--set", f"http.tls.key={files[1]}")
    told = [each["detail"] for each in json.loads(found.stdout)["findings"] if each["what"] == "TLS certificate"]
    assert found.returncode != 0 and any("expired" in each for each in told) and any("every user" in each for each in told)
    denied = server.cli("ps", CAISSON_CA=files[0])
    assert denied.returncode != 0 and b"expired" in denied.stderr


def test_the_command_line_trusts_nobody_else(secure_server, certificates):
    files = certificates.make("by-address", names="IP:127.0.0.1")
    server = secure_server(files=files)
    assert server.cli("ps", "--ca", files[0]).returncode == 0
    assert server.cli("ps", CAISSON_CA=files[0]).returncode == 0
    unknown = server.cli("ps")
    assert unknown.returncode != 0 and b"no CA that is trusted here" in unknown.stderr and b"CAISSON_CA" in unknown.stderr
    port = server.api.address[1]
    wrong = server.cli("ps", "--ca", files[0], "--url", f"https://localhost:{port}")
    assert wrong.returncode != 0 and b"another host" in wrong.stderr
    plain = server.cli("ps", "--url", f"http://127.0.0.1:{port}")
    assert plain.returncode != 0 and b"https://" in plain.stderr
    assert b"--insecure" not in server.cli("ps", "--help").stdout


def test_slow_handshakes_shut_nobody_out(secure_server):
    server = secure_server("--set", "http.header_timeout_ms=60000")
    before = Baseline(server)
    held = [raw.connect(server.api.address) for _ in range(200)]
    for number, one in enumerate(held):
        if number % 2:
            one.sendall(HELLO)
    assert server.api.get("/health").status == 200
    assert server.api.run(shell="echo served")["stdout"] == "served\n"
    for one in held:
        raw.reset(one)
    before.compare()


def test_a_handshake_has_a_deadline_and_resets_leave_nothing(secure_server, pair):
    server = secure_server("--set", "http.header_timeout_ms=300")
    before = Baseline(server)
    silent, half = raw.connect(server.api.address), raw.connect(server.api.address)
    half.sendall(HELLO)
    assert not raw.rest(silent) and not raw.rest(half)
    for count in (1, 3, len(HELLO)):
        one = raw.connect(server.api.address)
        one.sendall(HELLO[:count])
        raw.reset(one)
    for request in (b"", b"GET /hea", b"POST /v1/tickets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"):
        wrapped = trusting(pair[0]).wrap_socket(raw.connect(server.api.address), server_hostname="localhost")
        wrapped.sendall(request)
        raw.reset(socket.socket(fileno=wrapped.detach()))
    for garbage in (b"\x16\x03\x01\x00\x05hello", b"\x16" * 5000, b"\x80\x2e\x01\x00\x02"):
        one = raw.connect(server.api.address)
        one.sendall(garbage)
        assert b"HTTP/1.1 2" not in raw.rest(one)
    assert server.api.get("/health").status == 200
    before.compare()

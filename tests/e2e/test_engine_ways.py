"""Engines that are set up in other ways: whose containers outlive a restart of theirs, and that are reached by TLS alone."""

import socket
import subprocess

import pytest

from harness.containers import BUSYBOX, PYTHON, RUNTIMES, load_images
from harness.engine import Engine
from harness.packages import answers, push
from harness.relay import TcpRelay
from harness.waiting import pause, until
from test_restart import WRITER, check_writer, first_output

LONG = {"wall_ms": 120_000}
ALONE = ("--set", "pool.enabled=false")    # no sandbox but those of the runs
SOON = (*ALONE, "--set", "executions.sweep_interval_ms=200")
WAITS = "print('on', flush=True)\nopen(0).read()\n"
# The ways in which containers are spoken to: by a socket, and by their stdio.
each_way = pytest.mark.parametrize("runtime, link", [("docker", "socket"), ("docker", "stdio"), ("gvisor", "auto")])


# Containers that outlive a restart of their engine


@pytest.fixture
def lasting_engine(private_engine):
    load_images(private_engine, PYTHON, BUSYBOX)
    private_engine.restart("--live-restore")
    return private_engine


@each_way
def test_a_run_goes_on_over_restarts_of_an_engine_that_keeps_its_containers(new_box, lasting_engine, runtime, link):
    server = new_box(runtime, *SOON, "--set", f"{runtime}.link={link}", on=lasting_engine)
    one = server.api.start(language="python", code=WRITER, args=["7"], stdin_open=True, limits=LONG)
    cursor = first_output(server.api, one)["cursor"]
    for _ in range(2):
        lasting_engine.restart()
        event = next(e for e in server.api.follow(one, after=cursor) if e["kind"] == "output")
        cursor = event["cursor"]
        assert server.api.show(one)["status"] == "running"
    assert server.api.run(command=["echo", "works"], limits=LONG)["stdout"] == "works\n"
    server.api.stdin(one, "", eof=True)
    check_writer(server.api, one, 7)
    server.nothing_left()


@each_way
def test_what_ends_while_neither_engine_nor_server_is_there_has_its_own_verdict(new_box, lasting_engine, runtime, link):
    server = new_box(runtime, *SOON, "--set", f"{runtime}.link={link}", on=lasting_engine)
    one = server.api.start(shell="echo on; sleep 4; echo off; exit 5", limits=LONG)
    first_output(server.api, one)

    def meanwhile():
        server.kill()
        pause(4)
        server.start()

    lasting_engine.restart(meanwhile=meanwhile)
    record = server.api.ended(one)
    assert (record["status"], record["verdict"], record["exit_code"], record["stdout"]) == ("failed", "exited", 5, "on\noff\n"), record
    server.nothing_left()


# An engine that does not see the server's files, whose volumes somebody removes


@pytest.fixture
def far_engine(private_engine):
    """As another host's."""
    load_images(private_engine, PYTHON)
    relay = TcpRelay(private_engine.address)
    yield Engine(relay.address)
    relay.close()


def pruned(engine):
    """Whether all that no container uses was all that there was."""
    for name in engine.volumes():
        engine.docker("volume", "rm", name, check=False)
    return not engine.volumes()


def test_volumes_that_were_pruned_are_filled_anew(new_box, far_engine):
    server = new_box("docker", *ALONE, on=far_engine)
    push(server.api, "kept", answers(1))
    for _ in range(2):
        assert server.api.run(skill="kept", retry={"attempts": 1}, limits=LONG)["output"] == 1
        until(lambda: pruned(far_engine), 60, "all volumes to go")    # a probe may still have one
    record = server.api.run(command=["echo", "on"], retry={"attempts": 1}, limits=LONG)
    assert record["stdout"] == "on\n" and "engine" in record["degraded"], record["error"]


def test_volumes_that_are_pruned_while_a_skill_runs_hold_up_no_other_run_of_it(new_box, far_engine):
    server = new_box("docker", *ALONE, on=far_engine)
    push(server.api, "kept", WAITS)
    first = server.api.start(skill="kept", stdin_open=True, limits=LONG)
    first_output(server.api, first)
    assert not pruned(far_engine), "what it uses stays"
    second = server.api.start(skill="kept", retry={"attempts": 1}, stdin_open=True, limits=LONG)
    first_output(server.api, second)
    for one in (first, second):
        server.api.stdin(one, "", eof=True)
        assert server.api.ended(one)["status"] == "success", server.api.show(one)


# An engine that is reached by TLS alone


class Certificates:
    """Of an authority for one test: ca.pem, and NAME.pem with NAME.key for each that it signed."""

    def __init__(self, folder):
        self.folder = folder
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ca", "-days", "2",
                      "-keyout", "ca.key", "-out", "ca.pem")

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.folder)

    def sign(self, name, extension):
        (self.folder / "extension").write_text(extension + "\n")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                      "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                      "-extfile", "extension", "-out", f"{name}.pem")

    def files(self, name):
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def by_tls(trusted, own):
    """Options of a server that trusts the one's authority and shows the other's certificate."""
    certificate, key = own.files("server")
    given = {"ca_file": trusted.folder / "ca.pem", "certificate_file": certificate, "key_file": key}
    return [word for name, value in given.items() for word in ("--set", f"docker.{name}={value}")]


@pytest.fixture
def certificates(tmp_path):
    made = Certificates(tmp_path)
    made.sign("engine", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth")
    made.sign("server", "extendedKeyUsage=clientAuth")
    return made


@pytest.fixture
def tls_engine(private_engine, certificates):
    """Its address; the tests reach it by its socket."""
    load_images(private_engine, PYTHON, BUSYBOX)
    certificate, key = certificates.files("engine")
    address = f"tcp://127.0.0.1:{free_port()}"
    private_engine.restart("-H", address, "--tlsverify", "--tlscacert", certificates.folder / "ca.pem", "--tlscert", certificate, "--tlskey", key)
    return address


def test_programs_run_on_an_engine_that_is_reached_by_tls_alone(new_box, private_engine, tls_engine, certificates):
    server = new_box("docker", *ALONE, "--set", f"docker.engine={tls_engine}", *by_tls(certificates, certificates), on=private_engine)
    for runtime in RUNTIMES:
        one = server.api.start(language="python", code=WRITER, args=["7"], stdin_open=True, runtime=runtime, limits=LONG)
        first_output(server.api, one)
        server.restart()
        server.api.stdin(one, "", eof=True)
        assert "engine" not in check_writer(server.api, one, 7)["degraded"]
    server.nothing_left()


@pytest.mark.parametrize("stranger", ["engine", "server"])
def test_a_certificate_of_another_authority_is_told(new_box, private_engine, tls_engine, certificates, tmp_path_factory, stranger):
    others = Certificates(tmp_path_factory.mktemp("others"))
    others.sign("server", "extendedKeyUsage=clientAuth")
    trusted, own = (others, certificates) if stranger == "engine" else (certificates, others)
    server = new_box("docker", *ALONE, "--set", f"docker.engine={tls_engine}", *by_tls(trusted, own), on=private_engine)
    record = server.api.run(command=["true"], retry={"attempts": 1}, limits=LONG)
    assert record["status"] == "failed" and "certificate" in record["error"], record

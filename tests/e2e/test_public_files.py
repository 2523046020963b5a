"""What sandboxes see of the host's /etc: what packages ship, and no secret, whoever may read it there."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness.server import ORDINARY_USER, pool_of, prepared
from harness.waiting import until

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="run by an ordinary user: only root can plant something in /etc")
SECRET = "caisson-test-secret"
LOOK = f"grep -rl {SECRET} /etc /var 2>/dev/null; ls -R /etc /var 2>/dev/null | grep caisson-planted; :"


@pytest.fixture(scope="module")
def planted():
    """Secrets in the host's /etc, each in another way; gone afterwards."""
    made = []

    def plant(path, mode, text=SECRET, owner=0):
        path = Path(path)
        for folder in (path.parent, *path.parent.parents):
            if folder.exists():
                break
            made.append(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
        path.chmod(mode)
        os.chown(path, owner, owner)
        made.append(path)
        return path

    try:
        plant("/etc/caisson-planted/for-all", 0o644)
        plant("/etc/caisson-planted-group", 0o640)
        owner_only = plant("/etc/caisson-planted-owner", 0o600)
        plant("/etc/caisson-planted-of-a-user", 0o644, owner=ORDINARY_USER)
        plant("/etc/ssl/certs/caisson-planted.pem", 0o644)
        plant("/etc/alternatives/caisson-planted", 0o644)
        for link in (Path("/etc/caisson-planted-link"), Path("/etc/alternatives/caisson-planted-link")):
            link.symlink_to(owner_only)
            made.append(link)
        outside = plant("/var/lib/caisson-planted", 0o644)
        Path("/etc/caisson-planted-out").symlink_to(outside)
        made.append(Path("/etc/caisson-planted-out"))
        yield
    finally:
        for path in reversed(made):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def ready(server):
    return sum(each["ready_sandboxes"] for each in server.api.get("/v1/runtimes")["items"])


STARTS = {"cold": {}, "prepared": prepared(4), "ready": pool_of(2), "parked": {**pool_of(2), "CAISSON_POOL_WARM_INTERPRETERS": "true"}}


@needs_root
@pytest.mark.parametrize("user", [None, ORDINARY_USER], ids=["root", "ordinary_user"])
@pytest.mark.parametrize("start", STARTS)
def test_a_secret_of_etc_is_in_no_sandbox(planted, new_server, start, user):
    server = new_server(user=user, **STARTS[start])
    if "CAISSON_POOL_IDLE" in STARTS[start]:
        until(lambda: ready(server) > 0, what="a ready sandbox")
    record = server.api.run(shell=LOOK)
    assert (record["stdout"], record["exit_code"]) == ("", 0), record
    code = f"import os\nfor top in ('/etc', '/var'):\n  for folder, _, files in os.walk(top):\n    for name in files:\n      if 'caisson-planted' in name: print(folder, name)\n"
    assert server.api.run(language="python", code=code)["stdout"] == ""
    assert "ok" in server.api.run(shell="test -s /etc/passwd && test -s /etc/ld.so.cache && echo ok")["stdout"]


@needs_root
def test_a_secret_that_is_planted_while_the_server_runs_is_in_no_sandbox(new_server):
    server = new_server()
    assert server.api.run(shell=LOOK)["stdout"] == ""
    link = Path(f"/etc/alternatives/caisson-test-shown-{os.getpid()}")
    with tempfile.NamedTemporaryFile("w", dir="/etc", prefix="caisson-planted-") as file:
        os.chmod(file.name, 0o644)
        file.write(SECRET + "\n")
        file.flush()
        link.symlink_to("/usr/bin/env")
        try:
            until(lambda: server.api.run(shell=f"readlink {link}")["stdout"] == "/usr/bin/env\n", what="a copy that was made after the secret")
            assert server.api.run(shell=LOOK)["stdout"] == ""
        finally:
            link.unlink()


def test_what_describes_the_host_is_not_there(api):
    names = "shadow gshadow sudoers ssh ssl/private machine-id hostname resolv.conf fstab mtab crypttab krb5.keytab apt cron.d"
    record = api.run(shell=f"for each in {names}; do test -e /etc/$each -o -L /etc/$each && echo $each; done; :")
    assert record["stdout"] == ""
    assert api.run(shell="cut -d: -f1 /etc/passwd")["stdout"] == "root\nsandbox\nnobody\n"


def test_nothing_of_etc_can_be_changed(api):
    record = api.run(shell="for each in /etc /etc/passwd /etc/alternatives /etc/ld.so.cache; do (: >>$each/x) 2>/dev/null; (: >>$each) 2>/dev/null && echo $each; chmod 777 $each 2>/dev/null && echo mode $each; done; :")
    assert record["stdout"] == ""


def test_the_time_zone_is_the_hosts(api):
    host = subprocess.run(["date", "-d", "@1700000000", "+%Z %H"], capture_output=True, text=True, env={"PATH": os.environ["PATH"]}).stdout
    assert api.run(shell="date -d @1700000000 '+%Z %H'; TZ=Asia/Tokyo date -d @1700000000 +%H")["stdout"] == host + "07\n"


@needs_root
@pytest.mark.parametrize("killed", [False, True])
def test_copies_of_earlier_servers_go_with_their_sandboxes(new_server, killed):
    server = new_server()
    assert server.api.run(command=["true"])["status"] == "success"
    copies = server.data / "public"
    first = {each.name for each in copies.iterdir()}
    assert len(first) == 1
    (copies / "new").mkdir()
    (copies / ("0" * 64) / "etc").mkdir(parents=True)
    if killed:    # what sandboxes it left goes in the next start, their copies in the one after that
        server.kill()
        server.start()
        assert server.api.run(command=["true"])["status"] == "success"
    server.stop()
    server.start()
    assert server.api.run(command=["true"])["status"] == "success"
    assert {each.name for each in copies.iterdir()} == first

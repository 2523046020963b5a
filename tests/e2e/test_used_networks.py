"""Network namespaces that are used again: only those in which nothing happened, by one sandbox at a time."""

import os

import pytest

from harness.leaks import named_directories
from harness.waiting import until

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root: others' networks belong to their sandboxes")

# Never the same for two networks (SO_NETNS_COOKIE, socket(7)); then what its interface has counted, and how many sockets there are.
LOOK = """
import socket, struct
with socket.socket(socket.AF_UNIX) as any:
    print(struct.unpack("Q", any.getsockopt(socket.SOL_SOCKET, 71, 8))[0])
print(open("/proc/net/dev").read().split("lo:")[1].split())
print(open("/proc/net/sockstat").readline())
"""
SEND = """
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    one.bind(("127.0.0.1", 0))
    one.sendto(b"x", one.getsockname())
"""
NO_ROUTE = """
with socket.socket() as one:
    print(one.connect_ex(("192.0.2.1", 9)))
"""
# A socket that nobody has open: it is in a message to itself, which the kernel finds out later.
IN_FLIGHT = """
one, other = socket.socketpair()
one.bind("\\0left behind")
socket.send_fds(other, [b"x"], [one.fileno()])
socket.send_fds(one, [b"x"], [other.fileno()])
"""


def look(server, then=""):
    """Runs it once nothing of the run before is left; returns its network and what it showed at first."""
    until(lambda: not sandboxes(server), what="the end of the sandbox before")
    record = server.api.run(code=LOOK + then, language="python")
    assert record["status"] == "success", record["stderr"]
    network, *shown = record["stdout"].splitlines()[:4]
    return network, shown


def sandboxes(server):
    return {path for path in named_directories([server.folder, *server.run_folders(), "/sys/fs/cgroup"]) if server.instance() in path or str(server.folder) in path}


@pytest.fixture
def server(new_server):
    started = new_server()
    look(started)    # which has one made ahead of it or not, as the probes left it
    return started


def looks(server):
    """One after the other, until one has a network that another had before."""
    seen = [look(server)]

    def is_used_again():
        seen.append(look(server))
        return seen[-1][0] in [network for network, _ in seen[:-1]]

    until(is_used_again, what="a network that is used again")
    return seen


def test_a_quiet_one_is_used_again_as_if_it_were_new(server):
    first, *others = [shown for _, shown in looks(server)]
    assert all(shown == first for shown in others)
    assert set(first[0].strip("[]").replace("'", "").split(", ")) == {"0"}


@pytest.mark.parametrize("deed", [SEND, NO_ROUTE], ids=["a packet", "no route"])
def test_one_with_traces_is_not(server, deed):
    network, shown = look(server, deed)
    after = looks(server)    # the oldest is taken first, so that one of before would have been
    assert network not in [other for other, _ in after]
    assert all(shown_after == shown for _, shown_after in after)


def test_names_of_a_socket_that_is_left_are_free(server):
    """Whether the kernel has found it out or not: nobody after it may see it."""
    for _ in range(3):
        look(server, IN_FLIGHT)
    record = server.api.run(code=LOOK + IN_FLIGHT + "print(open('/proc/net/unix').read().count('left'))", language="python")
    assert record["status"] == "success", record["stderr"]
    assert record["stdout"].splitlines()[-1] == "1"


def test_those_that_run_have_their_own(server):
    look(server)
    running = [server.api.start(code=LOOK + "import sys\nsys.stdout.flush()\nsys.stdin.read()", language="python", stdin_open=True) for _ in range(3)]

    def lines(execution):
        return "".join(event["data"] for event in server.api.follow(execution, follow=False) if event["kind"] == "output").splitlines()

    until(lambda: all(len(lines(one)) >= 3 for one in running), what="what each sees")
    assert len({lines(one)[0] for one in running}) == 3
    for one in running:
        server.api.cancel(one)


def test_those_of_an_earlier_server_are_not(server):
    running = server.api.start(code=LOOK + "import sys\nsys.stdout.flush()\nsys.stdin.read()", language="python", stdin_open=True)

    def shown():
        return "".join(event["data"] for event in server.api.follow(running, follow=False) if event["kind"] == "output").splitlines()

    until(lambda: shown(), what="its network")
    server.kill()
    server.start()
    server.api.stdin(running, eof=True)
    assert server.api.ended(running)["status"] == "success"
    assert shown()[0] not in [network for network, _ in looks(server)]

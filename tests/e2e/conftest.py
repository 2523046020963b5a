"""Fixtures. The server under test is a process of its own; see harness/."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness.containers import RUNTIMES, ContainerServer, load_images  # noqa: E402
from harness.contract import Contract  # noqa: E402
from harness.engine import Engine, PrivateEngine, why_none  # noqa: E402
from harness.leaks import Baseline, adopt_orphans, descriptors  # noqa: E402
from harness.left_overs import unrecorded  # noqa: E402
from harness.server import BINARY, ORDINARY_USER, READY, Server, new_folder  # noqa: E402
from harness.sharing import LAST_RUN, run_shared, share  # noqa: E402
from harness.threads import Thread  # noqa: E402
from harness.waiting import until  # noqa: E402


CONTRACT = Contract.load()


def pytest_sessionstart(session):
    if not BINARY.exists():
        pytest.exit(f"{BINARY} is not there; build it with tools/build asan, or set CAISSON_BIN", returncode=2)
    adopt_orphans()


def pytest_runtestloop(session):
    ours = share()
    if ours is None or session.testsfailed or session.config.option.collectonly:
        return None    # pytest's own loop
    if LAST_RUN:
        CONTRACT.seen |= ours.seen()
    run_shared(session, ours)
    return True


def pytest_sessionfinish():
    if (ours := share()) and not LAST_RUN:
        ours.end(CONTRACT.seen)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    setattr(item, "report_" + call.when, outcome.get_result())


@pytest.fixture(scope="session")
def contract():
    return CONTRACT


@pytest.fixture(scope="session")
def shared_server(contract):
    """One server for all tests that leave it as they found it."""
    with new_folder() as folder:
        server = Server(folder, contract, env=READY)
        try:
            server.start()
            # Warm: languages are probed, pools are open, the first sandbox is gone.
            assert server.api.run(shell="echo warm", limits={"wall_ms": 30_000})["status"] == "success"
            yield server
            server.stop()
        finally:
            server.discard()


@pytest.fixture
def server(shared_server, request):
    """The shared server; afterwards nothing that the test began is left."""
    before = Baseline(shared_server)
    yield shared_server
    assert shared_server.process.poll() is None, shared_server.log_tail()
    if getattr(request.node, "report_call", None) and request.node.report_call.passed:
        before.compare()


@pytest.fixture
def api(server):
    return server.api


@pytest.fixture
def new_server(contract, request):
    """Makes servers of the test's own: new_server(*options, user=…, **env). Those of a module whose READY_SERVERS is true have sandboxes ready."""
    made, folders = [], []
    usual = READY if getattr(request.module, "READY_SERVERS", False) else {}

    def make(*options, user=None, **env):
        folders.append(new_folder())
        made.append(Server(folders[-1].name, contract, user, options, {**usual, **env}))
        return made[-1].start()

    yield make
    try:
        for each in made:
            running = each.process is not None
            each.stop()
            if running and each.starts == 1:
                assert not unrecorded(each)
    finally:
        for each in made:
            each.discard()
        for each in folders:
            each.cleanup()


@pytest.fixture
def thread_owner(server):
    """A tenant of the test's own, whose threads are removed afterwards."""
    api = server.tenant("threads")
    yield api
    for each in api.get("/v1/threads", query={"limit": 200})["items"]:
        Thread(api, each["thread"]).remove()


@pytest.fixture
def agent(thread_owner):
    return Thread(thread_owner, "agent-1")


@pytest.fixture(scope="session")
def hasty_server(contract):
    """A server whose timeouts are short."""
    names = ("header_timeout_ms", "body_timeout_ms", "write_timeout_ms", "websocket_ping_ms")
    with new_folder() as folder:
        server = Server(folder, contract, options=[word for name in names for word in ("--set", f"http.{name}=800")])
        try:
            server.start()
            assert server.api.run(shell="echo warm", limits={"wall_ms": 30_000})["status"] == "success"
            before = Baseline(server)
            yield server
            assert server.api.run(shell="echo still there")["stdout"] == "still there\n"
            before.compare()
            server.stop()
        finally:
            server.discard()


@pytest.fixture
def hasty(hasty_server):
    """Afterwards others are still served, and no connection is left. The rest is compared once, at the server's end."""
    before = descriptors(hasty_server.pid).get("socket", 0)
    yield hasty_server
    assert hasty_server.api.get("/health").status == 200
    until(lambda: descriptors(hasty_server.pid).get("socket", 0) <= before, what="no connection left")


@pytest.fixture
def ordinary_server(new_server):
    """A server without rights: root drops to an account of no one, others stay who they are."""
    return new_server(user=ORDINARY_USER if os.getuid() == 0 else None)


@pytest.fixture(scope="session")
def runtime(shared_server):
    """What the default runtime enforces on this host."""
    answer = shared_server.api.get("/v1/runtimes").value
    return next(each for each in answer["items"] if each["name"] == answer["default"])


@pytest.fixture(scope="session")
def engine():
    """The Docker engine that the whole run has; its images stay."""
    if reason := why_none():
        pytest.skip(reason)
    return Engine(os.environ["CAISSON_TEST_ENGINE"])


@pytest.fixture
def private_engine(engine):
    """An engine of the test's own, that it may break."""
    made = PrivateEngine()
    try:
        yield made.start()
    finally:
        made.discard()


@pytest.fixture(scope="session")
def images(engine):
    """The images of the examples, made of this host's packages."""
    load_images(engine)


@pytest.fixture(scope="session", params=RUNTIMES)
def box_server(request, contract, engine, images):
    """One server for each runtime with containers, which all tests share that leave it as they found it."""
    with new_folder() as folder:
        server = ContainerServer(folder, contract, engine, request.param)
        try:
            server.start()
            warm = server.api.run(shell="echo warm", limits={"wall_ms": 60_000})
            assert warm["status"] == "success", warm
            yield server
            server.stop()
            server.nothing_left()
        finally:
            server.discard()


@pytest.fixture
def box(box_server, request):
    """The shared server with containers; afterwards nothing that the test began is left, on the engine neither."""
    before = Baseline(box_server)
    yield box_server
    assert box_server.process.poll() is None, box_server.log_tail()
    if getattr(request.node, "report_call", None) and request.node.report_call.passed:
        box_server.nothing_left()
        before.compare()


@pytest.fixture
def new_box(contract, engine, images):
    """Makes servers with containers of the test's own: new_box(runtime, *options, on=an engine)."""
    made, folders = [], []

    def make(runtime, *more, on=None, **options):
        folders.append(new_folder())
        made.append(ContainerServer(folders[-1].name, contract, on or engine, runtime, *more, **options))
        return made[-1].start()

    yield make
    try:
        for each in made:
            each.stop()
    finally:
        for each in made:
            each.discard()
        for each in folders:
            each.cleanup()

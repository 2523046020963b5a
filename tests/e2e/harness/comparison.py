"""The same program started by two servers: one makes each sandbox for its program, the other has them ready. What both must have in common."""

import re
from contextlib import contextmanager

from .containers import ContainerServer
from .server import Server, new_folder
from .waiting import until

SAME = ("status", "verdict", "exit_code", "signal", "limits_hit", "stdout", "stderr", "stdout_truncated", "stderr_truncated", "error")
TRIES = 5


def shown(record):
    """What must be the same."""
    out = {name: record.get(name) for name in SAME}
    for stream in ("stdout", "stderr"):
        out[stream] = re.sub("0x[0-9a-f]+", "0x…", out[stream]).splitlines(keepends=True)
    return out


def check_same(record, expected):
    got, want = shown(record), shown(expected)
    for name in SAME:
        assert got[name] == want[name], name


def ready(server):
    return sum(each["ready_sandboxes"] for each in server.api.get("/v1/runtimes")["items"])


def first_of(run, is_meant, server):
    """The record of the first run() of which `is_meant` is true: it comes as soon as what it needs is ready."""
    for tried in range(TRIES):
        record = run()
        if is_meant(record):
            return record
        if tried > 0:    # once is no demand
            until(lambda: ready(server) > 0, what="a ready sandbox")
    raise AssertionError(f"none waits: {record}")


def first_that(is_meant, server, **request):
    return first_of(lambda: server.api.run(**request), is_meant, server)


def served(folder, contract, engine_of, runtime, **env):
    if runtime == "bubblewrap":
        return Server(folder, contract, env=env)
    engine, _ = engine_of("engine"), engine_of("images")
    return ContainerServer(folder, contract, engine, runtime, env=env)


@contextmanager
def cold_and_ready(runtime, contract, engine_of, pool):
    """Both, started; `pool` is the environment of the second, `engine_of` finds pytest's fixtures."""
    with new_folder() as first, new_folder() as second:
        servers = [served(first, contract, engine_of, runtime), served(second, contract, engine_of, runtime, **pool)]
        try:
            for each in servers:
                each.start()
            yield servers
            for each in servers:
                each.stop()
        finally:
            for each in servers:
                each.discard()

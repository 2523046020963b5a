"""What could take the memory of a whole host, all at once and with limits as they are by default: the server lives to the end, and its
neighbours run. The guest of tools/guest-test has 2 GB."""

from dataclasses import replace

from campaign import Campaign, Canary
from own_cases import own_cases

HARMFUL = {"X31", "X43", "X49", "X52", "X59", "X61", "X62", "X63", "X64", "X65", "X66"}


def test_the_server_outlives_them(new_server, canary, tmp_path):
    server = new_server(CAISSON_EXECUTIONS_MAX_MEMORY_BYTES="")
    pid = server.pid
    campaign = Campaign(server, canary, tmp_path)
    cases = [replace(case, limits={**case.limits, "wall_ms": 120_000}) for case in own_cases() if case.id in HARMFUL]
    assert len(cases) == len(HARMFUL)
    with Canary(campaign.neighbour) as neighbour:
        results = campaign.together(cases)
    assert not [(case.id, problem) for case, each in zip(cases, results) for problem in each.problems]
    assert neighbour.count > 0 and not neighbour.failures
    assert server.pid == pid and server.process.poll() is None
    assert campaign.neighbour.run(command=["echo", "after"])["stdout"] == "after\n"

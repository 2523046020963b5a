"""The attacks from inside, in containers: under docker and under gVisor; each twice if CAISSON_ATTACKS_IN_CONTAINERS is set."""


def test_container_attack(container_campaigns, container_attack):
    runtime, case, number = container_attack
    result = container_campaigns(runtime).results[case.id, number]
    assert not result.problems, "\n".join(result.problems)

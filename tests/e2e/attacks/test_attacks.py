"""Every attack, in both passes. All have run, in batches, when the first of these tests looks at its result."""


def test_attack(campaign, attack):
    case, number = attack
    result = campaign.results[case.id, number]
    assert not result.problems, "\n".join(result.problems)


def test_neighbours_ran_all_the_while(campaign):
    assert campaign.canaries > 20

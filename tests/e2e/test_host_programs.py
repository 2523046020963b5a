"""What small programs of Debian do on the host they do in a sandbox. tools/programs tries the large ones too."""

import pytest

from harness.host_programs import in_sandbox, installed_packages, on_host, programs

SMALL = [each for each in programs() if each.is_small]


@pytest.mark.parametrize("program", SMALL, ids=[each.name for each in SMALL])
def test_a_program_of_the_host_does_the_same_in_a_sandbox(program, api):
    missing = set(program.packages) - installed_packages().keys()
    assert not missing, f"tools/setup --test installs {' '.join(sorted(missing))}"
    wanted = on_host(program)
    got, more = in_sandbox(program, api)
    if program.differs:
        assert got != wanted, f"tests/programs/{program.name}.sh says that it differs ({program.differs}), and it does not any more"
    else:
        assert wanted[0] == 0, wanted
        assert got == wanted, more

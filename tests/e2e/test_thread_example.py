"""examples/resuming_agent.py: it crashes, resumes, and has done each step once."""

import subprocess
import sys

from harness.server import ROOT
from harness.threads import Thread

WORDS = ["one", "two", "three", "four"]


def run(api, *options):
    env = {"CAISSON_URL": api.url, "CAISSON_API_KEY": api.key, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, ROOT / "examples" / "resuming_agent.py", "story", *WORDS, *options]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def test_the_agent_resumes(server):
    api = server.tenant("example")
    crashed = run(api, "--crash-at", "3")
    assert crashed.returncode == 70 and crashed.stdout == "step 1: ONE\nstep 2: TWO\n", crashed
    again = run(api)
    assert again.returncode == 0 and again.stdout == "resumes behind step-2\nstep 3: THREE\nstep 4: FOUR\ndone: ONE TWO THREE FOUR\n", again
    assert run(api).stdout == "resumes behind step-4\ndone: ONE TWO THREE FOUR\n"
    thread = Thread(api, "story")
    assert [each["id"] for each in thread.check_chain()] == ["step-1", "step-2", "step-3", "step-4"]
    assert thread.get("step-1", include="execution")["execution"]["status"] == "success"
    thread.remove()


def test_an_agent_that_cannot_read_its_state_does_not_begin_anew(server):
    refused = run(server.api.with_key("cs_" + "0" * 40))
    assert refused.returncode == 1 and refused.stdout == "" and "the state cannot be read" in refused.stderr, refused


def test_two_agents_do_not_mix(server):
    api = server.tenant("example")
    assert run(api, "--crash-at", "2").returncode == 70
    thread = Thread(api, "story")
    thread.save({"done": ["ONE", "other"], "next": 2}, id="other")
    assert run(api).stdout.startswith("resumes behind other\nstep 3")
    thread.remove()

"""What skills are given and what they give, small and large: in the execution's object, and at addresses of their own."""

import contextlib

import pytest

from harness.packages import push, pushed, python

MIB = 2**20
# Writes the first ten letters of the text.
BEGIN_OF_TEXT = """\
import json, os
with open("/sandbox/input.json") as given, open(os.environ["SANDBOX_OUTPUT"], "w") as out:
    json.dump(json.load(given)["text"][:10], out)
"""


@pytest.fixture
def skill(api, request):
    """Pushes a program as a skill of a name that only this test has; returns the name."""
    name = request.node.name.replace("[", "-").replace("]", "").replace("_", "-")
    with contextlib.ExitStack() as until_the_end:

        def make(program, **more):
            until_the_end.enter_context(pushed(api, {name: {"program": program, **more}}))
            return name

        yield make


def check_told_alike(api, one):
    """Who waited for the end and who asks later: the one is answered from memory, the other from the record."""
    later = api.get(f"/v1/executions/{one['execution_id']}").value
    for name in ("input", "input_bytes", "output", "output_bytes"):
        assert one.get(name) == later.get(name), name


def test_large_input_comes_by_file_only(api, skill):
    name = skill("import json, os\ngiven = json.load(open('/sandbox/input.json'))\n"
                 "print('SANDBOX_INPUT' in os.environ, len(given['text']))\n", body="x" * 100)
    assert api.run(skill=name, input={"text": "x" * 90_000})["stdout"] == "True 90000\n"
    assert api.run(skill=name, input={"text": "x" * 1_000_000})["input"] == {"text": "x" * 1_000_000}
    one = api.run(skill=name, input={"text": "x" * 3_000_000})
    assert one["stdout"] == "False 3000000\n"
    assert one["input_bytes"] == 3_000_012 and "input" not in one, "what is large is read by its own address"
    check_told_alike(api, one)
    address = f"/v1/executions/{one['execution_id']}/input"
    assert api.get(address).value == {"text": "x" * 3_000_000}
    head = api.call("HEAD", address)
    assert (head.status, head.headers["content-length"], head.body) == (200, "3000012", b"")
    assert api.get(f"/v1/executions/{one['execution_id']}/output").status == 404, "it wrote none"


def test_output_of_any_size_is_there(api, skill, server, new_server):
    program = python("answer({'text': 'x' * given})")
    name = skill(program)
    one = api.run(skill=name, input=40_000)["execution_id"]
    assert api.get(f"/v1/executions/{one}/output").value == {"text": "x" * 40_000}
    assert server.tenant("reads-outputs").get(f"/v1/executions/{one}/output").status == 404
    end = api.log(one, sse=True)[-1]
    assert end["output_bytes"] == len('{"text": ""}') + 40_000 and "output" not in end
    large = new_server("--set", "skills.max_output_bytes=4194304").api
    push(large, name, program)
    one = large.run(skill=name, input=3_000_000)
    assert one["status"] == "success" and "output" not in one, one
    assert one["output_bytes"] == len(large.get(f"/v1/executions/{one['execution_id']}/output").body) == 3_000_012
    check_told_alike(large, one)


@pytest.mark.parametrize("size", [MIB, MIB + 1])
def test_texts_of_up_to_a_mebibyte_are_shown(api, skill, size):
    one = api.run(skill=skill(BEGIN_OF_TEXT), input={"text": "x" * (size - len('{"text": ""}'))})
    assert one["status"] == "success" and one["output"] == "x" * 10, one
    assert ("input" in one) == (size == MIB) and one.get("input_bytes", size) == size
    check_told_alike(api, one)

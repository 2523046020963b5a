"""Images: who may use which, and how they come to the engine. The engine is an imposter, so that no registry is needed."""

import json
import subprocess

import pytest

from harness.engine_imposter import EngineImposter, digest_of
from harness.server import BINARY
from harness.waiting import until

ALLOWED = "python:3.12-slim,bash:5,team/app:1"


@pytest.fixture(scope="module")
def imposter():
    made = EngineImposter()
    yield made
    made.close()


@pytest.fixture
def engine(imposter):
    imposter.images, imposter.registry, imposter.in_use = {"bash:5", "other:1"}, set(), set()
    imposter.asked, imposter.pulled, imposter.logins, imposter.is_broken = [], [], [], False
    imposter.go_on.set()
    yield imposter
    imposter.go_on.set()


@pytest.fixture
def box(new_server, engine):
    def make(**settings):
        given = {"docker.engine": engine.address, "docker.link": "stdio", "runtimes.enabled": "bubblewrap,docker",
                 "docker.probe_image": "probe:1",    # else one is made
                 "images.allowed": ALLOWED, **settings}
        return new_server(*[word for name, value in given.items() for word in ("--set", f"{name}={value}")])

    return make


def names(answer):
    return [each["image"] for each in answer["items"]]


def pull_frames(api, image, accept):
    answer = api.post("/v1/images/pull", {"image": image}, headers={"Accept": accept})
    assert answer.status == 200, answer.value
    lines = answer.body.decode().splitlines()
    if accept == "text/event-stream":
        lines = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    frames = [json.loads(line) for line in lines]
    for frame in frames:
        api.contract.check_named(frame, "PullFrame", "a frame of a pull")
    return frames


def test_the_list_shows_what_the_tenant_may_use(box):
    server = box()
    assert names(server.tenant("acme").get("/v1/images").value) == ["bash:5"]
    everything = server.api.get("/v1/images").value["items"]
    assert [(each["image"], each["allowed"]) for each in everything] == [("bash:5", True), ("other:1", False)]
    assert everything[0]["id"] == digest_of("bash:5") and everything[0]["size_bytes"] == 1_234_567
    assert everything[0]["created_at"] == "2026-01-02T03:04:05.000Z"


def test_a_pull_brings_an_image(box, engine):
    engine.registry = {"python:3.12-slim"}
    server = box()
    answer = server.tenant("acme").post("/v1/images/pull", {"image": "python:3.12-slim"})
    assert answer.status == 200 and answer["id"] == digest_of("python:3.12-slim") and answer["allowed"] is True
    assert names(server.tenant("acme").get("/v1/images").value) == ["bash:5", "python:3.12-slim"]


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson"])
def test_a_pull_says_how_far_it_is(box, engine, accept):
    engine.registry = {"python:3.12-slim"}
    frames = pull_frames(box().api, "python:3.12-slim", accept)
    assert frames[-1]["kind"] == "done" and frames[-1]["image"]["id"] == digest_of("python:3.12-slim")
    progress = [frame for frame in frames if frame["kind"] == "progress"]
    assert any(frame["bytes_total"] == 1000 for frame in progress), frames


def test_a_pull_that_fails_ends_with_an_error_frame(box):
    frames = pull_frames(box().api, "team/app:1", "application/x-ndjson")
    assert frames[-1]["kind"] == "error" and frames[-1]["error"] == "not_found" and "team/app:1" in frames[-1]["message"]


def test_a_pull_that_is_not_waited_for(box, engine):
    engine.registry = {"python:3.12-slim"}
    engine.go_on.clear()
    api = box().api
    answer = api.post("/v1/images/pull", {"image": "python:3.12-slim", "wait": False})
    assert answer.status == 202 and answer.value == {"image": "python:3.12-slim", "status": "pulling"}
    until(lambda: engine.pulled == ["python:3.12-slim"], what="the pull")
    assert api.post("/v1/images/pull", {"image": "python:3.12-slim", "wait": False}).status == 202
    assert api.delete("/v1/images/python:3.12-slim").status == 409
    engine.go_on.set()
    until(lambda: "python:3.12-slim" in engine.images, what="the image")
    assert engine.pulled == ["python:3.12-slim"]


@pytest.mark.parametrize("body, status, slug", [
    ({"image": "other:1"}, 400, "image_not_allowed"),
    ({"image": "Python:3.12-slim"}, 400, "bad_request"),
    ({"image": ""}, 400, "bad_request"),
    ({}, 400, "bad_request"),
    ({"image": "bash:5", "tag": "5"}, 400, "bad_request"),
    ({"image": "team/app:1"}, 404, "not_found"),
])
def test_what_cannot_be_pulled(box, body, status, slug):
    answer = box().api.post("/v1/images/pull", body)
    assert (answer.status, answer["error"]) == (status, slug), answer.value
    if slug == "image_not_allowed":
        assert answer["message"] == 'image "other:1" is not in the allowlist (allowed: python:3.12-slim, bash:5, team/app:1)'
    elif slug == "bad_request":
        assert answer.fields()


def test_an_engine_that_fails_or_is_gone_is_told(box, engine):
    api = box().api
    engine.is_broken = True
    answer = api.get("/v1/images")
    assert (answer.status, answer["error"]) == (503, "runtime_unavailable") and "the disk is gone" in answer["message"]


def test_the_password_comes_from_its_file(box, engine, tmp_path):
    import base64

    password = tmp_path / "word"
    password.write_text("a secret\n")
    name = "registry.example:5000/team/app:1"
    engine.registry = {name}
    server = box(**{"images.allowed": name, "images.credentials.registry.example:5000.username": "robot",
                    "images.credentials.registry.example:5000.password_file": str(password)})
    assert server.api.post("/v1/images/pull", {"image": name}).status == 200
    login = engine.logins[-1]
    sent = json.loads(base64.urlsafe_b64decode(login + "=" * (-len(login) % 4)))
    assert (sent["username"], sent["password"]) == ("robot", "a secret")
    assert "a secret" not in server.log_tail(1_000_000)
    password.unlink()
    answer = server.api.post("/v1/images/pull", {"image": name})
    assert (answer.status, answer["error"]) == (503, "image_unavailable") and "registry.example:5000" in answer["message"]


def test_a_root_file_system_and_an_archive_are_loaded(box, engine):
    api = box().api
    tar = b"\0" * 300_000
    answer = api.call("POST", "/v1/images/load", raw=tar, query={"image": "own:1", "changes": "ENV PATH=/bin\nUSER 1000"},
                      headers={"Content-Type": "application/x-tar"})
    assert answer.status == 201 and answer.value == {"images": ["own:1"]} and engine.received == tar
    answer = api.call("POST", "/v1/images/load", raw=tar, headers={"Content-Type": "application/x-tar"})
    assert answer.status == 201 and answer.value == {"images": ["loaded:1"]}


@pytest.mark.parametrize("query, raw, status", [
    ({"image": "a b"}, b"x", 400), ({"image": "a:1", "changes": "RUN true"}, b"x", 400), ({"changes": "ENV A=1"}, b"x", 400),
    ({"name": "a:1"}, b"x", 400), ({}, b"", 400),
])
def test_what_cannot_be_loaded(box, query, raw, status):
    answer = box().api.call("POST", "/v1/images/load", raw=raw, query=query, headers={"Content-Type": "application/x-tar"})
    assert answer.status == status and answer.fields(), answer.value


def test_an_image_that_is_too_large_is_refused(box, engine):
    api = box(**{"images.max_load_bytes": 100_000}).api
    answer = api.call("POST", "/v1/images/load", raw=b"\0" * 100_001, headers={"Content-Type": "application/x-tar"})
    assert (answer.status, answer["error"]) == (413, "too_large")


def test_images_are_removed(box, engine):
    api = box().api
    engine.images |= {"registry.example:5000/team/app:1"}
    engine.in_use = {"bash:5"}
    assert api.delete("/v1/images/registry.example:5000/team/app:1").status == 204
    assert "registry.example:5000/team/app:1" not in engine.images
    assert api.delete("/v1/images/nothing:1").status == 404
    assert api.delete("/v1/images/bash:5").status == 409
    assert api.delete("/v1/images/a%20b").status == 400


def test_the_allowlist_of_all_and_of_one(box, engine):
    server = box()
    acme, other = server.tenant("acme"), server.tenant("other")
    assert server.api.call("PUT", "/v1/admin/images/other:1", query={"tenant": "acme"}).status == 201
    assert server.api.call("PUT", "/v1/admin/images/other:1", query={"tenant": "acme"}).status == 200
    assert names(acme.get("/v1/images").value) == ["bash:5", "other:1"]
    assert names(other.get("/v1/images").value) == ["bash:5"]
    answer = server.api.call("PUT", "/v1/admin/images/registry.example/team/x:1")
    assert answer.status == 201 and (answer["image"], answer["tenant"]) == ("registry.example/team/x:1", None)
    listed = server.api.get("/v1/admin/images").value["items"]
    assert [(each["image"], each["tenant"], each["source"]) for each in listed] == [
        ("python:3.12-slim", None, "config"), ("bash:5", None, "config"), ("team/app:1", None, "config"),
        ("registry.example/team/x:1", None, "api"), ("other:1", "acme", "api")]
    server.restart()
    assert len(server.api.get("/v1/admin/images").value["items"]) == 5
    assert server.api.delete("/v1/admin/images/other:1", query={"tenant": "acme"}).status == 204
    assert server.api.delete("/v1/admin/images/other:1", query={"tenant": "acme"}).status == 404
    assert server.api.delete("/v1/admin/images/bash:5").status == 404, "the config's stays"
    assert names(server.tenant("acme").get("/v1/images").value) == ["bash:5"]


def test_only_admins_change_images(box):
    acme = box().tenant("acme")
    for method, path in [("POST", "/v1/images/load"), ("DELETE", "/v1/images/bash:5"), ("GET", "/v1/admin/images"),
                         ("PUT", "/v1/admin/images/x:1"), ("DELETE", "/v1/admin/images/x:1")]:
        answer = acme.call(method, path, raw=b"x" if method == "POST" else None)
        assert (answer.status, answer["error"]) == (403, "forbidden"), path


def test_without_an_engine_there_are_no_images(api):
    for answer in (api.get("/v1/images"), api.post("/v1/images/pull", {"image": "bash:5"}), api.delete("/v1/images/bash:5")):
        assert (answer.status, answer["error"]) == (501, "not_implemented")
    answer = api.post("/v1/executions", {"command": ["true"], "image": "bash:5"})
    assert answer.status == 400 and "has no meaning on the runtime bubblewrap" in answer.fields()["image"]


def test_requests_and_images(box, engine):
    server = box(**{"images.languages": "python=python:3.12-slim", "images.default": ""})
    acme = server.tenant("acme")

    def refused(**request):
        answer = acme.post("/v1/executions", request)
        assert answer.status == 400, answer.value
        return answer

    assert "is required" in refused(command=["true"], runtime="docker").fields()["image"]
    assert "has no image on this server; available: python" in refused(language="bash", code="x", runtime="docker").fields()["language"]
    assert "must be the name" in refused(command=["true"], runtime="docker", image="a b").fields()["image"]
    assert "a skill names its own" in refused(skill="x", runtime="docker", image="bash:5").fields()["image"]
    assert refused(command=["true"], runtime="docker", image="other:1")["error"] == "image_not_allowed"
    answer = acme.post("/v1/executions", {"command": ["true"], "image": "bash:5"})
    assert "runtimes with images: docker" in answer.fields()["image"]


def test_an_execution_waits_for_its_image_and_says_so(box, engine):
    engine.registry = {"python:3.12-slim"}
    engine.go_on.clear()
    api = box().tenant("acme")
    execution = api.start(command=["true"], runtime="docker", image="python:3.12-slim")
    until(lambda: api.show(execution).get("waits_for") == "the image python:3.12-slim is being pulled: 43 %", what="how far the pull is")
    record = api.show(execution)
    assert (record["status"], record["image"]) == ("queued", "python:3.12-slim") and not record.get("attempts")
    assert api.run(shell="echo meanwhile", runtime="bubblewrap")["stdout"] == "meanwhile\n"
    api.cancel(execution)
    assert api.ended(execution)["verdict"] == "cancelled"
    engine.go_on.set()
    until(lambda: "python:3.12-slim" in engine.images, what="the image, which comes all the same")


def test_an_execution_whose_image_nobody_has(box):
    record = box().tenant("acme").run(command=["true"], runtime="docker", image="team/app:1")
    assert (record["status"], record["verdict"]) == ("failed", "runtime_error")
    assert record["error"].startswith("the image team/app:1 could not be had: ")
    assert [each["fault"] for each in record["attempts"]] == ["image_pull"]


def test_what_may_run_elsewhere_does_while_the_engine_is_sick(box, engine):
    server = box(**{"runtimes.default": "docker", "executions.fallback": "bubblewrap"})
    api = server.tenant("acme")
    engine.is_broken = True
    for _ in range(5):
        record = api.run(shell="echo on", runtime="docker", retry={"attempts": 1})
        assert record["attempts"][0]["fault"] == "runtime_unavailable", record
    record = api.run(language="python", code="print(6 * 7)")
    assert (record["status"], record["stdout"]) == ("success", "42\n"), record
    assert (record["runtime"], record["fallback_from"]) == ("bubblewrap", "docker") and "image" not in record
    waiting = api.start(shell="echo on", runtime="docker")
    assert "the runtime \"docker\" has been unavailable" in until(lambda: api.show(waiting).get("waits_for"), what="why it waits")
    api.cancel(waiting)


def test_languages_are_those_of_the_images(box):
    found = {each["name"]: each for each in box(**{"runtimes.default": "docker", "images.languages": "py=python:3.12-slim"})
             .api.get("/v1/languages").value["items"]}
    assert (found["python"]["available"], found["python"]["image"], found["python"]["interpreter"]) == (True, "python:3.12-slim", "python3")
    assert found["bash"]["available"] is False


def test_images_that_are_wanted_at_the_start_are_fetched(box, engine):
    engine.registry = {"python:3.12-slim"}
    box(**{"images.ensure": "bash:5,python:3.12-slim"})
    until(lambda: "python:3.12-slim" in engine.images, what="the image")
    assert engine.pulled == ["python:3.12-slim"]


# The verbs.


def caisson(server, *words, check=0):
    done = subprocess.run([BINARY, "image", *words, "--url", server.api.url], capture_output=True, text=True, timeout=60,
                          env={"PATH": "/usr/bin:/bin", "CAISSON_API_KEY": server.api.key, "HOME": "/nonexistent"})
    assert done.returncode == check, (done.returncode, done.stdout, done.stderr)
    return done.stdout if check == 0 else done.stderr


def test_the_verbs(box, engine, tmp_path):
    engine.registry = {"python:3.12-slim"}
    server = box()
    assert caisson(server, "pull", "python:3.12-slim").startswith(f"python:3.12-slim  {digest_of('python:3.12-slim')}  1.2 MiB")
    assert "nothing:1" in caisson(server, "pull", "nothing:1", check=1)
    listed = caisson(server, "ls").splitlines()
    assert listed[0].split() == ["IMAGE", "ID", "SIZE", "CREATED", "ALLOWED"] and listed[1].startswith("bash:5 ")
    assert [each["image"] for each in json.loads(caisson(server, "ls", "--json"))] == ["bash:5", "other:1", "python:3.12-slim"]
    assert caisson(server, "allow", "--tenant", "acme", "registry.example/x:1") == ""
    assert "registry.example/x:1  acme    api" in caisson(server, "allow")
    assert caisson(server, "allow", "--remove", "--tenant", "acme", "registry.example/x:1") == ""
    assert caisson(server, "rm", "other:1") == "" and "other:1" not in engine.images
    recipe = tmp_path / "own" / "build"
    recipe.parent.mkdir()
    recipe.write_text('#!/bin/sh\necho "made $1" >&2\nprintf tar >"$1"\n')
    recipe.chmod(0o755)
    assert caisson(server, "build", str(recipe.parent)) == "loaded:1\n" and engine.received == b"tar"
    assert "no recipe" in caisson(server, "build", "nothing", check=2)
    recipe.write_text("#!/bin/sh\nexit 3\n")
    assert "failed" in caisson(server, "build", str(recipe.parent), check=1)

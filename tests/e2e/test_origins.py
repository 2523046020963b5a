"""Pages of other origins, and proxies in front: http.allowed_origins, http.public_url, http.trusted_proxies."""

import http.client

import pytest

from harness.websocket import Refused

APP = "https://app.example"


def preflight(api, path, origin=APP, method="POST", headers="authorization,content-type"):
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    return api.call("OPTIONS", path, headers=asked, judged=False)


@pytest.fixture
def open_server(new_server):
    return new_server("--set", f"http.allowed_origins={APP},http://localhost:3000")


def test_a_page_that_is_allowed_reads_every_answer(open_server):
    api = open_server.api
    done = api.create(command=["echo", "hi"])
    for path, status in [("/v1/executions/" + done["execution_id"], 200), ("/v1/executions/none", 404), ("/v1/none", 404), ("/health", 200),
                         (f"/v1/executions/{done['execution_id']}/logs", 200), (f"/v1/executions/{done['execution_id']}/events", 200)]:
        answer = api.get(path, headers={"Origin": APP}, judged=False)
        assert (answer.status, answer.headers.get("access-control-allow-origin"), answer.headers["vary"]) == (status, APP, "Origin"), path
        assert "X-Request-Id" in answer.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in answer.headers
    refused = api.post("/v1/executions", {"command": []}, headers={"Origin": "http://localhost:3000"})
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (400, "http://localhost:3000")


def test_so_does_what_is_refused_before_it_is_routed(open_server):
    connection = http.client.HTTPConnection(*open_server.api.address, timeout=60)
    connection.putrequest("POST", "/v1/executions")
    connection.putheader("Origin", APP)
    connection.putheader("Content-Length", str(1 << 40))
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (413, APP)
    connection.close()


def test_a_preflight_says_what_the_route_takes(open_server):
    answer = preflight(open_server.api, "/v1/executions")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, APP)
    assert {"GET", "POST"} <= set(answer.headers["access-control-allow-methods"].split(", "))
    allowed = {each.lower() for each in answer.headers["access-control-allow-headers"].split(", ")}
    assert {"authorization", "content-type", "idempotency-key", "last-event-id", "x-api-key"} <= allowed
    assert int(answer.headers["access-control-max-age"]) > 0
    assert preflight(open_server.api, "/v1/none").status == 404


@pytest.mark.parametrize("origin", ["https://evil.example", "http://app.example", "https://app.example:444", "https://sub.app.example", "null", APP + "/"])
def test_other_pages_are_not_allowed(open_server, origin):
    api = open_server.api
    answer = api.get("/v1/executions", headers={"Origin": origin})
    assert answer.status == 200 and "access-control-allow-origin" not in answer.headers and answer.headers["vary"] == "Origin"
    asked = preflight(api, "/v1/executions", origin)
    assert asked.status == 403 and "http.allowed_origins" in asked["message"] and "access-control-allow-methods" not in asked.headers
    with pytest.raises(Refused) as refused:
        api.websocket("/v1/connect", headers={**api.credentials(), "Origin": origin})
    assert refused.value.status == 403


def test_a_page_that_is_allowed_opens_a_websocket(open_server):
    api = open_server.api
    socket_ = api.websocket("/v1/connect", headers={**api.credentials(), "Origin": APP})
    socket_.send_json({"type": "run", "ref": "a", "command": ["true"]})
    assert socket_.receive()
    socket_.close()


def test_by_default_there_are_none(api):
    answer = api.get("/v1/executions", headers={"Origin": APP})
    assert answer.status == 200 and not {"access-control-allow-origin", "vary"} & set(answer.headers)
    assert preflight(api, "/v1/executions").status == 403
    assert api.call("OPTIONS", "/v1/executions", judged=False).status == 405


def files_url(api, headers):
    done = api.post("/v1/executions", {"shell": "echo 1 > a", "collect": ["a"]}, headers=headers)
    return done["files_url"].split("/v1/")[0]


def opens(api, headers):
    try:
        api.websocket("/v1/connect", headers={**api.credentials(), **headers}).close()
    except Refused as refused:
        assert refused.status == 403
        return False
    return True


OUTSIDE = {"X-Forwarded-Host": "caisson.example", "X-Forwarded-Proto": "https"}


def test_a_trusted_proxy_says_what_clients_reach(new_server):
    api = new_server("--set", "http.trusted_proxies=127.0.0.0/8,::1").api
    assert files_url(api, OUTSIDE) == "https://caisson.example"
    assert files_url(api, {"X-Forwarded-Host": "evil.example, caisson.example"}) == "http://caisson.example"
    assert files_url(api, {}) == api.url
    assert opens(api, {**OUTSIDE, "Origin": "https://caisson.example"})
    assert not opens(api, {**OUTSIDE, "Origin": "http://caisson.example"})
    assert not opens(api, {**OUTSIDE, "Origin": api.url})


@pytest.mark.parametrize("proxies", ["", "10.0.0.0/8"])
def test_others_are_not_believed(new_server, proxies):
    api = new_server("--set", f"http.trusted_proxies={proxies}").api
    assert files_url(api, OUTSIDE) == api.url
    assert not opens(api, {**OUTSIDE, "Origin": "https://caisson.example"})
    assert opens(api, {**OUTSIDE, "Origin": api.url})


def test_the_public_address_stands_above_all(new_server):
    api = new_server("--set", "http.trusted_proxies=127.0.0.1", "--set", "http.public_url=https://public.example/caisson").api
    assert files_url(api, OUTSIDE) == "https://public.example/caisson"
    assert opens(api, {"Origin": "https://public.example"})
    assert not opens(api, {"Origin": api.url})


WRONG = [
    ("http.allowed_origins", "*"), ("http.allowed_origins", "https://app.example/"), ("http.allowed_origins", "null"), ("http.allowed_origins", "app.example"),
    ("http.allowed_origins", ",".join(f"https://a{n}.example" for n in range(257))),
    ("http.trusted_proxies", "localhost"), ("http.trusted_proxies", "10.0.0.1/8"), ("http.trusted_proxies", "127.0.0.1:80"),
]


@pytest.mark.parametrize("key, value", WRONG)
def test_wrong_settings_stop_the_start(server, tmp_path, key, value):
    done = server.cli("serve", "--data", tmp_path / "data", "--set", f"{key}={value}")
    assert done.returncode != 0 and key.encode() in done.stderr, done

"""A client for the tests. Every answer is judged by the contract before a test sees it."""

import http.client
import json
import urllib.parse
from dataclasses import dataclass, field

from . import events as event_tools
from .websocket import WebSocket


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes = b""
    value: object = field(default=None)

    def __getitem__(self, name):
        return self.value[name]

    def fields(self):
        """The fields that an error names."""
        return {each["field"]: each["message"] for each in self.value.get("details", {}).get("fields", [])}


class Api:
    def __init__(self, url, key, contract, timeout=240.0, tls=None):
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.url, self.key, self.contract, self.timeout = url, key, contract, timeout
        self.tls = tls    # an ssl.SSLContext for https

    def with_key(self, key):
        return Api(self.url, key, self.contract, self.timeout, self.tls)

    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection(*self.address, timeout=self.timeout, context=self.tls)
        return http.client.HTTPConnection(*self.address, timeout=self.timeout)

    def credentials(self):
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def call(self, method, path, body=None, *, raw=None, headers=None, query=None, judged=True):
        """One request on a connection of its own."""
        full = path + ("?" + urllib.parse.urlencode(query) if query else "")
        send = {**self.credentials(), **(headers or {})}
        data = raw
        if body is not None:
            data = json.dumps(body).encode()
        if data is not None:
            send.setdefault("Content-Type", "application/json")
        connection = self.connect()
        try:
            connection.request(method, full, body=data, headers=send)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        got = {name.lower(): value for name, value in response.getheaders()}
        kind = got.get("content-type", "")
        if judged:
            assert got.get("x-request-id"), "the request id is echoed"
            self.contract.check_answer(method, urllib.parse.urlsplit(full).path, response.status, kind, content)
        value = json.loads(content) if kind.startswith("application/json") and content else None
        return Answer(response.status, got, content, value)

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)

    def delete(self, path, **more):
        return self.call("DELETE", path, **more)

    # Executions

    def create(self, want=200, headers=None, **request):
        answer = self.post("/v1/executions", request, headers=headers)
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def run(self, **request):
        """Runs to the end."""
        return self.create(200, **request)

    def start(self, **request):
        """Starts and does not wait; the execution's id."""
        return self.create(202, wait=False, **request)["execution_id"]

    def show(self, execution, wait_ms=0):
        answer = self.get(f"/v1/executions/{execution}", query={"wait_ms": wait_ms} if wait_ms else None)
        assert answer.status == 200, (answer.status, answer.value)
        return answer.value

    def ended(self, execution, wait_ms=60_000):
        record = self.show(execution, wait_ms)
        assert record["status"] not in ("queued", "running"), record
        return record

    def cancel(self, execution):
        return self.post(f"/v1/executions/{execution}/cancel")

    def stdin(self, execution, data="", **more):
        return self.post(f"/v1/executions/{execution}/stdin", {"data": data, **more})

    def signal(self, execution, signal, **more):
        return self.post(f"/v1/executions/{execution}/signal", {"signal": signal, **more})

    # Streams

    def open_events(self, execution, *, after=None, follow=True, sse=False, headers=None):
        """(status, response, connection) of the event route; the caller closes the connection."""
        query = {"follow": "1" if follow else "0"}
        if after is not None:
            query["after"] = after
        send = {**self.credentials(), **({"Accept": "text/event-stream"} if sse else {}), **(headers or {})}
        connection = self.connect()
        connection.request("GET", f"/v1/executions/{execution}/events?" + urllib.parse.urlencode(query), headers=send)
        return connection.getresponse(), connection

    def follow(self, execution, *, after=None, follow=True, sse=False, headers=None):
        """Yields events as they come, each judged by the contract."""
        response, connection = self.open_events(execution, after=after, follow=follow, sse=sse, headers=headers)
        try:
            assert response.status == 200, (response.status, response.read())
            kind = response.headers["Content-Type"].split(";")[0]
            self.contract.seen.add(("GET", "/v1/executions/{id}/events", 200))
            assert kind == ("text/event-stream" if sse else "application/x-ndjson")
            found = (event for _, event in event_tools.sse(response)) if sse else (json.loads(line) for line in response)
            for event in found:
                self.contract.check_event(event)
                assert event["execution_id"] == execution
                yield event
        finally:
            connection.close()

    def log(self, execution, **more):
        """The whole log, checked."""
        return event_tools.check_log(list(self.follow(execution, **more)))

    def stream(self, execution, **query):
        return self.websocket(f"/v1/executions/{execution}/stream", query)

    def websocket(self, path, query=None, headers=None, **more):
        full = path + ("?" + urllib.parse.urlencode(query) if query else "")
        send = self.credentials() if headers is None else headers
        socket = WebSocket(self.address, full, list(send.items()), self.timeout, tls=self.tls, **more)
        literal, _ = self.contract.route_of(path)
        self.contract.seen.add(("GET", literal, 101))
        return socket

    def frames(self, socket):
        """Yields JSON frames and binary messages until the server closes with 1000."""
        from .websocket import Closed

        while True:
            try:
                message = socket.receive()
            except Closed as end:
                assert end.code == 1000, end
                return
            if isinstance(message, str):
                message = json.loads(message)
                self.contract.check_frame(message)
            yield message

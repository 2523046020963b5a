"""Servers of an earlier release, and their answers in a form in which another release's can be compared with them."""

import base64
import hashlib
import json
import subprocess
import urllib.parse

from .server import Server

# What differs from answer to answer: addresses are signed for a time, and name the port.
VOLATILE = ("url", "url_expires_at", "files_url", "files_url_expires_at", "request_id")
LONGEST, MOST = 200, 60    # characters of a text, and items of a list, that are compared as they are, not by their digest


class Unjudged:
    """In the place of the contract, which is the current release's."""

    def __init__(self):
        self.seen = set()

    def check_answer(self, *_):
        pass

    def check_event(self, _):
        pass

    def check_frame(self, _):
        pass

    def route_of(self, path):
        return path, None


class OlderServer(Server):
    """A server of another binary, `older`. use_current() has the next start take the current one."""

    def __init__(self, folder, older, options=(), env=None):
        super().__init__(folder, Unjudged(), options=options, env=env)
        self.current, self.binary = self.binary, older

    def use_current(self, contract):
        self.binary, self.contract = self.current, contract


def release_of(binary):
    return subprocess.run([str(binary), "--version"], capture_output=True, text=True, check=True).stdout.strip()


def kill(server):
    """kill -9 of the server alone: its sandboxes go on."""
    server.process.kill()
    server.process.wait()
    server.process = None


def digest(content):
    return hashlib.sha256(content).hexdigest()


def comparable(value):
    """A JSON value without what is volatile, and with digests of long texts and lists."""
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        items = [comparable(each) for each in value]
        return items if len(items) <= MOST else f"{len(items)} items, {digest(json.dumps(items).encode())}"
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{len(value)} characters, {digest(value.encode())}"
    return value


def told(api, path, query=None):
    """What a server answers to a GET: status, media type, and its body as JSON, text or a digest."""
    answer = api.get(path, query=query)
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind == "application/json":
        body = comparable(answer.value)
    elif kind == "application/x-ndjson":
        body = [comparable(json.loads(line)) for line in answer.body.splitlines()]
    else:
        body = base64.b64encode(answer.body).decode() if len(answer.body) <= LONGEST else f"{len(answer.body)} bytes, {digest(answer.body)}"
    return {"status": answer.status, "type": kind, "body": body}


def lost(before, now, at=""):
    """Where `now` has not what `before` had: a later release may tell more, but not less or something else."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [found for name, value in before.items() for found in lost(value, now.get(name, "nothing"), f"{at}/{name}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [found for i, value in enumerate(before) for found in lost(value, now[i], f"{at}/{i}")]
    return [] if before == now else [f"{at}: {now!r} instead of {before!r}"]


def paths_of_execution(api, execution):
    """All that can be read of one."""
    base = f"/v1/executions/{execution}"
    files = api.get(f"{base}/artifacts", query={"limit": 200}).value["items"]
    yield base
    yield f"{base}/logs"
    yield f"{base}/events?follow=0"
    yield from (path for path in (f"{base}/input", f"{base}/output") if api.get(path).status == 200)
    yield f"{base}/artifacts"
    for each in files:
        yield f"{base}/artifacts/{urllib.parse.quote(each['path'])}"


def paths_of_thread(api, name):
    base = f"/v1/threads/{name}"
    yield base
    yield f"{base}/export"
    yield f"{base}/checkpoints"
    for each in api.get(f"{base}/checkpoints", query={"limit": 200}).value["items"]:
        yield f"{base}/checkpoints/{each['id']}"
        yield f"{base}/checkpoints/{each['id']}/state"


def paths_of_skills(api):
    yield "/v1/skills"
    for each in api.get("/v1/skills").value:
        base = f"/v1/skills/{each['name']}/{each['version']}"
        yield base
        yield f"{base}/files"
        yield f"{base}/package"

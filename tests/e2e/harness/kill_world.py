"""A server that is killed again and again while clients submit, feed, watch and cancel. Everything that a client learned before a
kill must hold after it."""

import base64
import http.client
import json
import random
import signal
import threading
import time
import urllib.parse

from . import events as tools
from .leaks import reap_orphans
from .waiting import pause, until

# What a call may meet when the server is killed under it.
BROKEN = (OSError, http.client.HTTPException, json.JSONDecodeError)
FINAL = ("success", "failed", "timeout", "cancelled", "interrupted")
LONGEST_RUN_S = 240


class Gone(Exception):
    """The server ended under a call."""


class Run:
    """One submitted program."""

    def __init__(self, number, plan):
        self.number, self.plan = number, plan
        self.id = None    # until a POST was answered
        self.sent = False
        self.events = []    # what its viewer saw
        self.views = 0    # connections over which it saw something


class World:
    def __init__(self, server, seed):
        self.server, self.seed = server, seed
        self.rng = random.Random(seed)
        self.runs, self.threads = [], []
        self.stopping = threading.Event()
        self.failures = []
        self.lost_answers = 0
        self.kills = {}
        self.reattached = 0

    # Calls that may be cut

    def call(self, method, path, body=None):
        """(status, value); Gone if the server was killed under it."""
        api = self.server.api
        connection = http.client.HTTPConnection(*api.address, timeout=60)
        try:
            headers = {**api.credentials(), "Content-Type": "application/json"}
            connection.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        except BROKEN as e:
            raise Gone(str(e)) from e
        finally:
            connection.close()

    def insist(self, method, path, body=None, good=(200, 202), later=(429, 503)):
        """Until it is answered by a server that lives long enough. Any other answer is returned too."""
        deadline = time.monotonic() + LONGEST_RUN_S
        while time.monotonic() < deadline:
            try:
                status, value = self.call(method, path, body)
                if status not in later:
                    return status, value
            except Gone:
                pass
            pause(0.05)
        raise AssertionError(f"{method} {path} was not answered")

    def guard(self, work, *arguments):
        """A thread whose failure fails the test."""

        def body():
            try:
                work(*arguments)
            except Exception as e:
                self.failures.append(f"{work.__name__}{tuple(getattr(a, 'number', a) for a in arguments)}: {type(e).__name__}: {e}")

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        self.threads.append(thread)
        return thread

    # Clients

    def submit(self, plan):
        """One POST; an answer that is lost stays lost, so that nothing is started twice."""
        run = Run(len(self.runs), plan)
        self.runs.append(run)
        self.guard(self.post, run)
        return run

    def post(self, run):
        run.sent = True
        try:
            status, value = self.call("POST", "/v1/executions", run.plan.request(self.labels(run)))
        except Gone:
            self.lost_answers += 1
            return
        assert status == 202, (status, value)
        run.id = value["execution_id"]
        self.accompany(run)

    def labels(self, run):
        return {"seed": str(self.seed), "run": str(run.number)}

    def accompany(self, run):
        if run.plan.stdin:
            self.guard(self.feed, run)
        if run.plan.cancel_after:
            self.guard(self.cancel, run)
        if run.number % 2 == 0 and run.plan.kind != "huge":
            self.guard(self.watch, run)

    def feed(self, run):
        """Gives stdin in pieces, each from where the server says that the sandbox has it."""
        rng = random.Random(f"{self.seed}/{run.number}")
        at, whole, said_end = 0, run.plan.stdin, False
        path = f"/v1/executions/{run.id}/stdin"
        while True:
            piece = whole[at : at + rng.randint(1, 100_000)]
            last = at + len(piece) == len(whole)
            text = base64.b64encode(piece).decode()
            status, value = self.insist("POST", path, {"data": text, "encoding": "base64", "offset": at, "eof": last})
            if status == 409:
                assert last or said_end, value    # the end was taken, and its answer was lost
                return
            said_end = said_end or last
            assert status == 202, (status, value)
            assert at <= value["offset"] <= len(whole), (at, value)
            at = value["offset"]
            if last and at == len(whole):
                return

    def cancel(self, run):
        pause(run.plan.cancel_after)
        status, value = self.insist("POST", f"/v1/executions/{run.id}/cancel")
        assert status in (202, 409), (status, value)    # 409: done already, by a call whose answer was lost; see check_end()

    def watch(self, run):
        """Follows the log to its end over as many connections as it takes."""
        cursor, sse = None, run.number % 4 == 0
        deadline = time.monotonic() + LONGEST_RUN_S
        while time.monotonic() < deadline:
            fresh = True
            try:
                for event in self.events(run.id, cursor, follow=True, sse=sse):
                    run.views += fresh
                    fresh = False
                    cursor = event["cursor"]
                    run.events.append(event)
                    if event["kind"] == "exit":
                        return
            except BROKEN:
                pass
            pause(0.02)
        raise AssertionError("the viewer did not see the end")

    def events(self, execution, after=None, follow=False, sse=False):
        """Events as they come; a cut connection ends them or raises one of BROKEN. Not judged by the contract: that is slow."""
        api = self.server.api
        query = {"follow": "1" if follow else "0", **({"after": after} if after else {})}
        headers = {**api.credentials(), **({"Accept": "text/event-stream"} if sse else {})}
        connection = http.client.HTTPConnection(*api.address, timeout=60)
        try:
            connection.request("GET", f"/v1/executions/{execution}/events?" + urllib.parse.urlencode(query), headers=headers)
            answer = connection.getresponse()
            if answer.status in (429, 503):
                raise http.client.HTTPException("not now")
            assert answer.status == 200, (answer.status, answer.read())
            if sse:
                yield from (event for _, event in tools.sse(answer))
            else:
                for line in answer:
                    if line.endswith(b"\n"):    # else it was cut
                        yield json.loads(line)
        finally:
            connection.close()

    # Kills

    def running(self):
        return self.listed(status="running")

    def listed(self, **query):
        """All records of this world's runs."""
        found, cursor = [], None
        while True:
            want = {"limit": 200, "label": f"seed={self.seed}", "include": "none", **query, **({"cursor": cursor} if cursor else {})}
            status, value = self.insist("GET", "/v1/executions?" + urllib.parse.urlencode(want))
            assert status == 200, value
            found += value["items"]
            cursor = value.get("next_cursor")
            if not cursor:
                return found

    def kill(self, moment, watched=True):
        if watched:
            try:
                _, value = self.call("GET", f"/v1/executions?limit=200&status=running&include=none&label=seed%3D{self.seed}")
                self.reattached += len(value["items"])
            except Gone:
                pass
        process = self.server.process
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.server.process = None
        self.kills[moment] = self.kills.get(moment, 0) + 1
        reap_orphans({process.pid})

    def start(self):
        self.server.start()

    def kill_while_starting(self, delay):
        """True if it was killed before it was ready."""

        def start():
            try:
                self.server.start()
            except AssertionError:
                pass    # it ended before it was ready, as it was to

        thread = threading.Thread(target=start, daemon=True)
        thread.start()
        until(lambda: self.server.process is not None or not thread.is_alive(), 20, "the process")
        pause(delay)
        early = thread.is_alive()
        process = self.server.process
        process.send_signal(signal.SIGKILL)
        process.wait()
        thread.join()
        self.server.process = None
        reap_orphans({process.pid})
        moment = "startup" if early else "just_ready"
        self.kills[moment] = self.kills.get(moment, 0) + 1

    # The end

    def finish(self, seconds):
        """Waits until every client is content and every record is final."""
        deadline = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
        assert not self.failures, "\n".join(self.failures[:10])
        assert not any(thread.is_alive() for thread in self.threads), "a client still waits"
        rest = max(1.0, deadline - time.monotonic())
        until(lambda: not self.listed(status="running") and not self.listed(status="queued"), rest, "the end of every run")

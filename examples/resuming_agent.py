#!/usr/bin/env python3
"""An agent that crashes and resumes: it works a list of words off, and saves its state after each step.

    CAISSON_URL=http://127.0.0.1:8320 CAISSON_API_KEY=... examples/resuming_agent.py THREAD WORD... [--crash-at STEP]

Each step runs a program in a sandbox, and the state that is saved names the execution. Started again, here or on another machine, the agent goes on
behind the last step that was saved: no step is skipped, and none is saved twice. With --crash-at it ends at once, in the middle of that step, as a
power cut would end it. Needs nothing but Python's standard library.
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

URL, KEY = os.environ.get("CAISSON_URL", "http://127.0.0.1:8320"), os.environ.get("CAISSON_API_KEY", "")


def call(method, path, body=None):
    """(status, answer) of one request."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method), timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


class Memory:
    """What the agent knows, kept in a thread."""

    def __init__(self, thread):
        self.path = "/v1/threads/" + urllib.parse.quote(thread, safe="")
        status, latest = call("GET", self.path + "/checkpoints/latest")
        if status not in (200, 404):  # 404: nothing was saved yet
            sys.exit(f"the state cannot be read: {latest['message']}")
        self.latest = latest["id"] if status == 200 else None
        self.state = latest["state"] if status == 200 else {"done": [], "next": 0}

    def save(self, execution):
        """By an id of the step's own, so that a repeat changes nothing, and only behind what this agent knows as the latest."""
        step = self.state["next"]
        body = {"id": f"step-{step}", "state": self.state, "if_latest": self.latest, "execution_id": execution, "metadata": {"step": step}}
        status, answer = call("POST", self.path + "/checkpoints", body)
        if status == 409:
            sys.exit(f"another agent works on this thread: {answer['message']}")
        if status not in (200, 201):
            sys.exit(f"the state cannot be saved: {answer['message']}")
        self.latest = answer["id"]


def work(word):
    """One step: a program of its own for each word. (id of the execution, what it printed)"""
    code = "import sys; print(sys.argv[1].upper())"
    status, run = call("POST", "/v1/executions", {"language": "python", "code": code, "args": [word]})
    if status != 200 or run["status"] != "success":
        sys.exit(f"the step failed: {run.get('message') or run.get('error')}")
    return run["execution_id"], run["stdout"].strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("thread")
    parser.add_argument("words", nargs="+")
    parser.add_argument("--crash-at", type=int, default=0)
    wanted = parser.parse_args()
    memory = Memory(wanted.thread)
    if memory.latest:
        print(f"resumes behind {memory.latest}", flush=True)
    while memory.state["next"] < len(wanted.words):
        execution, result = work(wanted.words[memory.state["next"]])
        if memory.state["next"] + 1 == wanted.crash_at:
            os._exit(70)    # what it did is not saved: the next one does this step again
        memory.state["done"].append(result)
        memory.state["next"] += 1
        memory.save(execution)
        print(f"step {memory.state['next']}: {result}", flush=True)
    print("done:", " ".join(memory.state["done"]))


if __name__ == "__main__":
    main()

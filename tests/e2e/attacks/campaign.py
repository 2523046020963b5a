"""Runs cases in batches, looks at the world after each, and finds the one to blame when something is left behind."""

import base64
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from by_runtime import stays_on
from world import World

AT_ONCE = 8
ROOM = 14  # executions that the server runs at once: both tenants of a batch, and canaries
BAD_WORDS = ("BREACH", "LEAK")


def compiled(source, folder, name):
    """The program of a C source, as bytes."""
    code, program = folder / f"{name}.c", folder / name
    code.write_text(source)
    subprocess.run(["clang-19", "-O1", "-w", "-o", program, code], check=True)
    return program.read_bytes()


class Canary:
    """Another tenant's `echo ok`, again and again while attacks run; none may fail."""

    def __init__(self, api):
        self.api, self.failures, self.count = api, [], 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.loop, daemon=True)

    def loop(self):
        while not self.stop.is_set():
            try:
                record = self.api.run(command=["echo", "ok"])
                if (record["status"], record["stdout"]) != ("success", "ok\n"):
                    self.failures.append((record["status"], record.get("error")))
            except Exception as error:  # whatever it is, a neighbour was disturbed
                self.failures.append(repr(error)[:300])
            self.count += 1
            self.stop.wait(0.1)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join(60)


@dataclass
class Result:
    problems: list = field(default_factory=list)
    outcome: str = ""  # what the record said, for the table


class Campaign:
    def __init__(self, server, canary, folder, runtime="bubblewrap"):
        self.server, self.folder, self.canary, self.runtime = server, folder, canary, runtime
        self.attackers = [server.tenant("mallory"), server.tenant("trudy")]
        self.neighbour = server.tenant("neighbour")
        self.env = {"CANARY": str(canary), "SRV_PORT": str(server.api.address[1])}
        self.results = {}  # (id, pass) -> Result
        self.canaries = 0
        self.programs = {}
        self.rows = []  # of cases that are requests
        self.sizes = []  # of the databases, after each pass of many runs

    def request(self, case):
        out = {"env": {**self.env, **case.more.get("env", {})}, "runtime": self.runtime, "limits": {"wall_ms": 10_000, **case.limits}}
        if case.lang == "sh":
            out["command"] = ["/bin/sh", "-c", case.program]
        elif case.lang == "py":
            out.update(language="python", code=case.program)
        elif case.lang == "c":
            if case.id not in self.programs:
                self.programs[case.id] = compiled(case.program, self.folder, case.id)
            program = base64.b64encode(self.programs[case.id]).decode()
            out.update(shell="chmod +x attack && exec ./attack", files={"attack": {"base64": program}})
        elif case.lang == "compile":
            out.update(command=["cc", "-c", "attack.c"], files={"attack.c": case.program})
        out.update({name: value for name, value in case.more.items() if name != "env"})
        return out

    def judge(self, case, record, api):
        result = Result(outcome=f"{record['verdict']}, {record['status']}")
        said = record["stdout"] + record["stderr"]
        for line in said.splitlines():
            if any(word in line for word in BAD_WORDS) or ("REACHABLE" in line and case.id not in stays_on(self.runtime)):
                result.problems.append(line[:200])
        try:
            case.judge(record, api)
        except (AssertionError, KeyError, IndexError, ValueError) as wrong:
            result.problems.append(f"{type(wrong).__name__}: {wrong}; it said {said[:400]!r}")
        return result

    def attack(self, case):
        """One run, or two at once by different tenants; problems of all."""
        apis = self.attackers if case.twice else self.attackers[:1]
        with ThreadPoolExecutor(len(apis)) as pool:
            records = list(pool.map(lambda api: api.run(**self.request(case)), apis))
        results = [self.judge(case, record, api) for record, api in zip(records, apis)]
        for record, api in zip(records, apis):
            assert api.delete(f"/v1/executions/{record['execution_id']}").status == 204
        return Result([problem for one in results for problem in one.problems], results[0].outcome)

    def guarded(self, case):
        try:
            return self.attack(case)
        except Exception as error:  # a request that failed is a finding too
            return Result([f"the request failed: {error!r}"[:600]], "no answer")

    def together(self, cases):
        """The results of cases that run at the same time."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self.guarded, cases))

    def batch(self, cases):
        """(results, what was left behind) of cases that run at the same time."""
        world = World(self.server, self.canary)
        with Canary(self.neighbour) as canary:
            results = self.together(cases)
        self.canaries += canary.count
        left = world.left_behind()
        if canary.failures:
            left["canary runs"] = canary.failures[:3]
        return results, left

    def blame(self, cases, results, left):
        """Runs each alone; those that leave something behind again are to blame, else all are."""
        if len(cases) == 1:
            results[0].problems.append(f"left behind: {left}")
            return
        found = False
        for case, result in zip(cases, results):
            _, again = self.batch([case])
            if again:
                found = True
                result.problems.append(f"left behind: {again}")
        if not found:
            names = " ".join(case.id for case in cases)
            for result in results:
                result.problems.append(f"left behind by one of {names}: {left}")

    def run(self, cases, number):
        together = [case for case in cases if not case.alone]
        size = AT_ONCE - 1
        batches = [together[at:at + size] for at in range(0, len(together), size)] + [[case] for case in cases if case.alone]
        for cases_ in batches:
            if cases_[0].alone:  # so large that caches grow with it: what counts is that a repeat leaves no more
                self.guarded(cases_[0])
            results, left = self.batch(cases_)
            if left:
                self.blame(cases_, results, left)
            for case, result in zip(cases_, results):
                self.results[case.id, number] = result

    def table(self, cases):
        rows = []
        for case in cases:
            for number in sorted(number for identity, number in self.results if identity == case.id):
                result = self.results[case.id, number]
                rows.append({"case": case.id, "name": case.name, "runtime": self.runtime, "pass": number,
                             "result": "failed" if result.problems else "held", "ended": result.outcome, "problems": result.problems,
                             "stays": case.id in stays_on(self.runtime)})
        return rows

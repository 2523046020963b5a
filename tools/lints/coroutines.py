"""Forms that compilers miscompile or that leave work without an owner; sleeps in tests; lengths of files."""

import io
import tokenize
from pathlib import Path

from cpp_text import Finding, matching, project_files, tokens

LONGEST_FILE = 400
BANNED = {
    "detached": ("detached", "asio::detached leaves work without an owner: use a task_group"),
    "awaitable_operators": ("awaitable-operators", "a bare || waits for a success: use race or with_deadline"),
}
SLEEPS = ("sleep_for", "sleep_until", "usleep", "nanosleep", "sleep")
STATEMENTS = ("if", "while", "switch", "for", "catch")
BLOCK_WORDS = ("else", "do", "try", "const", "noexcept", "override", "final", "mutable")
# What may stand before the [ of a lambda; after a name, ) or ] it is an index.
LAMBDA_AFTER = ("(", ",", "=", "{", "}", ";", ":", "?", "&&", "||", "!", "<", ">", "+", "return", "co_return", "co_await", "co_yield")


class Source:
    def __init__(self, path, text):
        self.path = path
        self.tokens = tokens(text)
        self.partner = matching(self.tokens)
        self.findings = []

    def text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def report(self, at, rule, message):
        self.findings.append(Finding(self.path, self.tokens[at].line, rule, message))

    def is_lambda(self, at):
        """Whether the [ at `at` introduces a lambda (not an index, an attribute or a structured binding)."""
        if self.text(at) != "[" or at not in self.partner or self.text(at + 1) == "[" or self.text(at - 1) == "[":
            return False
        if at > 0 and self.text(at - 1) not in LAMBDA_AFTER:
            return False
        return self.text(self.partner[at] + 1) in ("(", "{", "<", "mutable", "->", "noexcept")

    def lambda_body(self, at):
        """First and last index of the lambda's body, or nothing."""
        here = self.partner[at] + 1
        while here < len(self.tokens) and self.text(here) != "{":
            if self.text(here) in ("(", "["):
                here = self.partner.get(here, here)
            elif self.text(here) in (";", ")", "}", ","):
                return None
            here += 1
        return (here, self.partner[here]) if here in self.partner else None

    def opens_block(self, at):
        """Whether the { at `at` begins a block of statements or a body, not a list of initial values."""
        before = self.text(at - 1)
        if before in ("", ")", "{", "}", ";", ":") or before in BLOCK_WORDS:
            return True
        # A name, ] or > before it: a body if this is a class, a namespace, a trailing return type or a lambda without parameters.
        here = self.before_angles(at - 1)
        while here >= 0 and self.text(here) not in (";", "{", "}", "(", ",", "=", "return", "co_return", "co_await"):
            if self.text(here) in ("->", "namespace", "class", "struct", "enum", "union", "extern", "requires", "concept"):
                return True
            if self.text(here) in (")", "]") and here in self.partner:
                here = self.partner[here]
            here -= 1
        return before == "]" and self.is_lambda(self.partner.get(at - 1, -1))

    def before_angles(self, at):
        """Steps left over template arguments that end at `at`."""
        depth = 0
        while at >= 0 and self.text(at) not in (";", "{", "}"):
            depth += {">": 1, "<": -1}.get(self.text(at), 0)
            if depth == 0:
                break
            at -= 1
        return at

    def statement_start(self, at):
        """Walks left from `at` to where its full expression begins; nothing if a list of initial values encloses it."""
        here = at - 1
        while here >= 0:
            text = self.text(here)
            if text == ";" or (text in ("}", "{") and self.is_boundary(here)):
                return here + 1
            if text == "{":
                return None
            if text == "(" and self.text(here - 1) in STATEMENTS:
                return here + 1
            if text in (")", "]", "}") and here in self.partner:
                here = self.partner[here]
            here -= 1
        return 0

    def is_boundary(self, at):
        return self.opens_block(at if self.text(at) == "{" else self.partner.get(at, at))

    def statement_end(self, at):
        here = at + 1
        while here < len(self.tokens):
            text = self.text(here)
            if text in (";", ")", "]", "}"):
                if text == ")" and self.text(self.partner.get(here, -1) - 1) not in STATEMENTS:
                    here += 1
                    continue
                return here
            if text in ("(", "[", "{") and here in self.partner:
                here = self.partner[here]
            here += 1
        return here


def check_banned(source):
    for at, token in enumerate(source.tokens):
        if token.kind == "word" and token.text in BANNED:
            source.report(at, *BANNED[token.text])


def is_coroutine(source, first, last):
    """Whether the tokens between hold a co_ word that is not inside a lambda of their own."""
    here = first + 1
    while here < last:
        if source.is_lambda(here):
            body = source.lambda_body(here)
            if body:
                here = body[1]
        elif source.text(here) in ("co_await", "co_return", "co_yield"):
            return True
        here += 1
    return False


def check_lambdas(source):
    for at in range(len(source.tokens)):
        if not source.is_lambda(at) or source.partner[at] == at + 1:
            continue
        body = source.lambda_body(at)
        if body and is_coroutine(source, *body):
            source.report(at, "capturing-coroutine", "a lambda that is a coroutine must not capture: its closure dies at the first suspension")


def check_awaits(source):
    for at, token in enumerate(source.tokens):
        if token.text != "co_await" or token.kind != "word":
            continue
        first = source.statement_start(at)
        if first is None:
            source.report(at, "await-form", "co_await inside a braced list: name the value first")
            continue
        check_expression(source, first, source.statement_end(at))
        if source.text(at - 1) == "=" and source.text(at - 2) == "]" and source.text(source.partner.get(at - 2, 0) - 1) in ("auto", "&", "&&"):
            source.report(at, "await-form", "a structured binding straight from a co_await: name the value first")


def check_expression(source, first, last):
    here = first
    while here < last:
        if source.is_lambda(here):
            source.report(here, "await-form", "a lambda in the expression of a co_await: name it first")
            body = source.lambda_body(here)
            here = body[1] if body else here
        elif source.text(here) == "?":
            source.report(here, "await-form", "?: in the expression of a co_await: choose before")
        elif source.text(here) == "{" and not source.opens_block(here):
            source.report(here, "await-form", "braces in the expression of a co_await: name the value first")
        here += 1


def check_sleeps(source):
    if not source.path.startswith("tests/"):
        return
    for at, token in enumerate(source.tokens):
        if token.kind == "word" and token.text in SLEEPS and source.text(at + 1) == "(" and source.text(at - 1) not in (".",):
            source.report(at, "sleep", "tests do not sleep: give time as an argument, or wait for the event itself")


def check_text(path, text):
    """All findings of one C++ file."""
    source = Source(path, text)
    check_banned(source)
    check_lambdas(source)
    check_awaits(source)
    check_sleeps(source)
    return source.findings + check_length(path, text)


def check_length(path, text):
    lines = text.count("\n")
    if lines <= LONGEST_FILE:
        return []
    return [Finding(path, lines, "length", f"{lines} lines; split it (at most {LONGEST_FILE})")]


def check_python(path, text):
    """Python tests wait in one place, tests/e2e/harness/waiting.py, which looks at the condition between its pauses."""
    findings = check_length(path, text)
    if not path.startswith("tests/") or path.endswith("harness/waiting.py"):
        return findings
    words = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type in (tokenize.NAME, tokenize.OP)]
    for before, dot, name in zip(words, words[1:], words[2:]):
        if before.string in ("time", "asyncio") and dot.string == "." and name.string == "sleep":
            findings.append(Finding(path, name.start[0], "sleep", "tests do not sleep: use harness.waiting"))
    return findings


def check(root):
    findings = []
    for name in project_files(root, (".cpp", ".hpp")):
        findings += check_text(name, (Path(root) / name).read_text(encoding="utf-8", errors="replace"))
    for name in project_files(root, (".py",)):
        findings += check_python(name, (Path(root) / name).read_text(encoding="utf-8", errors="replace"))
    return findings

"""Names that two sources of a folder define for themselves alone. Builds compile several sources of a folder as one
(CMAKE_UNITY_BUILD in CMakePresets.json), and then they are one name with two meanings.

usage: names.py --apart MOST SOURCE...

  Prints "N SOURCE" for each: sources of one N, at most MOST, have no such name in common.
"""

import sys
from pathlib import Path

from cpp_text import CLOSES, OPENS, Finding, matching, project_files, tokens

FOLDERS = ("adapters/", "app/", "core/", "storage/")  # bench/ and fuzz/ are programs of a source or two; of tests/ only those are compiled as one that can be
TYPES = ("struct", "class", "union", "enum")
ADVICE = "give the two one home, or else each a more precise name"
OVERLOADED = ("PrintTo",)  # of tests: one for each type


class Reader:
    """What one source defines in unnamed namespaces, by its enclosing namespaces and its name."""

    def __init__(self, text):
        self.tokens = [t for t in tokens(text) if t.kind != "directive"]
        self.partner = matching(self.tokens)
        self.found = {}  # (namespaces, name) -> (line, what says that two of them are the same alias)
        self.scope(0, len(self.tokens), "", False)

    def text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def scope(self, at, end, path, unnamed):
        while at < end:
            at = self.declaration(at, end, path, unnamed)

    def declaration(self, at, end, path, unnamed):
        """Reads one that begins at `at`; returns where the next one begins."""
        first = self.text(at)
        if first == "inline" and self.text(at + 1) == "namespace":
            at, first = at + 1, "namespace"
        if first == "namespace":
            return self.namespace(at, end, path, unnamed)
        if first == "template":
            return self.declaration(self.after_angles(at + 1), end, path, unnamed)
        if first in ("using", "typedef", "static_assert", "extern") or first in OPENS or first == ";":
            return self.short(at, end, path, unnamed)
        return self.thing(at, end, path, unnamed)

    def namespace(self, at, end, path, unnamed):
        opening = at + 1
        while opening < end and self.text(opening) not in ("{", "=", ";"):
            opening += 1
        if self.text(opening) != "{":
            return self.after_semicolon(opening, end)
        name = "".join(t.text for t in self.tokens[at + 1 : opening])
        self.scope(opening + 1, self.partner[opening], path + "::" + name if name else path, unnamed or not name)
        return self.partner[opening] + 1

    def short(self, at, end, path, unnamed):
        if self.text(at) == "extern" and self.text(at + 2) == "{":
            self.scope(at + 3, self.partner[at + 2], path, unnamed)
            return self.partner[at + 2] + 1
        after = max(self.after_semicolon(at, end), at + 1)
        if unnamed and self.text(at) == "using" and self.text(at + 2) == "=":
            self.keep(path, at + 1, " ".join(t.text for t in self.tokens[at:after]))
        return after

    def thing(self, at, end, path, unnamed):
        """A type, a variable or a function."""
        head, kind, own = at, "", unnamed
        while at < end:
            here = self.text(at)
            if here in TYPES and not kind:
                kind = here
                at += 2 if self.text(at + 1) in ("class", "struct") else 1
                at = self.partner[at] + 1 if self.text(at) == "[" else at
                if own and self.text(at + 1) in ("{", ":", "final"):
                    self.keep(path, at)
            elif here == "static":
                own = True
            elif here == "<" and self.tokens[at - 1].kind == "word":
                at = self.after_angles(at) - 1
            elif here == "[" and at in self.partner and (at == head or self.text(at + 1) == "["):
                at = self.partner[at]
            elif here == "(" and self.text(at - 1) not in ("decltype", "alignas", "noexcept"):
                self.name_before(at, path, own)
                return self.after_function(self.partner.get(at, at) + 1, end)
            elif here in ("=", ";", "{", "["):
                if kind and here == "{":
                    return self.after_semicolon(self.partner[at], end)
                if not kind:
                    self.name_before(at, path, own)
                return self.after_semicolon(at, end)
            elif here in CLOSES:
                at = self.partner.get(at, at)
            at += 1
        return at

    def name_before(self, at, path, own):
        if own and self.tokens[at - 1].kind == "word" and self.text(at - 2) not in ("::", "operator") and self.text(at - 1) != "operator":
            self.keep(path, at - 1)

    def keep(self, path, at, alias=""):
        if not self.text(at).isupper():  # a macro's, such as TEST
            self.found.setdefault((path, self.text(at)), (self.tokens[at].line, alias))

    def after_angles(self, at):
        depth = 0
        while at < len(self.tokens):
            depth += {"<": 1, ">": -1}.get(self.text(at), 0)
            at = self.partner.get(at, at) if self.text(at) in CLOSES else at
            at += 1
            if depth <= 0:
                return at
        return at

    def after_semicolon(self, at, end):
        while at < end and self.text(at) != ";":
            at = self.partner.get(at, at) if self.text(at) in CLOSES else at
            at += 1
        return at + 1

    def after_function(self, at, end):
        """After its parameters: what qualifies it, members that a constructor sets, then a body or a semicolon."""
        setting = False
        while at < end:
            here = self.text(at)
            setting = setting or here == ":"
            if here == ";":
                return at + 1
            if here == "{" and not (setting and self.tokens[at - 1].kind == "word"):
                return self.partner[at] + 1
            at = (self.partner.get(at, at) if here in CLOSES else at) + 1
        return at


def own_names(text):
    """(enclosing namespaces, name) to (line, text of an alias) of what `text` keeps to itself."""
    return Reader(text).found


def disagree(some, others):
    """Whether a name stands for two things; both map it to the text of its alias, or to nothing."""
    return any(key in others and not (alias and alias == others[key]) for key, alias in some.items())


def apart(sources, most, hiding=True):
    """Parts of `sources`, at most `most` in each, in which no name is defined twice: they can be compiled as one. With `hiding` none
    occurs in another at all, where it may be a local name that hides the first."""
    parts = []
    for path in sources:
        text = Path(path).read_text(encoding="utf-8")
        own = {key: alias for key, (_, alias) in own_names(text).items() if key[1] not in OVERLOADED}
        words = {t.text for t in tokens(text) if t.kind == "word"} if hiding else set()
        fitting = (part for part in parts if len(part[0]) < most and not disagree(own, part[1]) and not hides(own, part[2]) and not hides(part[1], words))
        place = next(fitting, None)
        if place is None:
            parts.append(place := ([], {}, set()))
        place[0].append(path)
        place[1].update(own)
        place[2].update(words)
    return [part[0] for part in parts]


def hides(own, words):
    return any(name in words for _, name in own)


def clashes(sources):
    """Of sources that are compiled as one, path to text: findings, each where a name is defined again."""
    first, findings = {}, []
    for path, text in sorted(sources.items()):
        for key, (line, alias) in own_names(text).items():
            path_there, line_there, alias_there = first.setdefault(key, (path, line, alias))
            if path_there != path and not (alias and alias == alias_there):
                message = f"`{key[1]}` is defined in {path_there}:{line_there} too, and release compiles the two as one: {ADVICE}"
                findings.append(Finding(path, line, "same-name", message))
    return findings


def check(root):
    folders = {}
    for name in project_files(root, (".cpp",)):
        if name.startswith(FOLDERS):
            folders.setdefault(str(Path(name).parent), {})[name] = (Path(root) / name).read_text(encoding="utf-8")
    return [finding for _, sources in sorted(folders.items()) for finding in clashes(sources)]


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] != "--apart":
        sys.exit(__doc__)
    for number, part in enumerate(apart(sys.argv[3:], int(sys.argv[2]))):
        for each in part:
            print(number, each)

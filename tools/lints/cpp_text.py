"""What the text lints share: C++ sources as tokens, without comments and without the insides of literals."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<number>\d(?:'?[\w.])*)
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>->|::|<=>|&&|\|\||<<|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Token:
    kind: str  # word, sign, string, number, char, directive
    text: str
    line: int


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


def tokens(text):
    """All tokens but comments; string and character literals are emptied."""
    found = []
    line = 1
    for match in TOKEN.finditer(text):
        piece = match.group()
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind in ("raw", "string"):
            found.append(Token("string", '""', line))
        elif kind == "char":
            found.append(Token("char", "''", line))
        elif kind == "directive":
            found.append(Token("directive", piece.strip(), line))
        elif kind != "comment" and not piece.isspace():
            found.append(Token(kind, piece, line))
        line += piece.count("\n")
    return found


CLOSES = {"(": ")", "[": "]", "{": "}"}
OPENS = {close: open_ for open_, close in CLOSES.items()}


def matching(found):
    """Index of the partner of each bracket."""
    partner = {}
    stack = []
    for at, token in enumerate(found):
        if token.kind != "sign":
            continue
        if token.text in CLOSES:
            stack.append(at)
        elif token.text in OPENS and stack and CLOSES[found[stack[-1]].text] == token.text:
            partner[at] = stack.pop()
            partner[partner[at]] = at
    return partner


def project_files(root, suffixes):
    """The project's own files, tracked or new, as paths relative to `root`."""
    try:
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [str(path.relative_to(root)) for path in Path(root).rglob("*")]
    return sorted({name for name in listed if name.endswith(suffixes) and (Path(root) / name).is_file()})

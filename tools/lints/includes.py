"""The arrows between folders, as docs/architecture.md draws them: who may include what."""

import re
from pathlib import Path

from cpp_text import Finding, project_files, tokens

ROOTS = ("app/", "adapters/", "core/", "storage/", "tests/", "bench/", "fuzz/")
# Types, ports, and rules: what decides without any state.
PORTS = re.compile(r"core/[a-z_]+/(types|ports|events|errors|[a-z]+_rules)\.hpp$")
# Interfaces that carry another name than ports.hpp because the agent shares them.
LINK_PORTS = ("core/protocol/agent_link.hpp", "core/protocol/byte_stream.hpp", "core/protocol/collect_stream.hpp")
# Rules without I/O that the agent, the executions and the wire share.
SHARED_RULES = ("core/files/patterns.hpp", "core/files/media_types.hpp", "core/skills/quantities.hpp")

# A library's headers, and the folders that may include them.
OUTSIDE = [
    (re.compile(r"^boost/beast"), ("adapters/net/", "core/third_party/")),
    (re.compile(r"^(sqlite3|zstd)\.h"), ("storage/",)),
    (re.compile(r"^seccomp\.h"), ("adapters/",)),
    (re.compile(r"^openssl/"), ("adapters/crypto/", "adapters/net/")),
    (re.compile(r"^(archive|archive_entry|zlib)\.h"), ("adapters/archive/",)),
    (re.compile(r"^yaml-cpp/"), ("adapters/yaml/", "app/")),
    (re.compile(r"^re2/"), ("adapters/schema/",)),
    (re.compile(r"^utf8proc\.h"), ("core/skills/",)),
    (re.compile(r"^(spdlog|toml\+\+|CLI|fmt)/"), ("app/",)),
]
# Which folders of storage may use which, and what the build makes for all of them.
STORAGE_BELOW = {
    "storage/content/": ("storage/sqlite/",),
    "storage/stores/": ("storage/sqlite/", "storage/content/"),
    "storage/check/": ("storage/sqlite/", "storage/content/"),
}
EMBEDDED = ("storage/sql.hpp", "storage/migrations.hpp")
SELF_CONTAINED = ("app/agent/", "app/launch/")  # executables that link none of the server's libraries


def starts(path, *folders):
    return path.startswith(folders)


def is_port(header):
    return bool(PORTS.search(header)) or header in LINK_PORTS


def own_folder(path):
    """adapters/host/cgroup/x.cpp -> adapters/host/, core/exec/collect/x.cpp -> core/exec/, storage/check/x.cpp -> storage/check/."""
    return "/".join(path.split("/")[:2]) + "/"


def allowed(path, header):
    """Whether `path` may include the project's `header`."""
    if starts(path, "tests/", "bench/", "fuzz/"):
        return True
    if starts(header, "tests/", "bench/", "fuzz/"):
        return False
    own = own_folder(path)
    if header.startswith(own):
        return True
    if header in SHARED_RULES and starts(path, "app/agent/", "core/", "adapters/"):
        return True
    if starts(path, "app/agent/"):
        return starts(header, "core/base/", "core/protocol/")
    if starts(path, "app/launch/"):
        return starts(header, "core/base/", "adapters/host/") or header == "app/agent/entry.hpp"
    if starts(path, "app/"):
        return not starts(header, *SELF_CONTAINED)
    if starts(header, "app/"):
        return False
    if starts(path, "storage/"):
        below = STORAGE_BELOW.get(own, ("storage/",))    # the sources of storage/ itself use all folders
        return starts(header, *below, "core/base/", "core/async/") or header in EMBEDDED or is_port(header)
    if starts(header, "storage/"):
        return False
    if starts(path, "adapters/"):
        near = ("core/base/", "core/async/", "core/runtime/", "core/protocol/", "adapters/net/", "adapters/host/")
        return starts(header, *near) or is_port(header) or (own == "adapters/containers/" and starts(header, "adapters/engine/"))
    if starts(header, "adapters/"):
        return False
    if starts(path, "core/base/"):
        return False
    if starts(path, "core/async/"):
        return starts(header, "core/base/")
    if starts(path, "core/exec/") and starts(header, "core/log/", "core/languages/", "core/admission/", "core/sandbox/", "core/pool/"):
        return True
    if starts(path, "core/pool/") and starts(header, "core/sandbox/"):
        return True
    return starts(header, "core/base/", "core/async/", "core/fairness/", "core/retry/") or is_port(header)


def outside_problem(path, header):
    for pattern, folders in OUTSIDE:
        if pattern.search(header) and not starts(path, *folders, "tests/", "bench/", "fuzz/"):
            return f"<{header}> belongs in {' or '.join(folders)} only"
        if pattern.search(header) and starts(path, *SELF_CONTAINED):
            return f"<{header}> is not for an executable that must stay small"
    return None


def check_text(path, text):
    findings = []
    for token in tokens(text):
        match = re.match(r'#\s*include\s*([<"])([^>"]+)[>"]', token.text) if token.kind == "directive" else None
        if not match:
            continue
        quoted, header = match.group(1) == '"', match.group(2)
        problem = None
        if not quoted:
            problem = f'write "{header}" with quotes' if header.startswith(ROOTS) else outside_problem(path, header)
        elif "./" in header or not header.startswith(ROOTS):
            problem = f'"{header}" is not a path from the root of the project'
        elif not allowed(path, header):
            problem = f'{own_folder(path)} may not include "{header}"'
        if problem:
            findings.append(Finding(path, token.line, "include-arrow", problem))
    return findings


def check(root):
    findings = []
    for name in project_files(root, (".cpp", ".hpp")):
        findings += check_text(name, (Path(root) / name).read_text(encoding="utf-8", errors="replace"))
    return findings

"""Instructions of the hot paths, counted by callgrind in bench-counts: the same on a busy machine as on an idle one."""

import os
import re
import tempfile
from pathlib import Path

from processes import Failed, run

# Without what the C library chooses by the processor, and without string instructions, which are one or many as one counts.
SAME_EVERYWHERE = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM"}
COUNTED = "caisson_counted"


def per_path(built):
    """Name of each path to the instructions of going along it once."""
    with tempfile.TemporaryDirectory(prefix="counts-") as made:
        work = Path(made)
        argv = ["/usr/bin/valgrind", "--tool=callgrind", f"--callgrind-out-file={work / 'out'}", f"--zero-before={COUNTED}", f"--dump-after={COUNTED}",
                built / "bench-counts", "--dir", work / "data"]
        printed, _ = run(argv, timeout=300, env={**os.environ, **SAME_EVERYWHERE})
        paths = [line.split() for line in printed.splitlines()]
        dumps = sorted(work.glob("out.*"), key=lambda path: int(path.suffix[1:]))
        if not paths or len(paths) != len(dumps):
            raise Failed(f"callgrind wrote {len(dumps)} counts of {len(paths)} paths")
        return {name: total(dump) / int(times) for (name, times), dump in zip(paths, dumps)}


def total(dump):
    return int(re.search(r"^summary: (\d+)", dump.read_text(), re.MULTILINE).group(1))

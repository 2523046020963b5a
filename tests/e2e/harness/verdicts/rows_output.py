"""Output: its limit, what of it is kept, and where it goes."""

from .row import End, Row, python, shell

LIMIT = {"max_output_bytes": 4_096}
WRITE = "import os, sys\nfor stream, count in zip((1, 2), sys.argv[1:]): os.write(stream, b'x' * int(count))"
WRITE_AND_STAY = WRITE + "\nimport time\nif len(sys.argv) > 3: time.sleep(600)"


def written(out, err=0):
    return {"output_bytes": (out + err, out + err)}


def cut_is(truncated):
    """Little past the limit nothing is missing: the newest bytes are kept too."""

    def look(_, record):
        assert record["stdout_truncated"] is truncated, record["stdout_truncated"]

    return look


ROWS = [
    Row("output_none", {"command": ["true"]}, End(usage=written(0))),
    Row("output_exactly_met", python(WRITE, 4_096, limits=LIMIT), End(stdout="x" * 4_096, usage=written(4_096), look=cut_is(False))),
    Row("output_one_past", python(WRITE, 4_097, limits=LIMIT),
        End(stdout="x" * 4_097, hit=["output"], usage=written(4_097), look=cut_is(False))),
    Row("output_middle_cut", python(WRITE, 2_000_000, limits=LIMIT), End(stdout=None, hit=["output"], usage=written(2_000_000), look=cut_is(True))),
    Row("output_of_both_streams_exactly_met", python(WRITE, 3_000, 1_096, limits=LIMIT),
        End(stdout="x" * 3_000, stderr="x" * 1_096, usage=written(3_000, 1_096))),
    Row("output_of_both_streams_one_past", python(WRITE, 3_000, 1_097, limits=LIMIT),
        End(stdout="x" * 3_000, stderr="x" * 1_097, hit=["output"], usage=written(3_000, 1_097))),
    Row("output_exactly_met_is_not_killed", python(WRITE, 4_096, limits=LIMIT, on_output_limit="kill"),
        End(stdout="x" * 4_096, usage=written(4_096))),
    Row("output_one_past_is_killed", python(WRITE_AND_STAY, 4_097, 0, "stay", limits=LIMIT, on_output_limit="kill"),
        End("output_limit", signal=9, stdout="x" * 4_097, hit=["output"], error="limits.max_output_bytes (4096 bytes)", usage=written(4_097))),
    Row("output_of_both_streams_is_killed", python(WRITE_AND_STAY, 3_000, 3_000, "stay", limits=LIMIT, on_output_limit="kill"),
        End("output_limit", signal=9, stdout="x" * 3_000, stderr="x" * 3_000, hit=["output"], usage=written(3_000, 3_000))),
    Row("output_without_end_is_killed", shell("exec yes", limits={**LIMIT, "wall_ms": 60_000}, on_output_limit="kill"),
        End("output_limit", signal=9, stdout=None, hit=["output"])),
    Row("output_of_a_terminal", shell("echo out; echo err >&2; exit 3", pty={"cols": 80, "rows": 24}),
        End(exit=3, stdout="out\r\nerr\r\n", usage=written(10))),
    Row("output_of_a_terminal_is_killed", shell("exec yes", limits={**LIMIT, "wall_ms": 60_000}, on_output_limit="kill", pty={}),
        End("output_limit", signal=9, stdout=None, hit=["output"])),
    Row("output_closed_early", shell("echo before; exec 1>&-; echo rest >&2; exit 5"), End(exit=5, stdout="before\n", stderr="rest\n")),
    Row("output_closed_and_on_it_goes", shell("exec 1>&- 2>&-; sleep 0.5; exit 6"), End(exit=6, usage={"wall_ms": (500, 30_000)})),
    Row("output_of_a_daemon_after_the_leader", shell("(sleep 600; echo late) & echo leader"), End(stdout="leader\n", usage=written(7))),
    Row("output_before_its_own_kill", shell("head -c 100000 /dev/zero | tr '\\0' k; kill -KILL $$", limits={}),
        End("signaled", signal=9, stdout="k" * 100_000, usage=written(100_000))),
]

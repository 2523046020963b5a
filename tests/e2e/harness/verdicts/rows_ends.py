"""Ends of its own: exits, signals, and starts that fail. None of them is a limit, whatever the number."""

import re

from .row import End, Row, python, shell

LARGE = "a" * 120_000
NOT_THERE = "No such file or directory"
LATE = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nprint('left')"


def not_started(what):
    return End("runtime_error", error="the program could not be started: " + what, usage={"output_bytes": (0, 0)})


ROWS = [
    Row("exit_0", {"command": ["true"]}, End(exit=0)),
    Row("exit_1", {"command": ["false"]}, End(exit=1, error="exited with code 1")),
    Row("exit_137", shell("exit 137"), End(exit=137)),
    Row("exit_143", shell("exit 143"), End(exit=143)),
    Row("exit_255", shell("exit 255"), End(exit=255)),
    Row("exit_of_a_killed_child", shell("sh -c 'kill -KILL $$'; exit $?"), End(exit=137, stderr=None)),
    Row("kills_itself", shell("echo before; kill -KILL $$"), End("signaled", signal=9, stdout="before\n", error="signal 9")),
    Row("terminates_itself", shell("kill -TERM $$"), End("signaled", signal=15)),
    Row("aborts", python("import os; os.abort()"), End("signaled", signal=6, stderr=None)),
    Row("segmentation_fault", python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), End("signaled", signal=11, stderr=None)),
    Row("time_signal_of_its_own", shell("kill -XCPU $$"), End("signaled", signal=24)),
    Row("killed_by_its_child", python("import os, time\nif os.fork() == 0: os.kill(os.getppid(), 9)\nelse: time.sleep(600)"), End("signaled", signal=9)),
    Row("daemon_left_behind", python(LATE), End(stdout="left\n", usage={"wall_ms": (0, 30_000)})),
    Row("deaf_daemon_left_behind", shell("(trap '' TERM HUP INT; exec setsid sleep 600) & echo left"), End(stdout="left\n")),
    Row("missing_program", {"command": ["no-such-program"]}, not_started(f'"no-such-program": {NOT_THERE}')),
    Row("missing_path", {"command": ["/usr/bin/no-such-program"]}, not_started(f'"/usr/bin/no-such-program": {NOT_THERE}')),
    Row("not_executable", {"command": ["./f"], "files": {"f": "#!/bin/sh\necho no\n"}}, not_started('"./f": Permission denied')),
    Row("directory_as_program", {"command": ["/usr"]}, not_started('"/usr": Permission denied')),
    Row("missing_directory", {"command": ["true"], "cwd": "not/there"}, not_started(f'the directory "not/there": {NOT_THERE}')),
    Row("missing_interpreter", shell("printf '#!/not/there\\n' > f; chmod +x f; exec ./f"),
        [End(exit=126, stderr=re.compile(r"(?s).*interpreter.*")), End(exit=127, stderr=re.compile(r"(?s).*not found.*"))]),
    Row("script_without_an_interpreter", shell("printf 'echo by the shell; exit 4\\n' > f; chmod +x f; exec ./f"), End(exit=4, stdout="by the shell\n")),
    Row("large_argument", python("import sys; print(len(sys.argv[1]))", LARGE), End(stdout="120000\n")),
    Row("large_environment", shell("printf %s \"$LARGE\" | wc -c", env={"LARGE": LARGE}), End(stdout="120000\n")),
    Row("many_arguments", {"command": ["python3", "-c", "import sys; print(len(sys.argv))", *["a"] * 4_000]}, End(stdout="4001\n")),
]

"""Programs that tests run in sandboxes and pace by their input."""

# Prints in steps that the test paces through stdin.
PACED = """
import sys
for i in range(int(sys.argv[1])):
    print(f"line {i} é", flush=True)
    print(f"error {i}", file=sys.stderr, flush=True)
    sys.stdin.readline()
"""


def paced(api, steps):
    return api.start(language="python", code=PACED, args=[str(steps)], stdin_open=True)

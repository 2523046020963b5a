"""The one place where tests wait: for a condition, to a deadline."""

import time

PAUSE_S = 0.02


class TimedOut(AssertionError):
    pass


def until(condition, seconds=20.0, what=None):
    """Returns the first true value of condition(); fails when `seconds` are over."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimedOut(f"not within {seconds} s: {what or condition}")
        time.sleep(PAUSE_S)


def pause(seconds):
    """Lets a moment pass that was chosen at random, or something work. No check may depend on its length."""
    time.sleep(seconds)

"""Where the CPU seconds of a piece of work go, by the functions it passes through."""

import contextlib
import time
from unittest import mock

REST = "rest"


@contextlib.contextmanager
def measured(places):
    """Measure how CPU seconds divide among parts while the block runs.

    Parameters
    ----------
    places : dict from str to list of (owner, name)
        Functions of each part; seconds count for the innermost part that is running, else for "rest".

    Yields
    ------
    dict from str to float
        CPU seconds, complete when the block ends.
    """
    seconds, running, since = dict.fromkeys([*places, REST], 0.0), [REST], [time.process_time()]

    def switch():
        now = time.process_time()
        seconds[running[-1]] += now - since[0]
        since[0] = now

    def timed(function, label):
        def call(*args, **options):
            switch()
            running.append(label)
            try:
                return function(*args, **options)
            finally:
                switch()
                running.pop()

        return call

    with contextlib.ExitStack() as stack:
        for label, functions in places.items():
            for owner, name in functions:
                stack.enter_context(mock.patch.object(owner, name, timed(getattr(owner, name), label)))
        yield seconds
        switch()


def as_line(seconds):
    """The shares in percent, in their order."""
    total = sum(seconds.values()) or 1.0
    return "ours goes to: " + ", ".join(f"{name} {100 * part / total:.0f} %" for name, part in seconds.items())


def verdict(ratio, aim):
    """How a ratio stands to what it was to be."""
    return f"aim at least {aim:g}: {'reached' if ratio >= aim else 'missed'}"

"""Progress of a long loop: items per second, share done and time left, in the log."""

import logging
import time


class Progress:
    """Report progress at most every `every` seconds.

    Parameters
    ----------
    unit : str
        What is counted, in the plural ("sentences").
    total : int or None
        How many there are, when it is known.
    """

    def __init__(self, unit, total=None, every=10.0):
        self.unit, self.total, self.every = unit, total, every
        self.done = 0
        self.started = self.last = time.monotonic()

    def add(self, n=1):
        """Count `n` more items and report when it is time."""
        self.done += n
        now = time.monotonic()
        if now - self.last >= self.every:
            self.last = now
            logging.info(self.line(now))

    def line(self, now=None):
        """The report as one line."""
        seconds = max((now or time.monotonic()) - self.started, 1e-9)
        rate = self.done / seconds
        text = f"{self.done:,} {self.unit}, {rate:,.0f}/s"
        if self.total:
            left = (self.total - self.done) / rate if rate else float("inf")
            text += f", {100 * self.done / self.total:.0f} %, {left:,.0f} s left"
        return text

    def close(self):
        """Report the end."""
        logging.info("done: %s in %.1f s", self.line(), time.monotonic() - self.started)

"""Run Snakemake and show its progress: one line per stage with the share done, and the time left.

All arguments go to Snakemake. Its own messages go to a log file; when it fails, their end is shown.
"""

import collections
import pathlib
import re
import signal
import subprocess
import sys
import time

STARTED = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$")
FINISHED = re.compile(r"^Finished jobid: \d+ \(Rule: (\w+)\)")
STEPS = re.compile(r"^\d+ of (\d+) steps")
COUNTED = re.compile(r"^(\w+) +(\d+)$")
TAIL_LINES = 80


def stages_of_rules(folder):
    """The stage (file name) of every rule below `folder`, in the order of the Snakefile's includes."""
    order = re.findall(r'include: "rules/(\w+)\.smk"', pathlib.Path("Snakefile").read_text(encoding="utf-8"))
    stages = {}
    for stage in order:
        text = (folder / f"{stage}.smk").read_text(encoding="utf-8")
        stages.update(dict.fromkeys(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.M), stage))
    return stages


class Board:
    """Counts planned, running and finished jobs by stage from Snakemake's messages."""

    def __init__(self, stages):
        self.stages = stages
        self.planned, self.running, self.finished = (collections.Counter() for _ in range(3))
        self.starts, self.seconds = collections.defaultdict(list), collections.defaultdict(list)
        self.in_table = False
        self.total = 0
        self.nothing_to_do = False

    def read(self, line, now):
        """Take one message; True when the board changed."""
        text = line.strip()
        if text.startswith("Job stats:"):
            self.in_table, self.planned = True, collections.Counter()
        elif self.in_table and (match := COUNTED.match(text)):
            name, count = match[1], int(match[2])
            self.in_table = name != "total"
            if name in self.stages:
                self.planned[name] += count
        elif match := STEPS.match(text):
            self.total = int(match[1])
        elif "Nothing to be done" in text:
            self.nothing_to_do = True
        elif match := STARTED.match(text):
            self._start(match[1], now)
            return True
        elif match := FINISHED.match(text):
            self._finish(match[1], now)
            return True
        return False

    def _start(self, rule, now):
        if rule in self.stages:
            self.running[rule] += 1
            self.starts[rule].append(now)

    def _finish(self, rule, now):
        if rule in self.stages and self.running[rule]:
            self.running[rule] -= 1
            self.finished[rule] += 1
            self.seconds[rule].append(now - self.starts[rule].pop(0))

    def seconds_left(self, cores):
        """A guess: jobs left of each rule times the mean time of that rule, or of all rules, over the cores.

        None before a job has finished.
        """
        seen = [value for values in self.seconds.values() for value in values]
        if not seen:
            return None
        mean = sum(seen) / len(seen)
        left = 0.0
        for rule, planned in self.planned.items():
            own = self.seconds[rule]
            left += max(planned - self.finished[rule], 0) * (sum(own) / len(own) if own else mean)
        return left / cores

    def lines(self):
        """One line per stage that has jobs."""
        by_stage = collections.defaultdict(lambda: [0, 0, 0])
        for rule in self.stages:
            for column, counter in enumerate((self.planned, self.running, self.finished)):
                by_stage[self.stages[rule]][column] += counter[rule]
        for stage, (planned, running, finished) in by_stage.items():
            planned = max(planned, running + finished)
            if planned:
                bar = "#" * round(20 * finished / planned)
                yield f"{stage:<12} [{bar:<20}] {finished:>3}/{planned:<3}" + (f" {running} running" if running else "")


def show(board, started, cores, interactive, height):
    """Draw the board in place on a terminal, else as one line of text; give back the lines drawn."""
    elapsed = time.monotonic() - started
    left = board.seconds_left(cores)
    clock = f"{elapsed:.0f} s so far" + ("" if left is None else f", about {left:.0f} s left")
    lines = list(board.lines())
    if interactive:
        sys.stdout.write(f"\x1b[{height}F\x1b[J" if height else "")
        sys.stdout.write("\n".join([*lines, clock]) + "\n")
    else:
        done = sum(board.finished.values())
        planned = max(board.total, sum(board.planned.values()))
        running = ", ".join(sorted(rule for rule, count in board.running.items() if count))
        sys.stdout.write(f"{done}/{planned} jobs, {clock}" + (f"; running: {running}" if running else "") + "\n")
    sys.stdout.flush()
    return len(lines) + 1


def main(arguments):
    """Run Snakemake with `arguments`; give back its exit code."""
    cores = next((int(b) for a, b in zip(arguments, arguments[1:], strict=False) if a == "--cores" and b.isdigit()), 2)
    board, started, height, last = Board(stages_of_rules(pathlib.Path("rules"))), time.monotonic(), 0, 0.0
    log = pathlib.Path("results") / "snakemake.log"
    log.parent.mkdir(exist_ok=True)
    interactive = sys.stdout.isatty()
    tail = collections.deque(maxlen=TAIL_LINES)
    with open(log, "w", encoding="utf-8") as messages:
        process = subprocess.Popen(
            ["snakemake", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        for line in process.stdout:
            messages.write(line)
            messages.flush()
            tail.append(line)
            now = time.monotonic()
            if board.read(line, now) and (interactive or now - last > 5):
                last, height = now, show(board, started, cores, interactive, height)
        code = process.wait()
    if code:
        sys.stdout.write("".join(tail))
        print(f"error: Snakemake stopped with exit code {code}; all its messages: {log}")
    elif board.nothing_to_do:
        print("Nothing to be done: everything is up to date.")
    else:
        show(board, started, cores, interactive, height)
        print(f"done in {time.monotonic() - started:.0f} s; messages: {log}")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

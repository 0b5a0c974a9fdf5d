"""What a job costs: the median of earlier benchmark files, else the table of defaults."""

import csv
import dataclasses
import json
import pathlib
import re
import statistics

from workflow_scripts.common.errors import UsageError

COLUMNS = ["rule", "match", "release", "device", "per", "minutes", "cores", "source"]
DEMO_RUN = "demo"


@dataclasses.dataclass(frozen=True)
class Cost:
    """Cost of one job: wall minutes, mean number of busy cores, and where that is from.

    `measured` is the number of benchmark files behind the median, 0 for a default.
    """

    minutes: float
    cores: float
    source: str
    measured: int


@dataclasses.dataclass(frozen=True)
class Default:
    """A row of experiments/costs.tsv; `match` is searched in the path of the job's benchmark file."""

    rule: str
    match: str
    release: str
    device: str
    per: str
    minutes: float
    cores: float
    source: str

    def fits(self, rule, path, release, device):
        """Whether the row is about such a job."""
        return (
            self.rule in ("*", rule)
            and self.release in ("any", release)
            and self.device in ("any", device)
            and re.search(self.match, path) is not None
        )


def read_defaults(path):
    """Rows of the table of default costs, in its order: the first that fits a job counts.

    Raises
    ------
    UsageError
        For other columns, a number that is none, or an unknown word.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        if reader.fieldnames != COLUMNS:
            raise UsageError(f"{path}: columns {reader.fieldnames}, expected {COLUMNS}")
        return [_default(path, number, row) for number, row in enumerate(reader, 2)]


def _default(path, number, row):
    words = {"release": ("any", "full", "demo"), "device": ("any", "gpu", "cpu"), "per": ("job", "medline_file")}
    for column, allowed in words.items():
        if row[column] not in allowed:
            raise UsageError(f"{path}, line {number}, {column}: {row[column]} is not one of {', '.join(allowed)}")
    try:
        re.compile(row["match"])
        return Default(**{**row, "minutes": float(row["minutes"]), "cores": float(row["cores"])})
    except (ValueError, TypeError, re.error) as error:
        raise UsageError(f"{path}, line {number}: {error}") from None


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """What Snakemake measured of one earlier job: seconds of wall time and of CPU time (NaN where it saw none)."""

    run: str
    path: str
    rule: str | None
    seconds: float
    cpu_seconds: float


def read_benchmarks(results):
    """Benchmark files of all runs below `results`, sorted by run and path; unreadable ones are left out.

    The fields are Snakemake's: `s`, `cpu_time`, and `rule_name` with `--benchmark-extended`.
    """
    found = []
    for path in sorted(pathlib.Path(results).glob("*/benchmarks/**/*.jsonl")):
        run, _, *below = path.relative_to(results).parts
        try:
            record = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
            seconds = float(record["s"])
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            continue
        cpu = record.get("cpu_time")
        cpu = float(cpu) if isinstance(cpu, int | float) else float("nan")
        found.append(Benchmark(run, "/".join(below), record.get("rule_name"), seconds, cpu))
    return found


class Costs:
    """Prices jobs.

    Parameters
    ----------
    jobs : sequence of Job
        All planned jobs.
    benchmarks : sequence of Benchmark
    defaults : sequence of Default
    demo : bool
        Whether the run is of the embedded release: measurements of one size say nothing of the other.
    files : dict of str to int
        MEDLINE files by batch.
    """

    def __init__(self, jobs, benchmarks, defaults, demo, files):
        self.defaults, self.files = defaults, files
        self.release = "demo" if demo else "full"
        benchmarks = [item for item in benchmarks if (item.run == DEMO_RUN) == demo]
        self.groups = {}
        for rule, pattern in sorted({(job.rule, _pattern(job)) for job in jobs if job.benchmark}):
            for item in benchmarks:
                if item.rule == rule or item.rule is None and re.fullmatch(pattern, item.path):
                    for device in ("gpu", "cpu"):
                        group = self._group(rule, item.path, device)
                        self.groups.setdefault(group, set()).add(item)

    def _row(self, rule, path, device):
        return next((row for row in self.defaults if row.fits(rule, path, self.release, device)), None)

    def _group(self, rule, path, device):
        row = self._row(rule, path, device)
        return rule, row.match if row else ""

    def of(self, job):
        """The cost of a job; target rules cost nothing.

        Raises
        ------
        UsageError
            If nothing was measured and no default fits.
        """
        if not job.benchmark:
            return Cost(0.0, 0.0, "", 0)
        run, path = _run_and_path(job)
        device = "gpu" if job.gpus else "cpu"
        known = self.groups.get(self._group(job.rule, path, device), ())
        known = [item for item in known if item.run == run] or list(known)
        if known:
            return _measured(known)
        row = self._row(job.rule, path, device)
        if row is None:
            raise UsageError(f"experiments/costs.tsv has no row for rule {job.rule}\n  remedy:   add one")
        number = self.files.get(job.wildcards.get("batch"), 1) if row.per == "medline_file" else 1
        return Cost(row.minutes * number, row.cores, row.source, 0)


def _measured(items):
    minutes = statistics.median(item.seconds for item in items) / 60
    shares = [item.cpu_seconds / item.seconds for item in items if item.seconds and item.cpu_seconds >= 0]
    runs = ", ".join(sorted({item.run for item in items}))
    return Cost(minutes, statistics.median(shares) if shares else 1.0, f"measured in {runs}", len(items))


def _run_and_path(job):
    before, _, path = job.benchmark.partition("/benchmarks/")
    return before.rpartition("/")[2], path


def _pattern(job):
    """A regular expression of the benchmark files of all jobs of a rule: its own path without wildcard values."""
    text = re.escape(_run_and_path(job)[1])
    for value in sorted(job.wildcards.values(), key=len, reverse=True):
        text = re.sub(rf"(?<![\w\\]){re.escape(re.escape(value))}(?!\w)", "[^/]+", text)
    return text

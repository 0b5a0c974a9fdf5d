"""Say what a run will do before it starts: jobs by stage and rule, why each runs, what may be skipped after a
checkpoint, and the CPU-hours, GPU-hours and wall time to expect.

Hours come from benchmark files of earlier runs (results/*/benchmarks, median by rule) and, where there are none, from
experiments/costs.tsv. Other arguments go to Snakemake as they are: targets, --cores, --jobs, --config.
"""

import dataclasses
import json
import sys

from workflow_scripts.common import configuration
from workflow_scripts.common.errors import PipelineError
from workflow_scripts.planning.costs import Costs, read_benchmarks, read_defaults
from workflow_scripts.planning.dry_run import REPOSITORY, default_profile, dry_run
from workflow_scripts.planning.outlook import outlook
from workflow_scripts.planning.run_config import arguments, is_demo, run_config
from workflow_scripts.planning.secrets import hide_secrets


def main(args, others):
    """Run the command; gives the exit status."""
    planned = dry_run(snakemake_arguments(args, others))
    config = run_config(planned.settings, REPOSITORY)
    batches = configuration.Plan(config, REPOSITORY).batches
    costs = Costs(
        planned.jobs,
        read_benchmarks("results"),
        read_defaults(REPOSITORY / "experiments" / "costs.tsv"),
        is_demo(config),
        {batch: len(names) for batch, names in batches.items()},
    )
    found = outlook(planned, costs)
    if args.json:
        print(hide_secrets(json.dumps(dataclasses.asdict(found), indent=2)))
    else:
        print(hide_secrets("\n".join(lines(found, config["name"]))))
    return 0


def snakemake_arguments(args, others):
    """The command line of Snakemake for the options of `plan`."""
    given = [word for profile in args.profile or [default_profile()] for word in ("--profile", profile)]
    if args.configfile:
        given += ["--configfile", *args.configfile]
    return [*others, *given]


def lines(found, name):
    """The plan as lines of text.

    Parameters
    ----------
    found : Outlook
    name : str
        The name of the run.
    """
    if not found.jobs:
        return [f"Run {name}: nothing to be done, every requested file is up to date."]
    text = [f"Run {name}: {found.jobs} jobs.", "", *_table(found.rows), ""]
    text += _skipping(found)
    text += _hours(found)
    text += _sources(found.rows)
    return text


def _table(rows):
    header = ["stage", "rule", "jobs", "CPU-h", "GPU-h", "min/job", "from", "why"]
    grid, stage = [], None
    for row in rows:
        count = f"{row.jobs}" + (f" ({row.skippable} maybe)" if row.skippable else "")
        first, *more = _why(row)
        grid.append(
            [
                row.stage if row.stage != stage else "",
                row.rule,
                count,
                _digits(row.cpu_hours),
                _digits(row.gpu_hours) if row.gpu_hours else "-",
                _digits(row.minutes_per_job),
                f"{row.measured} measured" if row.measured else "default",
                first,
            ]
        )
        grid += [["", "", "", "", "", "", "", line] for line in more]
        stage = row.stage
    widths = [max(len(line[column]) for line in [header, *grid]) for column in range(len(header))]
    numbers = {3, 4, 5}

    def written(line):
        cells = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return [written(header), "-" * (sum(widths[:-1]) + 2 * len(widths) + 3), *map(written, grid)]


def _why(row, limit=8):
    own = {cause: number for cause, number in row.why.items() if not cause.startswith("after ")}
    causes = [f"{cause} ({number})" if number != row.jobs else cause for cause, number in own.items()]
    shown = causes[:limit]
    if len(causes) > limit:
        shown.append(f"and {len(causes) - limit} more causes")
    upstream = sorted(cause.removeprefix("after ") for cause in row.why if cause not in own)
    return shown + ([f"after {', '.join(upstream)}"] if upstream else []) or ["unknown"]


def _skipping(found):
    if not found.checkpoints:
        return []
    text = [
        f"Checkpoints (fingerprint_*): {found.checkpoints}. After each, the rest is planned again, "
        "and what reads a fingerprint that is another one than before is added to the jobs counted here."
    ]
    if found.skippable:
        text.append(f"Marked `maybe`: {found.skippable}. They are skipped if the fingerprint is the same as before.")
    else:
        text.append("Every other job has a reason of its own or follows one that has: none will be skipped.")
    return [*text, ""]


def _hours(found):
    share = found.measured_cpu_hours / found.cpu_hours if found.cpu_hours else 0.0
    most = _amount(found.cpu_hours, found.gpu_hours, found.wall_hours)
    text = [f"Expected: {most} ({found.limits})."]
    if found.skippable:
        least = _amount(found.sure_cpu_hours, found.sure_gpu_hours, found.sure_wall_hours)
        text.append(f"Without the jobs marked `maybe`: {least}.")
    text.append(f"{share:.0%} of the CPU-hours rest on measurements, the others on defaults.")
    return text


def _amount(cpu_hours, gpu_hours, wall_hours):
    return f"{_digits(cpu_hours)} CPU-hours, {_digits(gpu_hours)} GPU-hours, {_duration(wall_hours)} wall time"


def _digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def _duration(hours):
    if hours < 1:
        return f"{hours * 60:.1f} minutes"
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"


def _sources(rows):
    defaults = sorted({(row.rule, source) for row in rows if not row.measured for source in row.sources})
    if not defaults:
        return []
    by_source = {}
    for rule, source in defaults:
        by_source.setdefault(source, []).append(rule)
    return ["", "Defaults (experiments/costs.tsv):"] + [
        f"  {', '.join(rules)}: {source}" for source, rules in by_source.items()
    ]


if __name__ == "__main__":
    try:
        sys.exit(main(*arguments(__doc__, "plan").parse_known_args()))
    except PipelineError as error:
        print(hide_secrets(f"error: {error}"), file=sys.stderr)
        sys.exit(error.exit_code)

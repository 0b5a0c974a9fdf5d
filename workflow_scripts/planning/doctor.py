"""Preflight of a run: software, profile, cluster, conda, disk, inputs, memory. Nothing is started, nothing is written.

Every trouble is shown with what was found, what is expected and the remedy. Exit status 1 if something would stop the
run, else 0. Values of secret variables are never shown.
"""

import collections
import dataclasses
import json
import sys

from workflow_scripts.common.errors import PipelineError, UsageError
from workflow_scripts.planning.check_access import check_access
from workflow_scripts.planning.check_cluster import check_cluster
from workflow_scripts.planning.check_inputs import check_inputs, read_plan
from workflow_scripts.planning.check_machine import check_machine
from workflow_scripts.planning.check_software import check_software
from workflow_scripts.planning.dry_run import REPOSITORY, default_profile, dry_run, run_settings
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding
from workflow_scripts.planning.run_config import arguments, run_config
from workflow_scripts.planning.secrets import hide_secrets

MARKS = {OK: "ok", WARNING: "WARNING", FAILURE: "FAILURE", SKIPPED: "-"}


def main(args):
    """Run the command; gives the exit status."""
    profiles = args.profile or [default_profile()]
    findings = preflight(profiles, args.configfile or [])
    failed = any(finding.status == FAILURE for finding in findings)
    if args.json:
        print(hide_secrets(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2)))
    else:
        print(hide_secrets("\n".join(lines(findings, profiles))))
    return int(failed)


def preflight(profiles, configfiles):
    """All findings for a run in the current folder.

    Parameters
    ----------
    profiles, configfiles : sequence of str
        As on Snakemake's command line.

    Returns
    -------
    list of Finding
    """
    command = [word for profile in profiles for word in ("--profile", profile)]
    command += ["--configfile", *configfiles] if configfiles else []
    settings, profile = _profile(command, profiles)
    findings = [profile, *check_software(REPOSITORY, settings)]
    if settings is None:
        # the plugin of the cluster refuses to load where neither sacct nor squeue answers
        broken = "squeue" in profile.found
        return findings + (check_cluster({"executor": "slurm", "status_command": None}, None) if broken else [])
    config, validity = _config(settings)
    findings.append(validity)
    if config is None:
        return findings + check_cluster(settings, None)
    plan, fit = read_plan(config, REPOSITORY)
    inputs = [fit, *check_inputs(config, plan), *check_access(config, plan, REPOSITORY)]
    jobs, planned = _planned(command, [*findings, *inputs])
    return [
        *findings,
        *check_cluster(settings, jobs),
        *inputs,
        *check_machine(config, plan, settings, jobs),
        planned,
    ]


def _profile(command, profiles):
    names = ", ".join(profiles)
    try:
        settings = run_settings(command)
    except UsageError as error:
        remedy = "correct what Snakemake names"
        if "profile directory given" in str(error):
            remedy = (
                "call it from the root of the checkout, where `slurm` is a link to profiles/slurm; other profiles by "
                "their path (profiles/local), or put yours in ~/.config/snakemake/<name>/profile.yaml"
            )
        return None, Finding("profile", FAILURE, str(error), f"a profile that Snakemake finds as {names}", remedy)
    return settings, Finding("profile", OK, f"{names} (executor {settings['executor']})")


def _config(settings):
    try:
        config = run_config(settings, REPOSITORY)
    except UsageError as error:
        remedy = "correct the file; every key with its meaning is in schemas/config.schema.yaml"
        return None, Finding("configuration", FAILURE, str(error), "a valid configuration", remedy)
    files = ", ".join(["config.yaml", *settings["configfiles"]])
    return config, Finding("configuration", OK, f"run {config['name']}: {files}")


def _planned(command, findings):
    """The planned jobs; a dry-run that fails where other things failed before says nothing new."""
    try:
        planned = dry_run(command)
    except UsageError as error:
        if any(finding.status == FAILURE for finding in findings):
            return None, Finding("dry-run", SKIPPED, "not possible before the failures are gone")
        return None, Finding("dry-run", FAILURE, str(error), "a plan of the run", "see what Snakemake says")
    jobs = [job for job in planned.jobs if job.stage]
    return jobs, Finding("dry-run", OK, f"{len(jobs)} jobs; `make plan` explains them")


def lines(findings, profiles):
    """The findings as lines of text, troubles with expectation and remedy."""
    width = max(len(finding.check) for finding in findings)
    text = [f"Preflight for --profile {' --profile '.join(profiles)}", ""]
    for finding in findings:
        first, *more = finding.found.splitlines() or [""]
        text.append(f"{MARKS[finding.status]:<8} {finding.check:<{width}}  {first}")
        indent = " " * (width + 11)
        text += [f"{indent}{line}" for line in more]
        if finding.status in (WARNING, FAILURE):
            text += [f"{indent}expected: {finding.expected}", f"{indent}remedy:   {finding.remedy}"]
    number = collections.Counter(finding.status for finding in findings)
    text += ["", f"{number[FAILURE]} failures, {number[WARNING]} warnings, {number[OK]} checks passed."]
    return text


if __name__ == "__main__":
    try:
        sys.exit(main(arguments(__doc__, "findings").parse_args()))
    except PipelineError as error:
        print(hide_secrets(f"error: {error}"), file=sys.stderr)
        sys.exit(error.exit_code)

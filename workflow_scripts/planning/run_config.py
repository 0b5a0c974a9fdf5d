"""The configuration that a run will have: config.yaml under the files and values of the command line."""

import argparse
import os
import pathlib

from workflow_scripts.common import configuration
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.raw_files import MADE_BY_A_RULE


def arguments(description, what):
    """The parser of a command that looks at a run: --profile, --configfile, and --json for `what` it prints."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument(
        "--profile",
        action="append",
        metavar="NAME",
        help="profile of the run; may be repeated. Default: slurm where sbatch exists, else profiles/local",
    )
    parser.add_argument("--configfile", action="extend", nargs="+", metavar="FILE", help="files over config.yaml")
    parser.add_argument("--json", action="store_true", help=f"print the {what} as JSON")
    return parser


def run_config(settings, root):
    """The merged, validated configuration with its defaults, as the Snakefile will see it.

    Parameters
    ----------
    settings : dict
        `configfiles` (paths) and `config` (values of `--config`), as `dry_run` gives them.
    root : str or Path
        The folder that holds config.yaml and schemas/.

    Raises
    ------
    UsageError
        If a file is missing or the configuration is not valid.
    """
    root = pathlib.Path(root)
    merged = {}
    for path in [root / "config.yaml", *settings["configfiles"]]:
        if not os.path.isfile(path):
            raise UsageError(f"configuration file {path} is not there\n  remedy:   correct --configfile (CONFIG=...)")
        _merge(merged, configuration.read_yaml(path) or {})
    _merge(merged, settings["config"])
    configuration.validate(merged, root / "schemas" / "config.schema.yaml", settings["configfiles"])
    return merged


def is_demo(config):
    """Whether the run is of the embedded release, which the workflow makes itself."""
    return MADE_BY_A_RULE in pathlib.Path(config["medline"]["baseline_dir"]).parents


def _merge(into, values):
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value

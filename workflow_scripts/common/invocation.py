"""What of a Snakemake command line says which run it is, so that a page can show how to do a part of it again."""

import argparse
import shlex

# Options with a value, and options with several; another value of any of them is another run.
SINGLE = (("--workflow-profile",), ("--snakefile", "-s"), ("--directory", "-d"), ("--conda-prefix",))
SEVERAL = (
    ("--configfile", "--configfiles"),
    ("--config", "-C"),
    ("--software-deployment-method", "--deployment-method", "--deployment", "--sdm"),
)


def identifying_options(words):
    """The options of a command line that choose profile, configuration, folder and environments, ready for a shell.

    Parameters
    ----------
    words : sequence of str
        The command line without the name of the program.

    Returns
    -------
    str
        Targets, numbers of cores and whatever else does not decide what the results are is left out; where no profile
        says how many cores there are, `--cores all` does.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile", action="append", default=[])
    for names in SINGLE:
        parser.add_argument(*names, default=None)
    for names in SEVERAL:
        parser.add_argument(*names, nargs="+", default=[])
    given = vars(parser.parse_known_args(list(words))[0])
    found = [word for profile in given["profile"] for word in ("--profile", profile)]
    found = found or ["--cores", "all"]
    for (name, *_), values in [(names, given[names[0][2:].replace("-", "_")]) for names in SINGLE + SEVERAL]:
        values = [values] if isinstance(values, str) else values or []
        found += [name, *values] if values else []
    return shlex.join(found)

"""The plan of the whole paper: 972 MEDLINE files, every run of every table, three seeds. No cluster is needed."""

import os
import re
import resource
import subprocess
import sys

from tests.e2e.conftest import checkout, once  # noqa: F401

CONFIG = """
name: full
umls: {meta_dir: in/META}
text: {model: in/model}
linking: {model: in/model}
"""
NAMES = [f"in/META/{table}.RRF" for table in ("MRCONSO", "MRREL", "MRSTY", "MRDEF", "MRDOC")]
NAMES += ["in/META/SemGroups_2018.txt", "in/model/meta.json"]


def test_the_plan_of_the_paper(checkout):  # noqa: F811
    folder = checkout("full")
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    (folder / "my.yaml").write_text(CONFIG)
    for name, status in (("sacct", 1), ("squeue", 0), ("sbatch", 1)):
        (folder / "in" / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (folder / "in" / name).chmod(0o755)
    programs = f"{folder / 'in'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    variables = {**os.environ, "PATH": programs, "PYTHONNOUSERSITE": "1"}
    command = [
        "snakemake",
        "--profile",
        "slurm",
        "--sdm",
        "env-modules",
        "-n",
        "-q",
        "rules",
        "--configfile",
        "my.yaml",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    plan = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert plan.returncode == 0, (plan.stdout + plan.stderr)[-3000:]
    counts = dict(re.findall(r"^(\w+) +(\d+)$", plan.stdout + plan.stderr, re.M))
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{counts['total']} jobs planned in {seconds:.1f} CPU seconds, {after.ru_maxrss >> 10} MB at most")
    assert int(counts["download_medline"]) == 972 and int(counts["extract_abstracts"]) < 100
    # one pass for sentences and mentions
    assert counts["parse_abstracts"] == counts["extract_abstracts"]
    assert not {"split_sentences", "detect_mentions"} & counts.keys()
    assert int(counts["train_run"]) >= 48
    # the search of 252 cells, some to a job
    assert 0 < int(counts["train_cells"]) <= 252
    # downloads are local; what is left goes to the cluster
    assert 1000 < int(counts["total"]) < 5000
    assert after.ru_maxrss < 2 << 20, "kilobytes of the largest child"

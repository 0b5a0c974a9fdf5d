"""Both installs of a release through Snakemake, from an archive that was put in place by hand, and their comparison."""

import csv
import os
import re
import subprocess
import sys

import pytest

from tests.acquire.releases import full, mrfiles, tables
from tests.kg.test_install_subset import JAVA, PROGRAM

pytestmark = pytest.mark.timeout(300)
CONFIG = """name: t
umls: {source: download, release: 2019AB, install: snomed_subset, metamorphosys: {some.key: own value}}
medline: {source: local, baseline_dir: none, files: [a.xml.gz]}
"""


def test_full_and_subset_side_by_side(repository, tmp_path):
    for name in ("workflow_scripts", "rules", "envs", "schemas", "experiments", "config.yaml", "Snakefile", "report"):
        (tmp_path / name).symlink_to(repository / name)
    (tmp_path / "my.yaml").write_text(CONFIG)
    archive = tmp_path / "resources/umls/umls-2019AB-full.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(full(program=PROGRAM))
    (tmp_path / "made").mkdir()
    subset = tables(7)
    for name, body in (subset | {"MRFILES": mrfiles(subset)}).items():
        (tmp_path / "made" / f"{name}.RRF").write_text(body)
    (tmp_path / "bin").mkdir()
    names = {"python": sys.executable, "seen": str(tmp_path / "seen.json"), "tables": str(tmp_path / "made")}
    (tmp_path / "bin/java").write_text(JAVA.format(behaviour="well", **names))
    (tmp_path / "bin/java").chmod(0o755)
    path = f"{tmp_path}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    command = [sys.executable, "-m", "snakemake", "results/t/kg/installs.2019AB.csv", "--cores", "1"]
    command += ["--show-failed-logs", "--configfile", "my.yaml"]

    def run():
        environment = {name: value for name, value in os.environ.items() if name != "UMLS_API_KEY"} | {"PATH": path}
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        ran = re.findall(r"^(?:local)?(?:rule|checkpoint) (\w+):", done.stdout + done.stderr, flags=re.MULTILINE)
        return sorted(set(ran))

    assert run() == ["compare_installs", "extract_umls", "install_subset"]
    assert '"some.key": "own value"' in (tmp_path / "seen.json").read_text()
    with open(tmp_path / "results/t/kg/installs.2019AB.csv", newline="") as stream:
        counts = {
            row["count"]: (row["full"], row["snomed_subset"], row["difference"]) for row in csv.DictReader(stream)
        }
    assert counts["MRREL rows"] == counts["active concepts"] == ("40", "7", "-33")
    assert run() == []

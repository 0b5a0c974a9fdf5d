"""The rules of the stage in a small workflow: a download, then the digests that decide what runs again."""

import os
import re
import subprocess
import sys

import pytest
import yaml

pytestmark = pytest.mark.timeout(300)
SNAKEFILE = """
configfile: "config.yaml"


include: "rules/common.smk"


pathvars:
    results=RESULTS,


shell.prefix(f"export PYTHONPATH='{workflow.basedir}' PYTHONNOUSERSITE=1; ")


wildcard_constraints:
    batch=r"\\d{4}",


rule all:
    input:
        collect("<results>/text/abstracts/{batch}.parquet", batch=BATCHES),


include: "rules/acquire.smk"
include: "rules/text.smk"
"""


@pytest.fixture
def workflow(tmp_path, repository):
    """A folder with the rules of the repository and a Snakefile of its own."""
    for name in ("workflow_scripts", "rules", "envs", "schemas", "experiments", "config.yaml"):
        (tmp_path / name).symlink_to(repository / name)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    return tmp_path


def run(folder, medline):
    """Run the workflow; gives how many jobs of each rule ran."""
    config = {"name": "t", "umls": {"meta_dir": "none"}, "medline": {"baseline_dir": "baseline"} | medline}
    (folder / "my.yaml").write_text(yaml.safe_dump(config))
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "my.yaml", "--show-failed-logs"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        env=os.environ | {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"},
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    ran = re.findall(r"^(?:local)?(?:rule|checkpoint) (\w+):", text, flags=re.MULTILINE)
    return {name: ran.count(name) for name in sorted(set(ran)) if name != "all"}


def test_download_then_nothing_then_only_what_changed(workflow, server, shared_data):
    real = (shared_data / "medline/pubmed20n1015.xml.gz").read_bytes()
    names = [f"pubmed19n000{i}.xml.gz" for i in (1, 2)]
    for folder in ("/a", "/b"):
        for name in names:
            server.add(name, real, folder)
    server.faults[f"/a/{names[1]}"] = [server.cut(50_000)]
    medline = {
        "source": "download",
        "files": ["pubmed19n[0001-0002].xml.gz"],
        "mirrors": [f"{server.address}/a"],
        "files_per_job": 1,
    }
    once = {"collect_medline_digests": 1}
    first = run(workflow, medline)
    assert first == once | {"download_medline": 2, "extract_abstracts": 2, "fingerprint_medline": 2}
    assert [(workflow / "baseline" / name).read_bytes() == real for name in names] == [True] * 2
    assert len((workflow / "resources/sources.lock").read_text().splitlines()) == 3
    assert run(workflow, medline) == {}
    # other mirrors: the files are checked and kept, and nothing that was made from them is made again
    second = run(workflow, medline | {"mirrors": [f"{server.address}/b"]})
    assert second == once | {"download_medline": 2, "fingerprint_medline": 2}
    assert sorted(path for path, _ in server.asked if path.startswith("/b")) == [f"/b/{name}.md5" for name in names]
    # from now on a local folder, with a file of other bytes (one more, empty, gzip member) and without its .md5
    (workflow / "baseline" / names[1]).write_bytes(
        real + b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00" + bytes(8)
    )
    (workflow / "baseline" / f"{names[1]}.md5").unlink()
    local = {"source": "local", "files": None, "files_per_job": 1}
    assert run(workflow, local) == once | {"extract_abstracts": 1, "fingerprint_medline": 1}

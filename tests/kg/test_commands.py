"""The commands as their rules run them: files, promises of the files, and messages on bad input."""

import csv
import json
import random

import pyarrow.parquet as pq
import pytest

from tests.kg.releases import RELATIONS, command_arguments, conso, published, rel, sty, write_release
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.tables import check_file

CUIS = [f"C{number:07d}" for number in range(150)]
DATA, USAGE = 3, 2


def many_rows(seed=1):
    chooser = random.Random(seed)
    return [
        rel(*chooser.sample(CUIS, 1), chooser.choice([*RELATIONS]), *chooser.sample(CUIS, 1), rui=f"R{number:05d}")
        for number in range(1500)
    ]


@pytest.fixture
def paths(tmp_path):
    """A release of 150 concepts and some 1,500 facts."""
    doc = [("RELA", "cause_of", "rela_inverse", "due_to"), ("RELA", "isa", "rela_inverse", "other_isa")]
    rels = [*many_rows(), rel(CUIS[0], "unheard_of", CUIS[1]), rel(CUIS[0], "cause_of", "C9999999")]
    types = [*(sty(c) for c in CUIS), sty(CUIS[0], "T999"), sty(CUIS[3], "T999"), sty(CUIS[3], "T078")]
    return write_release(tmp_path / "META", [conso(c) for c in CUIS], rels, types, doc)


def build(run_command, paths, out, environment=None, threads=1, **settings):
    arguments, outputs = command_arguments(paths, out, **settings)
    done = run_command("kg/build_kg.py", *arguments, "--threads", threads, environment=environment)
    return done, outputs


def split(run_command, kind, triples, out, **settings):
    files = {name: out / kind / f"{name}.tsv" for name in ("train", "valid", "test")}
    options = [text for name, path in files.items() for text in (f"--{name}", path)]
    done = run_command(f"kg/split_{kind}.py", "--triples", triples, *options, "--params", json.dumps(settings))
    return done, files


INDUCTIVE = {"shares": {"train": 0.7, "valid": 0.1, "test": 0.2}, "min_edges_left": 20, "max_attempts_per_drop": 500}
INDUCTIVE |= {"seed": 0, "preset": "mended", "lost_entity": "mended"}
TRANSDUCTIVE = {"shares": INDUCTIVE["shares"], "seed": 0, "preset": "mended", "lost_train_labels": "mended"}


def test_from_rrf_to_statistics(run_command, paths, tmp_path):
    done, outputs = build(run_command, paths, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 relations of the release are in neither column" in done.stderr and "unheard_of (1 rows)" in done.stderr
    assert "T999 (Some Type) of MRSTY is in no semantic group: 2 rows" in done.stderr
    assert check_file(outputs["concepts"], CONCEPTS) == len(CUIS)
    n = check_file(outputs["triples"], TRIPLES)
    funnel = {row["step"]: row for row in csv.DictReader(outputs["funnel"].open())}
    assert int(funnel["written"]["rows"]) == int(funnel["written"]["triples"]) == n
    assert int(funnel["mrrel"]["rows"]) == 1502
    assert int(funnel["known"]["rows"]) == int(funnel["repeats_removed"]["rows"]) - 1
    order = outputs["order"].read_text().splitlines()
    table = pq.read_table(outputs["triples"])
    assert order == ["\t".join(row[name] for name in ("head", "relation", "tail")) for row in table.to_pylist()]

    files = {}
    for kind, settings in (("inductive", INDUCTIVE), ("transductive", TRANSDUCTIVE)):
        done, files[kind] = split(run_command, kind, outputs["order"], tmp_path, **settings)
        assert done.returncode == 0, done.stderr
        lines = {name: path.read_text().splitlines() for name, path in files[kind].items()}
        assert all(part == sorted(part) for part in lines.values())
        everything = [line for part in lines.values() for line in part]
        assert len(everything) == len(set(everything)) and set(everything) <= set(order)
        assert len(everything) == n if kind == "inductive" else len(everything) < n

    statistics = tmp_path / "statistics.json"
    done = run_command(
        "kg/summarise_kg.py",
        *("--concepts", outputs["concepts"], "--triples", outputs["triples"], "--audit", outputs["audit"]),
        *("--relations", paths["relations"], "--statistics", statistics),
        *[text for kind in files for text in (f"--{kind}", *files[kind].values())],
    )
    assert done.returncode == 0, done.stderr
    check_statistics(json.loads(statistics.read_text()), files, n)


def check_statistics(found, files, n):
    assert found["concepts"] == len(CUIS) and found["triples"] == n
    assert found["types"] == [
        {"tui": "T047", "sty": "Disease or Syndrome", "group": "DISO", "concepts": 150, "entities": found["entities"]}
    ]
    for kind, paths in files.items():
        lines = {name: [line.split("\t") for line in path.read_text().splitlines()] for name, path in paths.items()}
        known = {entity for head, _, tail in lines["train"] for entity in (head, tail)}
        for name, part in lines.items():
            counts, entities = found["splits"][kind][name], {e for head, _, tail in part for e in (head, tail)}
            assert counts["triples"] == len(part) and counts["entities"] == len(entities)
            assert counts["relations"] == len({relation for _, relation, _ in part})
            assert counts["unseen_entities"] == len(entities - known)
            assert counts["triples_with_unseen"] == sum(not {h, t} <= known for h, _, t in part)
            assert counts["triples_of_unseen"] == sum(not {h, t} & known for h, _, t in part)
        assert found["triples_in_no_split"][kind] == n - sum(map(len, lines.values()))
        for entry in found["relations"]:
            assert entry[kind] == {
                name: sum(relation == entry["relation"] for _, relation, _ in part) for name, part in lines.items()
            }
    assert [(entry["relation"], entry["inverse"]) for entry in found["relations"]] == sorted(RELATIONS.items())
    assert sum(entry["triples"] for entry in found["relations"]) == n
    assert found["unknown_relations"] == [
        {
            "relation": "unheard_of",
            "rows": 1,
            "rows_between_kept_concepts": 1,
            "of_relation_class": True,
            "inverse": None,
        }
    ]
    assert found["inverse_conflicts"] == [{"relation": "isa", "inverse": "inverse_isa", "documented": "other_isa"}]
    assert found["unknown_types"] == [{"tui": "T999", "sty": "Some Type", "rows": 2}]
    assert found["concepts_without_names"] == {"concepts": 1, "rows": 1, "examples": ["C9999999"]}


def test_bytes_do_not_depend_on_threads_hash_seed_or_locale(run_command, paths, tmp_path):
    found = []
    for number, (seed, locale, threads) in enumerate([("0", "C", 1), ("7", "C.UTF-8", 2)]):
        out = tmp_path / str(number)
        environment = {"PYTHONHASHSEED": seed, "LC_ALL": locale}
        done, outputs = build(run_command, paths, out, environment, threads, **published())
        assert done.returncode == 0, done.stderr
        _, files = split(run_command, "inductive", outputs["order"], out, **INDUCTIVE)
        _, more = split(run_command, "transductive", outputs["order"], out, **TRANSDUCTIVE)
        found.append([path.read_bytes() for path in [*outputs.values(), *files.values(), *more.values()]])
    assert found[0] == found[1]


def test_the_published_order_is_that_of_pandas(run_command, paths, tmp_path):
    pandas = pytest.importorskip("pandas")
    done, outputs = build(run_command, paths, tmp_path, **published(seed=0))
    assert done.returncode == 0, done.stderr
    expected = dict.fromkeys((row[4], row[7], row[0]) for row in many_rows())
    shuffled = pandas.DataFrame(list(expected)).sample(frac=1, random_state=0)
    lines = ["\t".join(row) for row in shuffled.itertuples(index=False, name=None)]
    assert outputs["order"].read_text().splitlines() == lines


def test_the_seed_is_of_the_published_shuffle_alone(run_command, paths, tmp_path):
    arguments, outputs = command_arguments(paths, tmp_path)
    settings = {key: value for key, value in json.loads(arguments[-1]).items() if key != "seed"}
    done = run_command("kg/build_kg.py", *arguments[:-1], json.dumps(settings))
    assert done.returncode == 0 and outputs["order"].read_text(), done.stderr
    done = run_command("kg/build_kg.py", *arguments[:-1], json.dumps(settings | {"preset": "published"}))
    assert done.returncode == USAGE and "seed is missing" in done.stderr


def failing(run_command, paths, tmp_path, code=DATA, **settings):
    """The message of a build that must fail, having written nothing."""
    done, outputs = build(run_command, paths, tmp_path / "out", **settings)
    assert done.returncode == code, done.stderr
    assert not any(path.exists() for path in outputs.values())
    assert "Traceback" not in done.stderr
    return done.stderr


def test_missing_mrrel(run_command, paths, tmp_path):
    paths["mrrel"].unlink()
    message = failing(run_command, paths, tmp_path)
    assert "MRREL.RRF" in message and "no such file" in message and "umls.meta_dir" in message


def test_a_row_with_too_few_columns(run_command, paths, tmp_path):
    lines = paths["mrrel"].read_text().splitlines()
    lines[699] = "|".join(lines[699].split("|")[:9]) + "|"
    paths["mrrel"].write_text("\n".join(lines) + "\n")
    message = failing(run_command, paths, tmp_path)
    assert "MRREL.RRF, line 700" in message and "found:    9 columns" in message and "16 columns of MRREL" in message


def test_a_byte_that_is_no_utf8(run_command, paths, tmp_path):
    data = paths["mrconso"].read_bytes().split(b"\n")
    data[41] = data[41].replace(b"a name", b"a n\xe4me")
    paths["mrconso"].write_bytes(b"\n".join(data))
    message = failing(run_command, paths, tmp_path)
    assert "MRCONSO.RRF, line 42" in message and "byte 0xe4" in message and "UTF-8" in message


@pytest.mark.parametrize(
    ("settings", "step", "remedy"),
    [
        ({"vocabulary": "MSH"}, "active_names", "umls.vocabulary is MSH; MRCONSO has SNOMEDCT_US (150 rows)"),
        ({"groups": ["CHEM"]}, "active_typed", "kg.groups"),
        ({"min_relation_triples": 100000}, "frequent", "lower kg.min_relation_triples"),
        ({"relation_class": "SY"}, "written", "check kg.relation_class"),
    ],
)
def test_no_relation_survives(run_command, paths, tmp_path, settings, step, remedy):
    message = failing(run_command, paths, tmp_path, **settings)
    assert f"nothing is left after `{step}`" in message and remedy in message
    for name in ("mrconso", "active_names", "active_typed", "mrrel", "vocabulary", "unsuppressed", "repeats_removed"):
        assert name in message
    assert "1,502 rows" in message


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"groups": ["DISO", "ANATO"]}, "kg.groups: ANATO is not in"),
        ({"excluded_types": ["Cells"]}, "kg.excluded_types: Cells is not in"),
        ({"unheard": 1}, "unknown key unheard"),
    ],
)
def test_wrong_settings(run_command, paths, tmp_path, settings, expected):
    message = failing(run_command, paths, tmp_path, USAGE, **settings)
    assert expected in message
    if "excluded_types" in settings:
        assert "there is Cell" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("relation\tinverse\ncause_of due_to\n", "line 2"),
        ("relation\tinverse\ncause_of\tdue_to\ncause_of\tx\n", "line 3"),
        (
            "relation\tinverse\ncause_of\tdue_to\ndue_to\tx\n",
            "due_to as the inverse of cause_of and as a relation itself",
        ),
        ("relation,inverse\n", "the header"),
        ("", "an empty file"),
    ],
)
def test_a_broken_table_of_relations(run_command, paths, tmp_path, text, expected):
    paths["relations"].write_text(text)
    message = failing(run_command, paths, tmp_path)
    assert "relations.tsv" in message and expected in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C1\tr\tC2\nC1\tr\n", "Expected 3 columns"),
        ("C1\tr\tC2\nC1\t\tC3\n", "line 2\n  found:    an empty relation"),
        ("", "no triple"),
    ],
)
def test_broken_triples(run_command, tmp_path, text, expected):
    path = tmp_path / "all.tsv"
    path.write_text(text)
    done, files = split(run_command, "inductive", path, tmp_path, **INDUCTIVE)
    assert done.returncode == DATA and expected in done.stderr and "all.tsv" in done.stderr
    assert not any(file.exists() for file in files.values())


def test_a_split_that_cannot_end_names_the_file(run_command, tmp_path):
    path = tmp_path / "all.tsv"
    path.write_text("".join(f"C{i}\tr\tC{i + 1}\n" for i in range(20)))
    done, _ = split(run_command, "inductive", path, tmp_path, **INDUCTIVE)
    assert done.returncode == DATA and str(path) in done.stderr and "500 draws in a row refused" in done.stderr
    shares = {"train": 0.7, "valid": 0.2, "test": 0.2}
    done, _ = split(run_command, "inductive", path, tmp_path, **INDUCTIVE | {"shares": shares})
    assert done.returncode == USAGE and "sum to 1.1, not to 1" in done.stderr

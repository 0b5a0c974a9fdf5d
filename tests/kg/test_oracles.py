"""The published code's own outputs: equal under construction.preset published; what mended changes, with the reason."""

import collections
import json

import numpy as np
import pytest

from tests.kg.releases import SETTINGS, graph, published, rows, unzip, zipped_lines
from workflow_scripts.kg import inductive, parts, transductive
from workflow_scripts.kg.triple_files import read_triples

GROUPS = ["ANAT", "CHEM", "DEVI", "DISO", "PHYS", "PROC"]
EXCLUDED = [
    "Biomedical or Dental Material",
    "Cell",
    "Cell Component",
    "Cell Function",
    "Chemical Viewed Functionally",
    "Chemical Viewed Structurally",
    "Embryonic Structure",
    "Experimental Model of Disease",
    "Genetic Function",
    "Molecular Function",
    "Regulation or Law",
]
REAL = {"groups": GROUPS, "excluded_types": EXCLUDED, "min_relation_triples": 15}
SHARES = {"train": 0.7, "valid": 0.1, "test": 0.2}


@pytest.fixture(scope="module", params=["", "quirk_quotes"])
def instance(request, shared_data, repository, tmp_path_factory):
    """Paths of a release by option name, the folder of its expected files, and whether it is the main one."""
    folder = tmp_path_factory.mktemp("kg")
    oracle = shared_data / "oracle" / "kg" / request.param
    paths = {}
    for name in ("mrconso", "mrrel", "mrsty"):
        file = f"{name.upper()}.RRF"
        paths[name] = unzip(oracle / "input" / f"{file}.gz", folder / file)
    paths["mrdoc"] = folder / "MRDOC.RRF"
    paths["mrdoc"].write_text("")
    paths["semgroups"] = shared_data / "umls" / "SemGroups_2018.txt"
    paths["relations"] = repository / "experiments" / "relations.tsv"
    return paths, oracle / "expected", not request.param


def lines_of(database):
    return collections.Counter("\t".join(row) for row in rows(database, "SELECT head, relation, tail FROM written"))


def test_published_graph(instance):
    paths, expected, _ = instance
    with graph(paths, **published(**REAL)) as (database, steps, _):
        assert lines_of(database) == collections.Counter(zipped_lines(expected / "all-triples.tsv.gz"))
        assert steps[-1][1] == len(zipped_lines(expected / "all-triples.tsv.gz"))
        names = dict(line.split("\t", 1) for line in zipped_lines(expected / "active_concepts.tsv.gz"))
        assert dict(rows(database, "FROM active")) == {cui: json.loads(name) for cui, name in names.items()}
        types = rows(database, 'SELECT cui, sty, "group" FROM typed JOIN kept_types USING (tui) ORDER BY cui')
        assert ["\t".join(row) for row in types] == zipped_lines(expected / "cui_type_group.tsv.gz")
        classes = rows(
            database, "SELECT relation, class FROM relation_facts WHERE class IS NOT NULL AND relation <> ''"
        )
        broad = [line for line in zipped_lines(expected / "relation_broad_type.tsv") if not line.startswith("\t")]
        assert sorted("\t".join(row) for row in classes) == sorted(broad)


def test_mended_quotes_are_characters(instance):
    paths, expected, main = instance
    with graph(paths, **published(**REAL, csv_quotes="mended")) as (database, *_):
        found = lines_of(database)
        n_active = len(rows(database, "FROM active"))
    before = collections.Counter(zipped_lines(expected / "all-triples.tsv.gz"))
    if main:
        assert found == before and n_active == 380
    else:
        # The four swallowed concepts and their 36 triples are there again.
        assert (n_active, found.total(), (found - before).total(), (before - found).total()) == (40, 150, 36, 0)


# What each mended switch changes in the main instance: relation -> number of lines, with the reason.
DIFFERENCES = {
    "repeated_rel": {
        "causative_agent_of": (16, 0),  # 15 distinct triples: not more than 15 when each counts once
    },
    "ro_per_row": {
        "focus_of": (0, 20),  # its 20 RO rows, whatever its last row says
        "occurs_after": (21, 1),  # its one RO row
        "associated_finding_of": (0, 20),
        "procedure_site_of": (0, 19),
        "causative_agent_of": (16, 15),  # the RN row is no longer written
    },
    "one_type_per_cui": {},  # a kept type is a kept type: which one is written never changes the triples
    "csv_quotes": {},
}


@pytest.mark.parametrize("instance", [""], indirect=True)
@pytest.mark.parametrize("switch", DIFFERENCES)
def test_each_mended_switch_changes_what_it_says(instance, switch):
    paths, expected, _ = instance
    with graph(paths, **published(**REAL, **{switch: "mended"})) as (database, *_):
        found = lines_of(database)
    before = collections.Counter(zipped_lines(expected / "all-triples.tsv.gz"))
    relations = [collections.Counter() for _ in range(2)]
    for counts, lines in zip(relations, (before, found), strict=True):
        for line, number in lines.items():
            counts[line.split("\t")[1]] += number
    changed = {r: (relations[0][r], relations[1][r]) for r in sorted(relations[0] | relations[1])}
    assert {r: counts for r, counts in changed.items() if counts[0] != counts[1]} == DIFFERENCES[switch]


def test_settings_of_the_oracle_are_those_of_the_paper(repository):
    yaml = pytest.importorskip("yaml")
    config = yaml.safe_load((repository / "config.yaml").read_text())
    assert sorted(config["kg"]["excluded_types"]) == EXCLUDED and sorted(config["kg"]["groups"]) == GROUPS
    assert config["kg"]["relation_class"] == SETTINGS["relation_class"]
    assert config["umls"]["vocabulary"] == SETTINGS["vocabulary"]


@pytest.fixture(scope="module", params=["graph_a", "graph_b"])
def drawn(request, shared_data, tmp_path_factory):
    """A graph as a table in file order, its lines, and the folder of its expected files."""
    folder = shared_data / "oracle" / "splits" / request.param
    path = unzip(folder / "input" / "all-triples.tsv.gz", tmp_path_factory.mktemp("splits") / "all.tsv")
    triples = read_triples(path)
    return triples, ["\t".join(row.values()) for row in triples.to_pylist()], folder / "expected"


def bags(lines, part):
    return [collections.Counter(np.array(lines)[part == number].tolist()) for number in (0, 1, 2, parts.NONE)]


def expected_bags(folder, names):
    return [collections.Counter(zipped_lines(folder / name)) for name in names]


def test_published_inductive_split(drawn):
    triples, lines, folder = drawn
    result = inductive.split(triples, SHARES, 100, 10000, 0, "published", "published")
    names = ["ind-train.tsv.gz", "ind-dev.tsv.gz", "ind-test.tsv.gz", "ind-lost.tsv"]
    assert bags(lines, result.part) == expected_bags(folder, names)
    counts = json.loads((folder / "summary.json").read_text())["inductive"]["entities"]
    lost = len(counts["dropped_but_in_no_split"])
    expected = {"train": counts["train"], "valid": counts["dev"], "test": counts["test"], "none": lost}
    assert result.entities == expected


def test_the_lost_entity_goes_to_valid(drawn):
    triples, lines, folder = drawn
    result = inductive.split(triples, SHARES, 100, 10000, 0, "published", "mended")
    train, valid, test, none = bags(lines, result.part)
    names = ["ind-train.tsv.gz", "ind-dev.tsv.gz", "ind-test.tsv.gz", "ind-lost.tsv"]
    expected = expected_bags(folder, names)
    assert (train, valid, test, none) == (expected[0], expected[1] + expected[3], expected[2], collections.Counter())


def test_mended_inductive_split_keeps_the_promises(drawn):
    triples, lines, folder = drawn
    result = inductive.split(triples, SHARES, 100, 10000, 0, "mended", "mended")
    counts = json.loads((folder / "summary.json").read_text())
    ends = np.array([line.split("\t") for line in lines])
    known = set(ends[result.part == 0][:, [0, 2]].ravel())
    test_entities = {e for e in np.unique(ends[:, [0, 2]]) if e not in known}
    heldout = set(ends[result.part == 2][:, [0, 2]].ravel()) - known
    valid = ends[result.part == 1][:, [0, 2]]
    valid_only = test_entities - heldout
    assert (result.part >= 0).all()
    for part in (1, 2):
        assert all({head, tail} - known for head, tail in ends[result.part == part][:, [0, 2]])
    # A valid entity may be the far end of a test triple; no valid triple touches a test entity.
    unseen_valid = set(valid.ravel()) - known
    assert valid_only <= unseen_valid
    expected = counts["inductive"]["entities"]
    assert result.entities["test"] == expected["test"] and result.entities["train"] == expected["train"]
    assert len(unseen_valid) == result.entities["valid"] == expected["dev"] + len(expected["dropped_but_in_no_split"])
    for relation, number in counts["relation_counts"].items():
        mine = ends[:, 1] == relation
        assert (result.part[mine] == 0).sum() >= min(number, 99)
        if number < 100:
            assert (result.part[mine] == 0).all()


@pytest.mark.parametrize("labels", ["published", "mended"])
def test_published_transductive_split(drawn, labels):
    triples, lines, folder = drawn
    draws = transductive.published_draws(triples.num_rows, 0)
    result = transductive.split(triples, draws, SHARES, labels)
    train, valid, test, _ = bags(lines, result.part)
    names = ["trans-train.tsv.gz", "trans-dev.tsv.gz", "trans-test.tsv.gz", "trans-train-lost-by-label.tsv"]
    expected = expected_bags(folder, names)
    lost = collections.Counter(lines[row] for row in result.lost)
    if labels == "published":
        assert (train, lost) == (expected[0], expected[3])
    else:
        # Description minus the innocent rows is the published file.
        assert (train, lost) == (expected[0] + expected[3], collections.Counter())
    assert (valid, test) == (expected[1], expected[2])

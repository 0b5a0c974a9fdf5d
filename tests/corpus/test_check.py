"""The checker accepts a good corpus and fails on each planted violation."""

import csv
import json
import shutil
import types

import pyarrow as pa
import pytest

from tests.corpus.helpers import SPLITS, command_options, concepts_table, write_world
from tests.corpus.test_build import ALIGNMENT, CORPUS, commands
from tests.corpus.worlds import tidy_world
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.files import read_json, write_json
from workflow_scripts.common.tables import read_table, write_table
from workflow_scripts.corpus.check_corpus import Params, check

SETTINGS = {
    "split": "inductive",
    "min_surface_chars": 3,
    "alias_filter": True,
    "type_constraint": True,
    "role_constraint": True,
    "mention_overlap_filter": True,
    "max_mention_freq": 12,
    "min_relation_freq": 2,
    "max_bag_size": 6,
    "strict_inductive": False,
    "inductive_negatives": False,
    "multi_label": False,
    "role_flip": "mended",
    "bag_pruning": "mended",
}
OWN = {name: SETTINGS[name] for name in ("max_mention_freq", "min_relation_freq", "max_bag_size")}


class Corpus:
    """A corpus on disk that a test may spoil."""

    def __init__(self, folder):
        self.folder, self.out = folder, folder / "out"
        names = {"train": "train.tsv", "valid": "valid.tsv", "test": "test.tsv"}
        names |= {"concepts": "concepts.parquet", "aliases": "aliases.parquet"}
        self.paths = {name: folder / "in" / file for name, file in names.items()}
        self.rows = {split: read_table(self.out / f"{split}.parquet", INSTANCES).to_pylist() for split in SPLITS}

    def find(self, split, positive, skip=0):
        return [row for row in self.rows[split] if (row["relation"] != "NA") == positive][skip]

    def write(self):
        """Write the rows as both files, in order, and count them anew, so that only one promise is broken."""
        for split in SPLITS:
            rows = sorted(self.rows[split], key=lambda r: (r["head"], r["tail"], r["relation"], r["sentence_id"]))
            write_table(self.out / f"{split}.parquet", pa.Table.from_pylist(rows, INSTANCES.schema), INSTANCES)
            with open(self.out / f"{split}.jsonl", "w", encoding="utf-8", newline="\n") as stream:
                for row in rows:
                    sides = {
                        side: {
                            "id": row[role],
                            "pos": [row[f"{role}_start"], row[f"{role}_end"]],
                            "name": row[f"{role}_name"],
                        }
                        for side, role in (("h", "head"), ("t", "tail"))
                    }
                    record = {"text": row["text"], **sides, "relation": row["relation"]}
                    stream.write(json.dumps(record, ensure_ascii=False) + "\n")

    def check(self, **changes):
        inputs = types.SimpleNamespace(**self.paths, threads=1, memory_mb=1000, tmp=None)
        return {p["name"]: p for p in check(self.out, inputs, Params(**SETTINGS | changes))["promises"]}

    def broken(self, **changes):
        """Names of the broken promises, but for the counts, which any change of the rows breaks."""
        return {name for name, p in self.check(**changes).items() if p["violations"]} - {"counts_true"}


@pytest.fixture
def corpus(built, tmp_path):
    shutil.copytree(built, tmp_path / "copy")
    return Corpus(tmp_path / "copy")


def test_a_good_corpus_keeps_all_promises(corpus):
    report = corpus.check()
    assert [name for name, promise in report.items() if promise["violations"]] == []
    beyond = {"positives_strictly_inductive", "na_inductive", "every_relation_of_a_pair"}
    assert {name for name, promise in report.items() if not promise["checked"]} == beyond
    assert len(report) == 26
    corpus.write()
    assert corpus.broken() == set()
    assert all(len(rows) > 40 for rows in corpus.rows.values())


def pairs_in_one_split(corpus):
    na = corpus.find("train", False)
    row = corpus.find("test", False)
    for name in ("head", "tail"):
        row[name] = na[name]


def pairs_not_inverted(corpus):
    na = corpus.find("train", False)
    row = corpus.find("valid", False)
    row["head"], row["tail"] = na["tail"], na["head"]


def positive_inverted_in_its_split(corpus):
    fact, row = corpus.find("train", True), corpus.find("train", False)
    row["head"], row["tail"] = fact["tail"], fact["head"]


def one_relation_per_pair(corpus):
    pairs = [(row["head"], row["tail"]) for row in corpus.rows["train"]]
    row = next(r for r in corpus.rows["train"] if r["relation"] != "NA" and pairs.count((r["head"], r["tail"])) > 1)
    row["relation"], row["rui"] = "NA", None


def one_pair_per_sentence(corpus):
    corpus.find("train", False)["sentence_id"] = corpus.find("test", True)["sentence_id"]


def one_text_per_sentence(corpus):
    first, second = corpus.find("train", False), corpus.find("train", False, 1)
    keep = {"head", "tail", "sentence_id"}
    second.update({name: value for name, value in first.items() if name not in keep})


def positives_are_facts(corpus):
    row = corpus.find("valid", True, -1)
    row["relation"] = "uses_substance" if row["relation"] != "uses_substance" else "cause_of"


def na_is_no_fact(corpus):
    row = corpus.find("train", True)
    row["relation"], row["rui"] = "NA", None


def na_is_no_inverse_fact(corpus):
    fact, row = corpus.find("train", True), corpus.find("train", False)
    row["head"], row["tail"] = fact["tail"], fact["head"]


def names_at_offsets(corpus):
    row = corpus.find("test", False)
    row["tail_start"], row["tail_end"] = row["tail_start"] + 1, row["tail_end"] + 1


def end_before_start(corpus):
    row = corpus.find("test", False)
    row["tail_end"] = row["tail_start"]


def concepts_known(corpus):
    corpus.find("test", False)["tail"] = "C9999999"


def head_is_tail(corpus):
    row = corpus.find("test", False)
    row["tail"] = row["head"]


def names_are_aliases(corpus):
    row = corpus.find("valid", False)
    name = "no such name"
    row["text"] = row["text"][: row["head_start"]] + name
    row["head_name"], row["head_end"] = name, row["head_start"] + len(name)
    row["tail_start"], row["tail_end"], row["tail_name"] = row["head_start"], row["head_end"], name


def rui_missing(corpus):
    corpus.find("valid", True)["rui"] = None


def rui_of_na(corpus):
    corpus.find("valid", False)["rui"] = "R1"


def na_types(corpus):
    row = corpus.find("train", False)
    row["head"], row["tail"] = row["tail"], row["head"]
    row["head_name"], row["tail_name"] = row["tail_name"], row["head_name"]


def names_in_one_split(corpus):
    first, second = corpus.find("train", False), corpus.find("valid", True)
    for name in ("text", "head_name", "tail_name", "head_start", "head_end", "tail_start", "tail_end"):
        first[name] = second[name]
    first["text"] += " ."


def names_in_one_split_turned(corpus):
    first, second = corpus.find("train", False), corpus.find("test", True)
    for role, other in (("head", "tail"), ("tail", "head")):
        for name in ("name", "start", "end"):
            first[f"{role}_{name}"] = second[f"{other}_{name}"]
    first["text"] = second["text"] + " ."


def relations_everywhere(corpus):
    relation = corpus.find("valid", True)["relation"]
    corpus.rows["valid"] = [row for row in corpus.rows["valid"] if row["relation"] != relation]


def relation_once_in_a_split(corpus):
    relation = corpus.find("test", True)["relation"]
    own = [row for row in corpus.rows["test"] if row["relation"] == relation]
    corpus.rows["test"] = [row for row in corpus.rows["test"] if row["relation"] != relation or row is own[0]]


def copies(row, number):
    """The same pair in further sentences."""
    for place in range(number):
        yield row | {"sentence_id": f"{place:032x}", "text": f"{row['text']} {place}"}


def mentions_not_too_frequent(corpus):
    row = corpus.find("valid", True)
    corpus.rows["valid"] += copies(row, 13)


def bags_not_too_large(corpus):
    row = corpus.find("train", True)
    corpus.rows["train"] += copies(row, 6)


def names_long_enough(corpus):
    row = corpus.find("test", False)
    row["head_end"] = row["head_start"] + 2
    row["head_name"] = row["text"][row["head_start"] : row["head_end"]]


PLANTED = {
    pairs_in_one_split: "pairs_in_one_split",
    pairs_not_inverted: "pairs_not_inverted",
    positive_inverted_in_its_split: "pairs_not_inverted",
    one_relation_per_pair: "one_relation_per_pair",
    one_pair_per_sentence: "one_pair_per_sentence",
    one_text_per_sentence: "one_pair_per_sentence",
    positives_are_facts: "positives_are_facts",
    na_is_no_fact: "na_is_no_fact",
    na_is_no_inverse_fact: "na_is_no_fact",
    names_at_offsets: "names_at_offsets",
    end_before_start: "names_at_offsets",
    concepts_known: "concepts_known",
    head_is_tail: "concepts_known",
    names_are_aliases: "names_are_aliases",
    rui_missing: "rows_behind_positives",
    rui_of_na: "rows_behind_positives",
    na_types: "na_types",
    names_in_one_split: "names_in_one_split",
    names_in_one_split_turned: "names_in_one_split",
    relations_everywhere: "relations_everywhere",
    relation_once_in_a_split: "relations_everywhere",
    mentions_not_too_frequent: "mentions_not_too_frequent",
    bags_not_too_large: "bags_not_too_large",
    names_long_enough: "names_long_enough",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_violation_is_found(corpus, plant):
    plant(corpus)
    corpus.write()
    report = corpus.check()
    promise = report[PLANTED[plant]]
    assert promise["violations"] >= 1
    assert 1 <= len(promise["first"]) <= 5


EXACT = {
    names_at_offsets: {"names_at_offsets"},
    rui_missing: {"rows_behind_positives"},
    bags_not_too_large: {"bags_not_too_large"},
    positives_are_facts: {"positives_are_facts"},
}


@pytest.mark.parametrize("plant", EXACT, ids=lambda plant: plant.__name__)
def test_nothing_else_is_blamed(corpus, plant):
    plant(corpus)
    corpus.write()
    assert corpus.broken() - {"one_relation_per_pair", "mentions_not_too_frequent"} == EXACT[plant]


SWITCHED_OFF = {
    names_are_aliases: {"alias_filter": False},
    na_types: {"type_constraint": False},
    names_in_one_split: {"mention_overlap_filter": False},
    bags_not_too_large: {"bag_pruning": "published"},
    mentions_not_too_frequent: {"max_mention_freq": 1000},
    relation_once_in_a_split: {"min_relation_freq": 1},
    names_long_enough: {"min_surface_chars": 1},
}


@pytest.mark.parametrize("plant", SWITCHED_OFF, ids=lambda plant: plant.__name__)
def test_a_switch_takes_its_promise_back(corpus, plant):
    plant(corpus)
    corpus.write()
    assert PLANTED[plant] in corpus.broken()
    assert PLANTED[plant] not in corpus.broken(**SWITCHED_OFF[plant])


def test_no_limit_on_bags_promises_nothing(corpus):
    bags_not_too_large(corpus)
    corpus.write()
    assert not corpus.check(max_bag_size=None)["bags_not_too_large"]["checked"]


def test_published_role_flip_allows_the_other_order_of_types(corpus):
    na_types(corpus)
    corpus.write()
    assert "na_types" in corpus.broken()
    assert "na_types" not in corpus.broken(role_flip="published")
    assert "na_types" in corpus.broken(role_flip="published", role_constraint=False)
    row = corpus.find("train", False)
    concepts = read_table(corpus.paths["concepts"], CONCEPTS).to_pylist()
    kinds = {c["cui"]: (c["tui"], c["sty"], c["group"]) for c in concepts}
    kinds[row["head"]] = ("T999", "A type of no fact", "DISO")
    write_table(corpus.paths["concepts"], concepts_table(kinds), CONCEPTS)
    facts = {split: corpus.paths[split].read_text().splitlines() for split in SPLITS}
    for split, lines in facts.items():
        kept = [line for line in lines if row["head"] not in line]
        corpus.paths[split].write_text("".join(f"{line}\n" for line in kept))
    assert "na_types" in corpus.broken(role_flip="published")


@pytest.mark.parametrize("role", ["head", "tail"])
def test_roles_are_checked(corpus, role):
    row = corpus.find("test", False)
    column = {"head": 0, "tail": 2}[role]
    for split in SPLITS:
        lines = corpus.paths[split].read_text().splitlines()
        kept = [line for line in lines if line.split("\t")[column] != row[role]]
        corpus.paths[split].write_text("".join(f"{line}\n" for line in kept))
    assert "na_roles" in corpus.broken()
    assert "na_roles" not in corpus.broken(role_constraint=False)


@pytest.mark.parametrize(("split", "others"), [("valid", ["train"]), ("test", ["train"]), ("test", ["train", "valid"])])
def test_a_positive_without_a_new_concept_is_found(corpus, split, others):
    row = corpus.find(split, True)
    for place, role in enumerate(("head", "tail")):
        fact = corpus.find(others[place % len(others)], True)
        fact[role] = row[role]
        fact["sentence_id"], fact["text"] = f"{place:032x}", f"{fact['text']} {place}"
        if len(others) == 1:
            other = corpus.find("train", True, 1 + place)
            other[role] = row[role]
    corpus.write()
    assert "positives_inductive" in corpus.broken()
    assert "positives_inductive" not in corpus.broken(split="transductive")


@pytest.mark.parametrize("turned", [False, True])
def test_a_fact_of_two_splits_is_found(corpus, turned):
    row = corpus.find("test", True)
    fact = [row["head"], row["relation"], row["tail"]]
    with open(corpus.paths["train"], "a", encoding="utf-8") as stream:
        stream.write("\t".join(fact[::-1] if turned else fact) + "\n")
    assert "facts_of_one_split" in corpus.broken()


def test_aliases_are_lower_cased_as_python_does(corpus):
    row = corpus.find("valid", False)
    aliases = read_table(corpus.paths["aliases"], ALIASES).to_pylist()
    spelled = [
        alias | {"name": alias["name"].upper()} if alias["cui"] in (row["head"], row["tail"]) else alias
        for alias in aliases
    ]
    table = pa.Table.from_pylist(sorted(spelled, key=lambda a: (a["cui"], a["name"])), ALIASES.schema)
    write_table(corpus.paths["aliases"], table, ALIASES)
    assert corpus.broken() == set()


@pytest.mark.parametrize("numbers", [{"NA": 1}, {}, {"NA": 0, "zzz": 1}])
def test_wrong_relation_numbers_are_found(corpus, numbers):
    if not numbers:
        found = list(read_json(corpus.out / "rel2id.json").items())
        numbers = dict(
            [found[0], *[(name, place) for (name, _), place in zip(found[:0:-1], range(1, 9), strict=False)]]
        )
    (corpus.out / "rel2id.json").write_text(json.dumps(numbers))
    assert corpus.broken() == {"relation_numbers"}


LINES = {
    "a line less": lambda lines: lines[:-1],
    "a line more": lambda lines: [*lines, lines[0]],
    "two lines swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
    "another text": lambda lines: [lines[0].replace('"text": "', '"text": "x'), *lines[1:]],
    "no JSON": lambda lines: ["{", *lines[1:]],
    "another order of keys": lambda lines: [json.dumps(json.loads(lines[0]), sort_keys=True), *lines[1:]],
    "a further key": lambda lines: [json.dumps(json.loads(lines[0]) | {"o": []}), *lines[1:]],
    "an offset as text": lambda lines: [lines[0].replace('"pos": [', '"pos": ["0", '), *lines[1:]],
}


@pytest.mark.parametrize("spoil", LINES.values(), ids=LINES)
@pytest.mark.parametrize("split", SPLITS)
def test_lines_that_are_not_the_rows_are_found(corpus, split, spoil):
    path = corpus.out / f"{split}.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    path.write_text("".join(f"{line}\n" for line in spoil(lines)), encoding="utf-8")
    assert corpus.broken() == {"lines_equal_rows"}


def test_rows_out_of_order_are_found(corpus):
    import pyarrow.parquet as pq

    path = corpus.out / "valid.parquet"
    rows = corpus.rows["valid"][::-1]
    pq.write_table(pa.Table.from_pylist(rows, INSTANCES.schema), path)
    assert corpus.broken() == {"tables_in_order"}


COUNTS = [("splits", split, name) for split in SPLITS for name in ("instances", "positives", "na", "facts", "bags")]
COUNTS += [("entities",), ("types",), ("type_pairs",), ("relations",), ("instances_by_relation", "valid", "NA")]


@pytest.mark.parametrize("place", COUNTS, ids=".".join)
def test_wrong_statistics_are_found(corpus, place):
    statistics = read_json(corpus.out / "statistics.json")
    inner = statistics
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] += 1
    write_json(corpus.out / "statistics.json", statistics)
    report = corpus.check()
    assert report["counts_true"]["violations"] == 1
    assert ".".join(place[:2]) in report["counts_true"]["first"][0]["where"]


@pytest.mark.parametrize("column", ["instances_after", "positives_after", "na_after", "facts_after"])
def test_a_wrong_funnel_is_found(corpus, column):
    path = corpus.out / "funnel.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    rows[-1][column] = "1"
    with open(path, "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert corpus.check()["counts_true"]["violations"] == 1


def test_the_command_fails_and_lists_the_first_violations(run_command, corpus):
    options = [
        *("--folder", corpus.out, "--output", corpus.folder / "check.json", "--params", json.dumps(SETTINGS)),
        *command_options(corpus.paths, [*SPLITS, "concepts", "aliases"]),
    ]
    process = run_command("corpus/check_corpus.py", *options)
    assert process.returncode == 0, process.stderr
    assert read_json(corpus.folder / "check.json")["kept"] is True
    names_at_offsets(corpus)
    row = corpus.find("test", False)
    corpus.write()
    process = run_command("corpus/check_corpus.py", *options)
    assert process.returncode == 3
    assert "names_at_offsets: text[pos] is the name, for head and tail: 1 violations, the first:" in process.stderr
    assert row["tail_name"] in process.stderr
    assert "Traceback" not in process.stderr
    assert read_json(corpus.folder / "check.json")["kept"] is False


def test_published_switches_keep_their_promises(run_command, tmp_path):
    paths = write_world(tidy_world(seed=4, sentences=1500), tmp_path / "in")
    switches = {"alignment": {"role_flip": "published"}}
    switches["corpus"] = OWN | {"relation_redraw": "published", "bag_pruning": "published"}
    process = commands(run_command, paths, tmp_path / "out", **switches)
    assert process.returncode == 0, process.stderr
    assert Corpus(tmp_path).broken(role_flip="published", bag_pruning="published") == set()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("off", ["alias_filter", "mention_overlap_filter", "type_constraint", "role_constraint"])
def test_other_corpora_keep_their_promises(run_command, tmp_path, seed, off):
    paths = write_world(tidy_world(seed=seed, entities=15 + seed, sentences=800), tmp_path / "in")
    alignment, corpus = ({off: False} if off in own else {} for own in (ALIGNMENT, CORPUS))
    process = commands(run_command, paths, tmp_path / "out", alignment=alignment, corpus=OWN | corpus)
    assert process.returncode == 0, process.stderr
    assert Corpus(tmp_path).broken(**{off: False}) == set()

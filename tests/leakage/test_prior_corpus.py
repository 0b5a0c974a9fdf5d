"""The rebuilt benchmarks: equal to a restatement with Python loops; what training knows is taken out; matching."""

import collections
import hashlib
import itertools
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workflow_scripts.common import duck
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table, write_table
from workflow_scripts.leakage import build_prior_corpus, match_names, remove_overlap, type_surfaces
from workflow_scripts.leakage.build_prior_kb import FACTS, NAMES
from workflow_scripts.leakage.names import Matcher, form

SPLITS = ("train", "valid", "test")
SEED = 2019


def key(*parts):
    return hashlib.md5("\x1f".join(map(str, (SEED, *parts))).encode()).hexdigest()


@pytest.mark.parametrize(
    "text, fold, expected",
    [
        ("The cold and the Flu .", False, [(4, 8, "cold")]),
        ("The cold and the Flu .", True, [(4, 8, "cold"), (17, 20, "flu")]),
        ("A common cold , not cold .", False, [(2, 13, "common cold"), (20, 24, "cold")]),
        ("colder flu-like cold", False, [(7, 10, "flu"), (16, 20, "cold")]),
        ("the virus ( type 2 ) , éa cold", False, [(4, 20, "virus ( type 2 )"), (26, 30, "cold")]),
        ("", False, []),
    ],
)
def test_names_are_whole_words_and_the_longest_wins(text, fold, expected):
    names = ["cold", "common cold", "Flu" if fold else "flu", "virus (type 2)"]
    matcher = Matcher([form(name).lower() if fold else form(name) for name in names], fold)
    assert matcher.spans(text) == expected


@pytest.mark.parametrize(
    "text, lost, number",
    [
        ("cold and flu", False, 2),
        ("cold and flu", True, 0),
        ("cold , flu , ague", True, 2),
        ("cold , flu , cold", False, 0),
        ("cold and", False, 0),
        ("x" * 20 + " cold flu", False, 0),
    ],
)
def test_which_sentences_count(text, lost, number):
    settings = match_names.Params("umls_v2", 5, 25, lost)
    assert len(match_names.kept_spans(Matcher({"cold", "flu", "ague"}, False), text, settings)) == number


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A release and its text: 30 concepts with 2 names each (some shared), 3 relations, 1,200 sentences."""
    folder, dice = tmp_path_factory.mktemp("world"), random.Random(5)
    names = {(f"n{i}{kind}", f"C{i:02d}") for i in range(30) for kind in "ab"} | {("n1a", "C02"), ("n7b", "C20")}
    facts = {
        (f"C{a:02d}", relation, f"C{b:02d}")
        for relation in ("r1", "r2", "r3")
        for a, b in (dice.sample(range(30), 2) for _ in range(60))
    }
    surfaces = sorted({name for name, _ in names})
    texts = {" and ".join(dice.sample(surfaces, dice.choice((2, 3, 4)))) for _ in range(1200)}
    texts |= {text.replace("and", "or") for text in sorted(texts)[:500]}
    sentences = sorted((hashlib.md5(text.encode()).hexdigest(), text) for text in texts)
    columns = {"sentence_id": [i for i, _ in sentences], "text": [t for _, t in sentences]}
    rest = {"n_tokens": 5, "pmid": 1, "field": "0", "start": 0, "end": 1}
    table = pa.table(columns | {name: [value] * len(sentences) for name, value in rest.items()})
    write_table(folder / "sentences.parquet", table, SENTENCES)
    for name, rows, contract in (("names", sorted(names), NAMES), ("facts", sorted(facts), FACTS)):
        lists = dict(zip(contract.schema.names, zip(*rows, strict=True), strict=True))
        write_table(folder / f"{name}.parquet", pa.table({k: list(v) for k, v in lists.items()}), contract)
    matcher = Matcher({name for name, _ in names}, False)
    tables = match_names.matches(folder / "sentences.parquet", matcher, match_names.Params("umls_v2", 1, 256, False))
    write_table(folder / "matches.parquet", pa.concat_tables(tables), match_names.MATCHES)
    return folder, names, facts, dict(sentences)


def restated(names, facts, texts, style, most):
    """split -> set of (head, relation, tail, sentence), by loops."""
    denoted = collections.defaultdict(set)
    for name, cui in names:
        denoted[name].add(cui)
    known = collections.defaultdict(set)
    for a, b in itertools.permutations(denoted, 2):
        for h, r, t in facts:
            if h in denoted[a] and t in denoted[b]:
                known[a, b].add(r)
    words = {sentence: [w for w in text.split() if w in denoted] for sentence, text in texts.items()}
    words = {sentence: own for sentence, own in words.items() if len(own) > 1}
    aligned = {(s, a, r, b) for s, own in words.items() for a, b in itertools.permutations(own, 2) for r in known[a, b]}
    pairs = collections.defaultdict(set)
    for _, a, r, b in aligned:
        pairs[r].add((a, b))
    positives = {row for row in aligned if 10 <= len(pairs[row[2]]) <= most}
    ends = {name for _, a, _, b in positives for name in (a, b)}
    by_sentence = collections.defaultdict(list)
    for s, a, _, b in positives:
        by_sentence[s].append((a, b))
    negatives = set()
    for s, own in by_sentence.items():
        corrupted = [(a, b) for a, b in itertools.permutations(words[s], 2) if {a, b} <= ends
                     and not known[a, b] and not known[b, a]
                     and any(a == x or b == y for x, y in own)]  # fmt: skip
        negatives |= {(s, *pair) for pair in sorted(corrupted, key=lambda pair: key(s, *pair))[: len(own)]}
    sizes = [len(pairs[r]) for r in pairs if 10 <= len(pairs[r]) <= most]
    wanted = int((max(sizes) if style == "umls_v3" else len({row[1:] for row in positives})) * 0.7)
    drawn = sorted({row[1:] for row in negatives}, key=lambda pair: key(*pair))[:wanted]
    rows = positives | {(s, a, "NA", b) for s, a, b in negatives if (a, b) in set(drawn)}
    bags, place = collections.defaultdict(list), {}
    for s, *triple in rows:
        bags[tuple(triple)].append(s)
    for relation in {triple[1] for triple in bags}:
        own = sorted((t for t in bags if t[1] == relation), key=lambda t: key(*t))
        n_test = round(len(own) * 0.2)
        n_valid = (len(own) - n_test + 5) // 10
        for number, triple in enumerate(own):
            place[triple] = "test" if number < n_test else "valid" if number < n_test + n_valid else "train"
    kept = {t: sorted(own, key=lambda s: key(s, *t))[:3] for t, own in bags.items()}
    held_out = {s for t, own in kept.items() if place[t] != "train" for s in own}
    return {
        split: {(*t, s) for t, own in kept.items() if place[t] == split for s in own
                if split != "train" or s not in held_out}
        for split in SPLITS
    }  # fmt: skip


def build(world, folder, style, most=1500, fewest=10):
    source = world[0]
    paths = {"matches": [source / "matches.parquet"], "sentences": [source / "sentences.parquet"]}
    paths |= {name: source / f"{name}.parquet" for name in ("names", "facts")}
    settings = build_prior_corpus.Params(style, SEED, fewest, most, 0.7, 3, 0.2, 0.1)
    with duck.database(1, 2000, folder) as database:
        build_prior_corpus.build(database, paths, folder, settings)
    return {split: pq.read_table(folder / f"{split}.parquet").to_pylist() for split in SPLITS}


@pytest.mark.parametrize("style, most", [("umls_v2", 1500), ("umls_v3", 1500), ("umls_v2", 240)])
def test_a_corpus_equals_its_restatement(world, tmp_path, style, most):
    rows = build(world, tmp_path, style, most)
    expected = restated(*world[1:], style, most)
    for split, own in rows.items():
        found = [(row["head"], row["relation"], row["tail"], row["sentence_id"]) for row in own]
        assert sorted(found) == sorted(expected[split])
        for row in own:
            for side in ("head", "tail"):
                assert row["text"][row[f"{side}_start"] : row[f"{side}_end"]] == row[f"{side}_name"] == row[side]
    relations = {row["relation"] for own in rows.values() for row in own}
    assert "NA" in relations and len(relations) > (1 if most == 240 else 3)
    numbers = json.loads((tmp_path / "rel2id.json").read_text(encoding="utf-8"))
    assert list(numbers) == ["NA", *sorted(relations - {"NA"})] and list(numbers.values()) == list(range(len(numbers)))
    lines = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["h"]["id"] for line in lines] == [row["head"] for row in rows["test"]]


def test_what_training_knows_is_taken_out_and_nothing_else(world, tmp_path):
    before = build(world, tmp_path, "umls_v2")
    source = {split: tmp_path / f"{split}.parquet" for split in SPLITS}
    clean = tmp_path / "clean"
    with duck.database(1, 2000, tmp_path) as database:
        remove_overlap.remove(database, source, world[0] / "names.parquet", clean, remove_overlap.Params("umls_v2", 3))
    denoted = collections.defaultdict(set)
    for name, cui in world[1]:
        denoted[name].add(cui)

    def concepts(row):
        return {(h, t) for h in denoted[row["head"]] for t in denoted[row["tail"]]}

    known = {pair for row in before["train"] for h, t in concepts(row) for pair in ((h, t), (t, h))}
    for split in SPLITS:
        after = pq.read_table(clean / f"{split}.parquet").to_pylist()
        kept = [row for row in before[split] if split == "train" or not concepts(row) & known]
        assert after == kept
    assert len(kept) < len(before["test"])


def test_no_relation_of_that_size_is_an_error(world, tmp_path):
    with pytest.raises(DataError, match="no relation with enough surface pairs"):
        build(world, tmp_path, "umls_v2", fewest=1400)
    assert not list(tmp_path.glob("*.json*"))


def test_names_and_facts_of_a_release(run_command, tmp_path):
    conso = [("C1", "ENG", "Cold"), ("C1", "ENG", "Cold"), ("C1", "FRE", "Rhume"), ("C2", "ENG", "ab")]
    conso += [("C2", "ENG", "With"), ("C2", "ENG", "flu-like (x)")]
    rel = [("C1", "RO", "C2", "cause_of")] * 2 + [("C2", "RO", "C1", ""), ("C1", "PAR", "C2", "isa")]
    lines = [f"{cui}|{lat}|P|L1|PF|S1|Y|A1||||XX|PT|1|{text}|0|N||" for cui, lat, text in conso]
    (tmp_path / "MRCONSO.RRF").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [f"{a}|A1|AUI|{rel}|{b}|A2|AUI|{rela}|R1||XX|XX|||N||" for a, rel, b, rela in rel]
    (tmp_path / "MRREL.RRF").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = [part for name in ("MRCONSO", "MRREL") for part in (f"--{name.lower()}", tmp_path / f"{name}.RRF")]
    arguments += ["--names", tmp_path / "names.parquet", "--facts", tmp_path / "facts.parquet"]
    done = run_command("leakage/build_prior_kb.py", *arguments)
    assert done.returncode == 0, done.stderr
    names = read_table(tmp_path / "names.parquet", NAMES).to_pylist()
    assert names == [{"name": "Cold", "cui": "C1"}, {"name": "flu - like ( x )", "cui": "C2"}]
    facts = read_table(tmp_path / "facts.parquet", FACTS).to_pylist()
    assert facts == [{"head": "C1", "relation": "cause_of", "tail": "C2"}]


def test_the_proof_finds_what_it_plants(world, tmp_path, run_command):
    build(world, tmp_path, "umls_v2")
    (tmp_path / "inverses.tsv").write_text("relation\tinverse\nr1\tr9\n", encoding="utf-8")
    arguments = [part for split in SPLITS for part in (f"--{split}", tmp_path / f"{split}.parquet")]
    arguments += ["--names", world[0] / "names.parquet", "--inverses", tmp_path / "inverses.tsv"]
    arguments += ["--output", tmp_path / "proof.json", "--params", '{"fold_case":false,"planted":2}']
    done = run_command("leakage/prove_audit.py", *arguments)
    assert done.returncode == 0, done.stderr
    proof = json.loads((tmp_path / "proof.json").read_text(encoding="utf-8"))
    gained = {name: proof["after"][name] - proof["before"][name] for name in proof["after"]}
    planted = proof["planted"]
    assert gained["n"] == gained["either"] == sum(planted.values()) > 2
    assert gained["inverse"] == planted["turned"] and gained["direct"] == planted["copied"] + planted["renamed"]


def test_a_surface_form_has_the_type_of_its_smallest_concept(tmp_path):
    names = [("Cold", "C3"), ("Cold", "C2"), ("cold", "C1"), ("flu", "C9"), ("virus", "C2")]
    columns = dict(zip(NAMES.schema.names, map(list, zip(*sorted(names), strict=True)), strict=True))
    write_table(tmp_path / "names.parquet", pa.table(columns), NAMES)
    rest = {"name": "x", "sty": "a type", "group": "DISO", "n_types": 1}
    rows = [{"cui": f"C{i}", "tui": f"T{i}"} | rest for i in (2, 3)]
    write_table(tmp_path / "concepts.parquet", pa.Table.from_pylist(rows, schema=CONCEPTS.schema), CONCEPTS)
    for fold, expected in ((False, {"Cold": "T2", "virus": "T2"}), (True, {"cold": "T2", "virus": "T2"})):
        with duck.database(1, 1000, tmp_path) as database:
            found = pa.concat_tables(
                type_surfaces.typed(database, tmp_path / "names.parquet", tmp_path / "concepts.parquet", fold)
            )
        assert dict(zip(found["cui"].to_pylist(), found["tui"].to_pylist(), strict=True)) == expected

"""The published code's outputs: equal at every stage wherever no random draw decides."""

import collections
import gzip
import json

import pytest

from tests.corpus.helpers import World, as_table, write_world
from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.tables import read_table, write_table
from workflow_scripts.corpus.align_sentences import Params as AlignmentParams
from workflow_scripts.corpus.align_sentences import align
from workflow_scripts.corpus.aligned import ALIGNED
from workflow_scripts.corpus.build_corpus import Params, build
from workflow_scripts.corpus.graph import load_graph

NAMES = {"train": "train", "valid": "dev", "test": "test"}
STAGES = {
    "alias_filter": "1_aligned",
    "mention_overlap_filter": "2_no_shared_surface_pairs",
    "mention_pruning": "3_mentions_pruned",
    "relation_pruning": "4_final",
}
ALIGNMENT = AlignmentParams(
    seed=0,
    negative_draws=500,
    min_surface_chars=3,
    type_constraint=True,
    role_constraint=True,
    strict_inductive=False,
    inductive_negatives=False,
    role_flip="published",
    stream_tails="mended",
)
CORPUS = {
    "seed": 0,
    "negatives_share": None,
    "positive_sample": 1.0,
    "alias_filter": True,
    "mention_overlap_filter": True,
    "max_mention_freq": 20,
    "min_relation_freq": 1,
    "max_bag_size": 10,
    "strict_inductive": False,
    "multi_label": False,
    "bag_pruning": "published",
    "relation_redraw": "published",
}


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return stream.read().removesuffix("\n").split("\n")


class Oracle:
    """The oracle's input as the stage reads it. Ids of sentences are positions: equal lines stay apart."""

    def __init__(self, folder, linked, target):
        self.folder, self.expected = folder / "input", folder / "expected"
        facts = {
            split: sorted({tuple(line.split("\t")) for line in lines(self.folder / f"ind-{name}.tsv.gz")})
            for split, name in NAMES.items()
        }
        styles = json.loads("\n".join(lines(self.folder / "cui2sty.json.gz")))
        types = {cui: ("T000", sty, "ANY") for cui, sty in styles.items()}
        self.texts, sentences = {}, []
        for number, line in enumerate(lines(self.folder / linked)):
            record = json.loads(line)
            identifier = f"{number * 0x9E3779B97F4A7C15 % (1 << 64):016x}{number:016x}"
            self.texts[identifier] = record["text"]
            mentions = [(cui, *span) for cui, _, span in record["mentions"]]
            sentences.append((identifier, record["text"], mentions))
        self.world = World(facts, types, sentences, {})
        self.paths = write_world(self.world, target)
        names = [json.loads(line) for line in lines(self.folder / "concepts.jsonl.gz")]
        rows = {(r["cui"], name) for r in names for name in [r["canonical_name"], *r["aliases"]]}
        write_table(self.paths["aliases"], as_table([(*row, False, False) for row in sorted(rows)], ALIASES), ALIASES)
        self.graph = load_graph([self.paths[split] for split in NAMES], self.paths["concepts"])
        align(self.paths["mentions"], self.graph, ALIGNMENT, target / "aligned.parquet", target / "aligned.json")
        self.aligned = read_table(target / "aligned.parquet", ALIGNED)

    def run(self, **changes):
        """(step, split) -> Counter of lines, as the published files hold them."""
        found = {}

        def observe(step, rows):
            table = self.aligned.take(rows.place).to_pylist()
            for split in NAMES:
                found[step, split] = collections.Counter()
            for row, relation in zip(table, rows.relation.tolist(), strict=True):
                name = "NA" if relation < 0 else self.graph.relations[relation]
                sides = {
                    key: {
                        "id": row[role],
                        "pos": [row[f"{role}_start"], row[f"{role}_end"]],
                        "name": row[f"{role}_name"],
                    }
                    for key, role in (("h", "head"), ("t", "tail"))
                }
                line = {"text": self.texts[row["sentence_id"]], **sides, "relation": name}
                found[step, row["split"]][json.dumps(line, sort_keys=True)] += 1

        build(self.aligned, self.graph, self.paths["aliases"], Params(**CORPUS | changes), observe)
        return found

    def wanted(self, stage, split):
        path = self.expected / stage / f"{NAMES[split]}.jsonl.gz"
        return collections.Counter(json.dumps(json.loads(line), sort_keys=True) for line in lines(path))


@pytest.fixture(scope="module")
def oracle(shared_data, tmp_path_factory):
    folder = shared_data / "oracle" / "aligner"
    return Oracle(folder, "main_linked.jsonl.gz", tmp_path_factory.mktemp("main"))


@pytest.fixture(scope="module")
def published(oracle):
    return oracle.run()


@pytest.mark.parametrize("step", STAGES)
@pytest.mark.parametrize("split", NAMES)
def test_every_stage_equals_the_published_output(oracle, published, step, split):
    wanted = oracle.wanted(STAGES[step], split)
    assert sum(wanted.values()) > 500
    assert published[step, split] == wanted


@pytest.mark.parametrize("split", NAMES)
def test_other_parameters_equal_the_published_output(oracle, split):
    found = oracle.run(max_mention_freq=8, min_relation_freq=20)
    assert found["relation_pruning", split] == oracle.wanted("4_final_alt", split)


def test_where_a_draw_decides_one_of_the_published_choices_is_taken(shared_data, tmp_path):
    oracle = Oracle(shared_data / "oracle" / "aligner", "multi_linked.jsonl.gz", tmp_path)
    found = oracle.run()
    place = {}
    for (step, split), counter in found.items():
        if step == "alias_filter":
            for line, number in counter.items():
                line = json.loads(line)
                place.setdefault(line["text"], []).extend([(split, line)] * number)
    texts = [json.loads(line)["text"] for line in lines(oracle.folder / "multi_linked.jsonl.gz")]
    drawn = collections.Counter()
    choices = [json.loads(line) for line in lines(oracle.expected / "multi_choices.jsonl.gz")]
    assert len(choices) == len(texts) == len(set(texts))
    relations = collections.defaultdict(set)
    for choice in choices:
        ((split, line),) = place.pop(texts[choice["line"]])
        assert NAMES[split] == choice["split"]
        options = [(option["h"], option["t"]) for option in choice["choices"]]
        pair = (line["h"]["id"], line["t"]["id"])
        assert pair in options
        assert line["relation"] in choice["choices"][options.index(pair)]["relations"]
        relations[pair].add(line["relation"])
        if len(options) > 1:
            drawn[options.index(pair)] += 1
    assert not place
    assert all(len(names) == 1 for names in relations.values())
    assert min(drawn[0], drawn[1]) > 20

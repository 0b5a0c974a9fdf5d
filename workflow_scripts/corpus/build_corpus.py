"""Build a corpus from the aligned sentences: sampling, relations, filters, files and statistics.

The steps and their order are the published ones: sample of positives, share of negatives, one relation per pair,
alias filter, pairs of surfaces shared by splits, frequent mentions, (mended: large bags,) rare relations.
"""

import dataclasses
import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, read_json, write_json
from workflow_scripts.common.tables import read_table
from workflow_scripts.corpus import filters, selection
from workflow_scripts.corpus.aligned import ALIGNED
from workflow_scripts.corpus.datasheet import datasheet
from workflow_scripts.corpus.funnel import Funnel
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.rows import numbered
from workflow_scripts.corpus.sentence_keys import draw_keys
from workflow_scripts.corpus.splits import SPLITS
from workflow_scripts.corpus.summary import statistics
from workflow_scripts.corpus.writing import sentence_texts, write_instances, write_relation_numbers


@dataclasses.dataclass(frozen=True)
class Params:
    """Parameters of the corpus; meanings in schemas/config.schema.yaml (corpus, construction)."""

    seed: int
    negatives_share: float | None
    positive_sample: float
    alias_filter: bool
    mention_overlap_filter: bool
    max_mention_freq: int
    min_relation_freq: int
    max_bag_size: int | None
    strict_inductive: bool
    multi_label: bool
    bag_pruning: str
    relation_redraw: str


@dataclasses.dataclass
class Built:
    """A filtered corpus: its rows, what was counted, and the tables that its numbers refer to."""

    rows: object
    graph: object
    aligned: pa.Table
    funnel: Funnel
    pruned: list = dataclasses.field(default_factory=list)
    notes: dict = dataclasses.field(default_factory=dict)


def main(args):
    """Build the corpus and write all of its files."""
    settings = params.parse(Params, args.params)
    graph = load_graph([args.train, args.valid, args.test], args.concepts)
    built = build(read_table(args.aligned, ALIGNED), graph, args.aliases, settings)
    _require_relations(built, args.output)
    write(built, settings, args)


def build(aligned, graph, aliases_path, settings, observe=lambda step, rows: None):
    """Select and filter the aligned sentences.

    Parameters
    ----------
    aligned : pyarrow.Table
        Contract ALIGNED.
    graph : Graph
        The graph that it was aligned with.
    aliases_path : path
        Contract ALIASES.
    settings : Params
    observe : callable, optional
        Called with (step, rows) after each step.

    Returns
    -------
    Built
    """
    rows, names = numbered(aligned, graph)
    built = Built(rows, graph, aligned, Funnel(graph.n))

    def after(step, mask=None):
        built.rows = built.rows if mask is None else built.rows.keep(mask)
        built.funnel.add(step, built.rows)
        observe(step, built.rows)
        logging.info("after %s: %d instances", step, len(built.rows))

    def keys(purpose):
        return draw_keys(aligned["sentence_id"], settings.seed, purpose)[built.rows.place]

    after("alignment")
    if settings.strict_inductive:
        after("strict_inductive", selection.strictly_inductive(built.rows, graph))
    mask = selection.sampled_positives(built.rows, settings.positive_sample, keys("positive sample"))
    after("positive_sample", mask)
    mask = selection.balanced_negatives(built.rows, settings.negatives_share, keys("negatives share"))
    after("negatives_share", mask)
    if settings.multi_label:
        built.rows = selection.with_every_relation(built.rows, graph)
        after("multi_label")
    else:
        ids = None
        if settings.relation_redraw == "published":
            ids = aligned["sentence_id"].filter(places_mask(aligned, built.rows.place)).to_pylist()
        relation = selection.relations_of(built.rows, graph, settings.seed, ids)
        built.rows = dataclasses.replace(built.rows, relation=relation)
    if settings.alias_filter:
        mask, built.notes["entities_without_alias"] = filters.named_by_aliases(built.rows, names, graph, aliases_path)
        after("alias_filter", mask)
    if settings.mention_overlap_filter:
        after("mention_overlap_filter", filters.without_shared_surfaces(built.rows, len(names.surfaces)))
    mask, built.pruned = filters.without_frequent_mentions(built.rows, names, graph, settings.max_mention_freq)
    after("mention_pruning", mask)
    if settings.bag_pruning == "mended":
        after("bag_pruning", selection.small_bags(built.rows, settings.max_bag_size, keys("bag"), graph.n))
    mask = filters.with_common_relations(built.rows, len(graph.relations), settings.min_relation_freq)
    after("relation_pruning", mask)
    return built


def _require_relations(built, output):
    if not built.rows.positive.any():
        raise DataError(
            output,
            found=f"no relation is left; instances by step\n{built.funnel.text()}",
            expected="at least one relation with corpus.min_relation_freq instances in each of train, valid and test",
            remedy="more text or a larger graph; or loosen the step above after which the instances vanish",
        )


def places_mask(table, places):
    """Arrow mask of the given rows: filtering, unlike taking, never joins the chunks of a large table."""
    mask = np.zeros(table.num_rows, dtype=bool)
    mask[places] = True
    return pa.array(mask)


def instances(built, split, texts):
    """One split as a table of the contract INSTANCES, without the column rui, sorted.

    Parameters
    ----------
    built : Built
    split : int
        Position in SPLITS.
    texts : pyarrow.Array of string
        Text of each row of `built.rows`.
    """
    own = np.flatnonzero(built.rows.split == split)
    rows = built.rows.keep(own)
    table = built.aligned.filter(places_mask(built.aligned, rows.place)).drop_columns(["split", "positive"])
    if len(rows) != table.num_rows:  # multi_label: a place may stand several times
        table = table.take(pa.array(np.searchsorted(np.unique(rows.place), rows.place)))
    names = pa.array([*built.graph.relations, "NA"])
    table = table.append_column("relation", names.take(pa.array(rows.relation % len(names))))
    table = table.append_column("text", texts.take(pa.array(own)))
    return table.sort_by([(name, "ascending") for name in ("head", "tail", "relation", "sentence_id")])


def with_ruis(table, triples_path):
    """Add the column rui: the MRREL row of each positive instance, null for NA or where there is none."""
    facts = table.filter(pc.not_equal(table["relation"], "NA")).select(["head", "relation", "tail"])
    found = filters.ruis_of(facts, triples_path)
    keys = zip(*(table[name].to_pylist() for name in ("head", "relation", "tail")), strict=True)
    return table.append_column("rui", pa.array([found.get(key) for key in keys], pa.string()))


def write(built, settings, args):
    """Write the instances of each split, rel2id.json, funnel.csv, statistics.json and datasheet.md."""
    places, place = np.unique(built.rows.place, return_inverse=True)
    ids = built.aligned["sentence_id"].filter(places_mask(built.aligned, places)).combine_chunks()
    texts = sentence_texts(ids, args.sentences).take(pa.array(place))
    unknown = 0
    for split, name in enumerate(SPLITS):
        table = with_ruis(instances(built, split, texts), args.triples)
        unknown += pc.sum(pc.and_(pc.is_null(table["rui"]), pc.not_equal(table["relation"], "NA")), min_count=0).as_py()
        write_instances(args.output / name, table)
    relations = [built.graph.relations[number] for number in np.unique(built.rows.relation).tolist() if number >= 0]
    write_relation_numbers(args.output / "rel2id.json", relations)
    concepts = read_table(args.concepts, CONCEPTS, columns=["cui", "tui", "sty", "group"])
    sentences = read_json(args.sentence_funnel)
    counts = {step["step"]: step["number"] for step in sentences["steps"]}
    built.notes["facts_without_concept"] = sentences["facts_without_concept"]
    built.notes["positives_without_rui"] = unknown
    figures = statistics(built.rows, built.graph, concepts, built.pruned, settings.max_mention_freq) | built.notes
    write_json(args.output / "statistics.json", figures)
    built.funnel.write(args.output / "funnel.csv", counts)
    with atomic_open(args.output / "datasheet.md") as stream:
        settings = dataclasses.asdict(settings)
        stream.write(datasheet(args.corpus, settings, figures, counts, built.funnel.steps))
    logging.info("funnel\n%s", built.funnel.text())


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", required=True, help="id of the corpus")
    parser.add_argument("--aligned", type=Path, required=True, help="aligned sentences (align_sentences)")
    parser.add_argument("--sentence-funnel", type=Path, required=True, help="funnel of sentences (align_sentences)")
    parser.add_argument("--sentences", type=Path, nargs="+", required=True, help="tables of text/sentences")
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=Path, required=True, help=f"{split} facts: head, relation, tail (TSV)")
    parser.add_argument("--concepts", type=Path, required=True, help="kg/concepts.parquet")
    parser.add_argument("--triples", type=Path, required=True, help="kg/triples.parquet")
    parser.add_argument("--aliases", type=Path, required=True, help="linking/kb/aliases.parquet")
    parser.add_argument("--output", type=Path, required=True, help="folder of the corpus")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

"""Align linked sentences with the split knowledge graph: each sentence gets one pair of concepts, or none.

Reads the mentions (best concept of each) and the three split files; writes one row for each sentence that
states a fact of a split or mentions an NA candidate, and the funnel of sentences.
"""

import dataclasses
import logging
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common import command, params
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.progress import Progress
from workflow_scripts.corpus.aligned import ALIGNED
from workflow_scripts.corpus.alignment import COUNTS, Candidates, Rules, choose, pairs_of_block, sentence_runs
from workflow_scripts.corpus.graph import load_graph
from workflow_scripts.corpus.mention_blocks import count_rows, mention_blocks, ordered_files
from workflow_scripts.corpus.negatives import candidate_masks, inductive_masks
from workflow_scripts.corpus.pair_spill import PairSpill
from workflow_scripts.corpus.row_groups import fixed_row_groups
from workflow_scripts.corpus.splits import SPLITS

STREAM_BLOCK = 1_000_000
"""The published search writes its finds only when so many further sentences were read."""


@dataclasses.dataclass(frozen=True)
class Params:
    """Parameters of the alignment; meanings in schemas/config.schema.yaml (corpus, construction)."""

    seed: int
    negative_draws: int
    min_surface_chars: int
    type_constraint: bool
    role_constraint: bool
    strict_inductive: bool
    inductive_negatives: bool
    role_flip: str
    stream_tails: str


def main(args):
    """Align all sentences and write the aligned table and the funnel."""
    settings = params.parse(Params, args.params)
    graph = load_graph([args.train, args.valid, args.test], args.concepts)
    logging.info("graph: %d entities, %s facts", graph.n, "/".join(f"{len(facts)}" for facts in graph.facts))
    align(args.mentions, graph, settings, args.output, args.funnel, tmp=args.tmp)


def align(mention_files, graph, settings, output, funnel_path, stream_block=STREAM_BLOCK, tmp=None):
    """Align the sentences of the mention files with a graph.

    First the text: the pairs that its sentences may get, spilled to disk. Then the draws of negatives, of which only
    those count that the text has. Then the choice, block by block.

    Parameters
    ----------
    mention_files : list of paths
        Tables of the contract MENTIONS, cut by the leading digits of the sentence id; any order.
    graph : Graph
    settings : Params
    output, funnel_path : path
        The aligned table (contract ALIGNED) and the funnel of sentences (JSON).
    tmp : path, optional
        Folder for the pairs in between, some 100 bytes per sentence; the system's by default.

    Raises
    ------
    DataError
        If no sentence is aligned; the funnel is in the message.
    """
    rules = Rules(
        graph,
        settings.type_constraint,
        settings.role_constraint,
        settings.role_flip == "published",
        settings.seed,
    )
    files = ordered_files(mention_files)
    limit = None
    if settings.stream_tails == "published":
        limit = _written_sentences(files, settings.min_surface_chars, stream_block)
    funnel = {"mentions_all_ranks": 0, "mentions_best": 0, **dict.fromkeys(COUNTS, 0)}
    if limit is not None:
        funnel["sentences_lost_at_the_end"] = 0
    by_split = {split: {"positives": 0, "na": 0} for split in SPLITS}
    with tempfile.TemporaryDirectory(dir=tmp) as folder, fixed_row_groups(output, ALIGNED) as write:
        spill = PairSpill(Path(folder))
        for pairs, named in _pairs_of_blocks(files, rules, settings.min_surface_chars, limit, funnel):
            spill.add(pairs, named)
        codes = spill.close()
        candidates = Candidates(codes, _masks(graph, settings, codes))
        for pairs, named in spill:
            aligned, counts = choose(pairs, named, candidates, rules)
            _add(funnel, counts)
            for split, positive, number in _tally(aligned):
                by_split[split]["positives" if positive else "na"] += number
            write(aligned)
    record = {
        "steps": [{"step": step, "number": number} for step, number in funnel.items()],
        "splits": by_split,
        "facts_without_concept": dict(zip(SPLITS, graph.facts_without_concept, strict=True)),
        "na_pairs_of_the_text": {"allowed": len(codes), "candidates": len(candidates.codes)},
    }
    write_json(funnel_path, record)
    logging.info("funnel: %s", params.canonical_json(record))
    if not funnel["sentences_aligned"]:
        _raise_empty(output, funnel)


def _masks(graph, settings, codes):
    """The splits that have each allowed pair of the text as an NA candidate."""
    logging.info("negatives: %d allowed pairs of the text; draws begin", len(codes))
    masks = candidate_masks(graph, settings.negative_draws, settings.seed, codes)
    if settings.inductive_negatives:
        masks = inductive_masks(graph, codes, masks, settings.strict_inductive)
    logging.info("negatives: %d of them are candidates", int((masks > 0).sum()))
    return masks


def _add(funnel, counts):
    for name, number in counts.items():
        funnel[name] += number


def _raise_empty(output, funnel):
    counts = "\n".join(f"    {step}: {number}" for step, number in funnel.items())
    remedy = "more text, or a linker that knows the concepts of the graph (linking.kb, umls.vocabulary)"
    if funnel.get("sentences_lost_at_the_end"):
        remedy = "construction.switches.stream_tails: mended, for the published one loses its last block of sentences"
    raise DataError(
        output,
        found=f"no sentence has a pair of concepts that is a fact or an NA candidate; the funnel:\n{counts}",
        expected="some aligned sentences",
        remedy=remedy,
    )


def _pairs_of_blocks(files, rules, min_chars, limit, funnel):
    """Yield the pairs and the mentions that they name block by block, and add the counts to the funnel."""
    progress, seen = Progress("mentions", count_rows(files)), 0
    for block in mention_blocks(files):
        progress.add(block.num_rows)
        funnel["mentions_all_ranks"] += block.num_rows
        best = pc.equal(block["rank"], 0)
        funnel["mentions_best"] += pc.sum(best).as_py()
        kept = pc.and_(best, _long_enough(block, min_chars))
        if limit is not None:
            counted = _counted_sentences(block.filter(best), min_chars)
            written = counted.slice(0, max(limit - seen, 0))
            seen += len(counted)
            funnel["sentences_lost_at_the_end"] += len(counted) - len(written)
            kept = pc.and_(kept, pc.is_in(block["sentence_id"], written))
        pairs, named, counts = pairs_of_block(block, np.flatnonzero(kept.to_numpy()), rules)
        _add(funnel, counts)
        yield pairs, named
    progress.close()


def _long_enough(block, min_chars):
    return pc.greater_equal(pc.subtract(block["end"], block["start"]), min_chars)


def _counted_sentences(block, min_chars):
    """Ids, in order, of the sentences that the published search counts: two linked mentions, one long enough."""
    ids = block["sentence_id"].combine_chunks()
    _, starts = sentence_runs(ids)
    if not len(starts):
        return ids
    long = np.add.reduceat(_long_enough(block, min_chars).to_numpy().astype(np.int64), starts)
    mentions = np.diff(np.append(starts, len(ids)))
    return ids.take(pa.array(starts[(long > 0) & (mentions > 1)]))


def _written_sentences(files, min_chars, stream_block):
    """How many sentences the published search handles before its last write."""
    total = 0
    for block in mention_blocks(files):
        total += len(_counted_sentences(block.filter(pc.equal(block["rank"], 0)), min_chars))
    return max(total - 1, 0) // stream_block * stream_block


def _tally(aligned):
    """(split, positive, number) of the aligned sentences of a block."""
    for split in SPLITS:
        own = aligned.filter(pc.equal(aligned["split"], split))["positive"]
        positives = pc.sum(own, min_count=0).as_py()
        yield from ((split, True, positives), (split, False, len(own) - positives))


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--mentions", type=Path, nargs="+", required=True, help="tables of linking/mentions")
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=Path, required=True, help=f"{split} facts: head, relation, tail (TSV)")
    parser.add_argument("--concepts", type=Path, required=True, help="kg/concepts.parquet")
    parser.add_argument("--output", type=Path, required=True, help="aligned sentences (Parquet)")
    parser.add_argument("--funnel", type=Path, required=True, help="funnel of sentences (JSON)")
    parser.add_argument("--tmp", type=Path, default=None, help="folder to spill to (default: the system's)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

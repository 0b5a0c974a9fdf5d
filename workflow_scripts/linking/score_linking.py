"""Compare linked mentions with a gold standard: precision, recall and F1 over mentions.

A prediction is right when a gold mention has exactly its span and its concept; the best concept of each mention
(rank 0) counts, and repeated (pmid, span, concept) count once. Only gold mentions in abstracts count, and only
predictions in the abstracts of the chosen part's citations, whether or not these have a gold mention. Spans in a
sentence are mapped back to the section's own text through the starts of its tokens. A gold file does not say in which
AbstractText element a mention stands, so its citations must have abstracts of one element.

The gold file is tab separated with the columns part, pmid, field (title or abstract), start, end, cui, text: offsets in
the field's own text, code points, end exclusive.
"""

import bisect
import csv
import itertools
from pathlib import Path

from workflow_scripts.common import command, duck
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.contracts.sentences import OCCURRENCES, SPLIT
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import write_json
from workflow_scripts.common.tables import check_schema

COLUMNS = ["part", "pmid", "field", "start", "end", "cui", "text"]


def read_gold(path, part):
    """Gold mentions in abstracts, and the citations of a part.

    Returns
    -------
    set of (pmid, start, end, cui), set of int
    """
    mentions, pmids = set(), set()
    with open(path, encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        header = next(rows, [])
        if header != COLUMNS:
            raise DataError(path, line=1, found=" ".join(header), expected=" ".join(COLUMNS))
        for number, row in enumerate(rows, 2):
            if len(row) != len(COLUMNS) or not (row[1] + row[3] + row[4]).isdigit():
                raise DataError(path, line=number, found="\t".join(row), expected="\t".join(COLUMNS))
            if row[0] == part:
                pmids.add(int(row[1]))
                if row[2] == "abstract":
                    mentions.add((int(row[1]), int(row[3]), int(row[4]), row[5]))
    if not mentions:
        raise DataError(path, found=f"no mention of part {part} in an abstract", expected="gold mentions")
    return mentions, pmids


def section_span(text, token_starts, start, end):
    """A span of a space-joined sentence as a span of its section's own text.

    Parameters
    ----------
    text : str
        Tokens joined by one space.
    token_starts : list of int
        Start of each token in the section.
    start, end : int
        Code points in `text`, end exclusive; both ends lie on tokens, not on the spaces between.
    """
    lengths = [len(token) for token in text.split(" ")]
    places = list(itertools.accumulate(lengths, lambda place, length: place + length + 1, initial=0))
    first = _token_at(places, start)
    last = _token_at(places, end - 1)
    return token_starts[first] + start - places[first], token_starts[last] + end - places[last]


def _token_at(places, position):
    """The token whose characters, or the space after them, hold a position."""
    return bisect.bisect_right(places, position) - 1


def predictions(mentions, occurrences, split, pmids, database):
    """Predicted (pmid, start, end, cui) of some citations, offsets in the section's own text."""
    for paths, contract in ((mentions, MENTIONS), (occurrences, OCCURRENCES), (split, SPLIT)):
        for path in paths:
            check_schema(path, contract)
    place = 'sentence_id, pmid, field, start, "end"'
    wanted = ", ".join(str(pmid) for pmid in sorted(pmids))
    query = f"""WITH placed AS (
            SELECT DISTINCT {place}, text, token_starts FROM {duck.parquet(split)}
            WHERE pmid IN ({wanted}) AND ({place}) IN (SELECT {place} FROM {duck.parquet(occurrences)}))
        SELECT pmid, field, text, token_starts, m.start, m."end", cui
        FROM placed JOIN {duck.parquet(mentions)} m USING (sentence_id) WHERE rank = 0 ORDER BY ALL"""
    found, fields = set(), {}
    for table in duck.stream(database, query):
        for pmid, field, text, starts, start, end, cui in zip(*(c.to_pylist() for c in table.columns), strict=True):
            if fields.setdefault(pmid, field) != field:
                raise DataError(
                    split[0], record=f"pmid {pmid}", found="an abstract of several sections", expected="one section"
                )
            found.add((pmid, *section_span(text, starts, start, end), cui))
    return found


def scores(predicted, gold):
    """Precision, recall and F1 of a set against another, with the counts behind them."""
    right = len(predicted & gold)
    precision = right / len(predicted) if predicted else 0.0
    recall = right / len(gold) if gold else 0.0
    total = precision + recall
    return {
        "gold": len(gold),
        "predicted": len(predicted),
        "right": right,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / total if total else 0.0,
    }


def main(args):
    """Run the command."""
    gold, pmids = read_gold(args.gold, args.part)
    with duck.database(args.threads, args.memory_mb, args.temporary) as database:
        predicted = predictions(args.mentions, args.occurrences, args.split, pmids, database)
    result = scores(predicted, gold)
    write_json(args.scores, result)
    print(" ".join(f"{name} {value:.3f}" for name, value in result.items() if isinstance(value, float)))


def arguments():
    """The command's arguments."""
    parser = command.parser(__doc__)
    parser.add_argument("--mentions", type=Path, nargs="+", required=True, help="linking/mentions, all partitions")
    parser.add_argument("--occurrences", type=Path, nargs="+", required=True, help="text/occurrences, all partitions")
    parser.add_argument("--split", type=Path, nargs="+", required=True, help="text/split, all batches")
    parser.add_argument("--gold", type=Path, required=True, help="gold mentions (tab separated)")
    parser.add_argument("--part", default="Test", help="part of the gold file (default: %(default)s)")
    parser.add_argument("--scores", type=Path, required=True, help="output: counts and scores (JSON)")
    duck.add_arguments(parser)
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

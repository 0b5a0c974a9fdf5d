"""Small outputs of the text stage for the tests of this stage."""

import hashlib

import pyarrow as pa

from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.sentences import OCCURRENCES, SENTENCES, SPLIT
from workflow_scripts.common.tables import write_table


def sentence_id(text):
    """The id of a sentence."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def partition_of(identifier, partitions):
    """The partition of a sentence."""
    return int(identifier[:2], 16) * partitions // 256


def split_rows(abstracts):
    """Rows of SPLIT: {pmid: own text}; a sentence is a line, a token is what stands between blanks or a mark."""
    rows = []
    for pmid, own in abstracts.items():
        place = 0
        for line in own.split("\n"):
            starts, tokens, inside = [], [], False
            for offset, character in enumerate(line):
                if character.isspace():
                    inside = False
                elif inside and character not in "().,;":
                    tokens[-1] += character
                else:
                    starts.append(place + offset)
                    tokens.append(character)
                    inside = character not in "().,;"
            if tokens:
                text = " ".join(tokens)
                rows.append(
                    {"pmid": pmid, "version": 1, "file_rank": 0, "field": "0", "start": starts[0]}
                    | {"end": starts[-1] + len(tokens[-1]), "sentence_id": sentence_id(text), "text": text}
                    | {"n_tokens": len(tokens), "token_starts": starts}
                )
            place += len(line) + 1
    return sorted(rows, key=lambda row: tuple(row[name] for name in SPLIT.sort_by))


def write_text(folder, batches, partitions=2, dead=()):
    """Write split/, sentences/ and occurrences/ for batches of abstracts; sentences of `dead` pmids are not live."""
    live = []
    for number, abstracts in enumerate(batches, 1):
        rows = split_rows(abstracts)
        write_table(folder / f"split/{number:04d}.parquet", pa.Table.from_pylist(rows, schema=SPLIT.schema), SPLIT)
        live += [row for row in rows if row["pmid"] not in dead]
    first = {}
    for row in sorted(live, key=lambda row: (row["pmid"], row["start"])):
        first.setdefault(row["sentence_id"], row)
    for contract, name, rows in (
        (SENTENCES, "sentences", list(first.values())),
        (OCCURRENCES, "occurrences", live),
    ):
        rows = sorted(rows, key=lambda row: tuple(row[column] for column in contract.sort_by))
        for partition in range(partitions):
            own = [row for row in rows if partition_of(row["sentence_id"], partitions) == partition]
            own = [{column: row[column] for column in contract.schema.names} for row in own]
            path = folder / f"{name}/{partition:03d}.parquet"
            write_table(path, pa.Table.from_pylist(own, schema=contract.schema), contract)


def write_aliases(path, rows):
    """Write (cui, name, defined) rows as a knowledge base; the first name of a concept is its preferred one."""
    seen, table = set(), []
    for cui, name, defined in sorted(rows):
        table.append({"cui": cui, "name": name, "preferred": cui not in seen, "defined": defined})
        seen.add(cui)
    write_table(path, pa.Table.from_pylist(table, schema=ALIASES.schema), ALIASES)

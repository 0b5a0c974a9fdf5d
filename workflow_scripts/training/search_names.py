"""Find the names nearest to each distinct text of mentions: exact, by cosine of the vectors of one encoder.

Names that the encoder cannot tell apart have one rank. Of ranks with equal scores the one with the first name by code
point comes first.
"""

import dataclasses
import os
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.grouped_names import GROUPED_NAMES
from workflow_scripts.common.contracts.nearest_names import NEAREST_NAMES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import check_schema, read_table, write_table
from workflow_scripts.training.name_encoder import encode_into, load_encoder
from workflow_scripts.training.name_search import nearest_rows
from workflow_scripts.training.name_tokens import NAMES_AT_ONCE, tokenise
from workflow_scripts.training.train_run import prepare_torch


@dataclasses.dataclass(frozen=True)
class Params:
    """Ranks for each text, and config section `training` as far as encoding depends on it."""

    max_candidates: int
    threads: int
    device: str
    tokens_per_batch: int


def load_vectors(vectors, rows, n_names, width):
    """Vectors, mapped from their file, and the row of each name.

    Raises
    ------
    DataError
        If they are not those of this number of names, or have another width than the encoder's.
    """
    vectors, row_of_name = np.load(vectors, mmap_mode="r"), np.load(rows)
    expected = (n_names, int(row_of_name.max(initial=-1)) + 1, width)
    found = (len(row_of_name), *vectors.shape)
    if found != expected:
        raise DataError(
            rows,
            found=f"{found[0]} names, {found[1]} vectors of {found[2]} numbers",
            expected=f"{expected[0]} names, {expected[1]} vectors of {expected[2]} numbers",
            remedy="encode the names again, with this encoder",
        )
    return vectors, row_of_name


def names_of_rows(path, row_of_name, wanted):
    """First name and all entities of some rows.

    Parameters
    ----------
    path : Path
        A table of GROUPED_NAMES, read in blocks.
    row_of_name : int64 array of shape (n_names,)
    wanted : int64 array
        Rows.

    Returns
    -------
    dict
        Row -> (name, set of str).
    """
    is_wanted = np.zeros(row_of_name.max(initial=-1) + 1, bool)
    is_wanted[wanted] = True
    found, start = {}, 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(NAMES_AT_ONCE):
            rows = row_of_name[start : start + batch.num_rows]
            places = np.flatnonzero(is_wanted[rows])
            kept = batch.take(pa.array(places)).to_pydict()
            for row, name, own in zip(rows[places].tolist(), kept["name"], kept["identifiers"], strict=True):
                found.setdefault(row, (name, set()))[1].update(own)
            start += batch.num_rows
    return found


def main(args):
    """Write the nearest names."""
    settings = params.parse(Params, args.params)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    device = prepare_torch(settings)
    check_schema(args.names, GROUPED_NAMES)
    encoder, tokenizer = load_encoder(args.run, device)
    n_names = pq.read_metadata(args.names).num_rows
    vectors, row_of_name = load_vectors(args.vectors, args.rows, n_names, encoder.output_size)
    texts = sorted(set(read_table(args.texts, DETECTED, columns=["surface"])["surface"].to_pylist()))
    asked = tokenise([texts], tokenizer)
    queries = np.empty((len(asked), encoder.output_size), np.float16)
    encode_into(queries, encoder, asked.sequences, tokenizer.pad_id, settings.tokens_per_batch)
    rows, scores = nearest_rows(queries, vectors, settings.max_candidates, device)
    names = names_of_rows(args.names, row_of_name, np.unique(rows))
    columns = {name: [] for name in NEAREST_NAMES.schema.names}
    for text, sequence in zip(texts, asked.row_of_text.tolist(), strict=True):
        for rank, (row, score) in enumerate(zip(rows[sequence].tolist(), scores[sequence].tolist(), strict=True), 1):
            name, identifiers = names[row]
            for column, value in zip(columns.values(), (text, rank, name, score, sorted(identifiers)), strict=True):
                column.append(value)
    write_table(args.nearest, pa.table(columns, schema=NEAREST_NAMES.schema), NEAREST_NAMES)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--run", type=pathlib.Path, required=True, help="run folder of the encoder")
    parser.add_argument("--names", type=pathlib.Path, required=True, help="names of the knowledge base (Parquet)")
    parser.add_argument("--vectors", type=pathlib.Path, required=True, help="their vectors (NumPy)")
    parser.add_argument("--rows", type=pathlib.Path, required=True, help="the vector of each name (NumPy)")
    parser.add_argument("--texts", type=pathlib.Path, required=True, help="distinct texts of mentions (Parquet)")
    parser.add_argument("--nearest", type=pathlib.Path, required=True, help="output: their nearest names (Parquet)")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

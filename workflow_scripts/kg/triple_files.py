"""Triples in tab-separated files: head, relation, tail, without a header."""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_path

COLUMNS = ["head", "relation", "tail"]


def read_triples(path):
    """The triples of a file in file order, as a table of the strings head, relation, tail.

    Raises
    ------
    DataError
        If a line does not have three fields, or one is empty.
    """
    try:
        table = pyarrow.csv.read_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(column_names=COLUMNS),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter="\t", quote_char=False, double_quote=False, escape_char=False, ignore_empty_lines=False
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in COLUMNS}, null_values=[], strings_can_be_null=False
            ),
        )
    except FileNotFoundError as error:
        raise DataError(path, found=str(error), expected="a file of triples") from None
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return pa.table({name: pa.array([], pa.string()) for name in COLUMNS})
        raise DataError(
            path, found=str(error).split("\n")[0], expected="head, relation, tail, separated by tabs"
        ) from None
    for name in COLUMNS:
        line = pc.index(table[name], "").as_py()
        if line >= 0:
            raise DataError(path, line=line + 1, found=f"an empty {name}", expected="head, relation, tail")
    return table


def write_triples(path, table):
    """Write a table of the strings head, relation, tail in its order."""
    with atomic_path(path) as temporary:
        pyarrow.csv.write_csv(
            table.select(COLUMNS),
            temporary,
            pyarrow.csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none"),
        )


def sorted_triples(table):
    """The table sorted by head, relation, tail (code points)."""
    return table.sort_by([(name, "ascending") for name in COLUMNS])

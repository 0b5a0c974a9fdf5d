"""Small tab-separated tables under a header, without quoting."""

import csv

from workflow_scripts.common.errors import DataError


def read_columns(path, columns):
    """Some columns of a table, as tuples in the order of the file.

    Parameters
    ----------
    path : path
    columns : sequence of str, or of tuples of names of which the first that is there counts

    Raises
    ------
    DataError
        If a column is missing or a row has another number of columns than the header.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        header = next(rows, [])
        places = []
        for names in columns:
            names = (names,) if isinstance(names, str) else names
            found = next((name for name in names if name in header), None)
            if found is None:
                expected = f"a column named {' or '.join(names)}"
                raise DataError(path, line=1, found=f"columns {', '.join(header)}", expected=expected)
            places.append(header.index(found))
        result = []
        for number, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise DataError(path, line=number, found=f"{len(row)} columns", expected=f"{len(header)} columns")
            result.append(tuple(row[place] for place in places))
    return result

"""What a UMLS release says about its own files: rows and bytes of each table, from MRFILES (Reference Manual, 3.1)."""

from workflow_scripts.common.errors import DataError

BLOCK = 1 << 20
# Written before its own size is known.
UNSTATED = frozenset({"MRFILES"})


def stated_sizes(lines):
    """(rows, bytes) by table, from the lines of MRFILES: FIL|DES|FMT|CLS|RWS|BTS|."""
    stated = {}
    for line in lines:
        cells = line.split("|")
        if len(cells) >= 6 and cells[4].isdecimal() and cells[5].isdecimal():
            stated[cells[0].removesuffix(".RRF")] = (int(cells[4]), int(cells[5]))
    return stated


def size_of(path):
    """(rows, bytes) of a file, read block by block."""
    rows = size = 0
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            rows, size = rows + block.count(b"\n"), size + len(block)
    return rows, size


def require_stated_size(where, table, found, stated, remedy):
    """Raise DataError where a table has other rows or bytes than MRFILES states; `found` is (rows, bytes)."""
    if table in stated and table not in UNSTATED and found != stated[table]:
        raise DataError(
            where,
            record=table,
            found=f"{found[0]:,} rows, {found[1]:,} bytes",
            expected=f"{stated[table][0]:,} rows, {stated[table][1]:,} bytes (MRFILES)",
            remedy=remedy,
        )

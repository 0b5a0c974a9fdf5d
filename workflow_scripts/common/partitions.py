"""Partition files: <partition>.parquet, numbered from 000."""

import pathlib
import re


def remove_other_partitions(folder, partitions):
    """Remove partition files of an earlier run that had more of them, so that a folder holds what one run wrote."""
    for path in pathlib.Path(folder).glob("*.parquet"):
        if re.fullmatch(r"\d{3}", path.stem) and int(path.stem) >= partitions:
            path.unlink()

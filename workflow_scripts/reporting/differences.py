"""The paired bootstrap of the rows of Table 7 as a table for the report: which of them differ."""

import csv

from workflow_scripts.common.errors import DataError
from workflow_scripts.reporting.model_rows import row_name
from workflow_scripts.reporting.sources import REMEDY

NEEDED = ("first", "second", "auc_first", "auc_second", "difference", "lower", "upper", "differs", "resamples")
HEADER = ("Model", "Other model", "AUC", "AUC of the other", "Difference", "95 % interval", "Differ")
NUMERIC = HEADER[2:6]
VERDICTS = {"yes": "yes", "no": "no", "": "—"}


def read_differences(path, models):
    """Rows of HEADER, AUC in percent, and the number of resamples (None without rows).

    Raises
    ------
    DataError
        If a column is missing, or a value is none that `compare_runs` writes.
    """
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            found = "columns " + ", ".join(reader.fieldnames or ["none"])
            raise DataError(path, line=1, found=found, expected=f"column {missing[0]}", remedy=REMEDY)
        records = [(reader.line_num, record) for record in reader]
    rows = [_row(path, line, record, models) for line, record in records]
    return rows, records[0][1]["resamples"] if records else None


def _row(path, line, record, models):
    try:
        first, second, gap, lower, upper = (_percent(record[name]) for name in NEEDED[2:7])
        verdict = VERDICTS[record["differs"]]
    except (KeyError, ValueError, TypeError) as error:
        expected = "numbers in [0, 1] and yes or no"
        raise DataError(path, line=line, found=str(error), expected=expected, remedy=REMEDY) from None
    names = [row_name(models, *record[side].rpartition(".")[::2], path) for side in ("first", "second")]
    shown = ["—" if value is None else f"{value:.1f}" for value in (first, second)]
    shown += ["—" if gap is None else f"{gap:+.1f}", "—" if None in (lower, upper) else f"{lower:.1f} to {upper:.1f}"]
    return [*names, *(text.replace("-", "−") for text in shown), verdict]


def _percent(text):
    return 100 * float(text) if text else None

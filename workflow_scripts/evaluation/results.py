"""What evaluation writes of one run and pooling: metrics, curve and scores."""

import numpy as np
import pyarrow as pa

from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.metrics import curve, evaluate
from workflow_scripts.common.tables import open_writer, write_table

ROWS_PER_GROUP = 1 << 17
CURVE_POINTS = 1000


def write_scores(path, pairs, relations, scores):
    """Write scores as SCORES, in groups of rows, so that memory holds one group of names at a time.

    Parameters
    ----------
    pairs : sequence of P (head, tail)
        Sorted.
    relations : sequence of R - 1 str
        Sorted names of the columns.
    scores : float32 array of shape (P, R - 1)
    """
    heads, tails = (pa.array([pair[side] for pair in pairs], pa.string()) for side in (0, 1))
    names, width = pa.array(relations, pa.string()), max(len(relations), 1)
    step = max(ROWS_PER_GROUP // width, 1)
    with open_writer(path, SCORES) as write:
        for start in range(0, len(heads), step):
            part = scores[start : start + step]
            rows = np.repeat(np.arange(start, start + len(part)), len(relations))
            write(
                pa.table(
                    {
                        "head": heads.take(rows),
                        "tail": tails.take(rows),
                        "relation": names.take(np.tile(np.arange(len(relations)), len(part))),
                        "score": pa.array(part.ravel(), pa.float32()),
                    }
                )
            )


def write_curve(path, scores, facts, relations):
    """Write the thinned precision-recall curve of Figure 4 as CURVE."""
    points = curve(scores, facts, relations=relations, points=CURVE_POINTS)
    write_table(path, pa.table({name: pa.array(points[name]) for name in CURVE.schema.names}), CURVE)


def metrics_report(test, valid, relations, precision_at, fixed_threshold):
    """The metrics of the test split, with those of the validation split and of the threshold chosen there.

    The paper's F1 takes its threshold from the test split; `at_valid_threshold` says what a threshold that never saw
    the test split gives.

    Parameters
    ----------
    test, valid : pairs of arrays (scores float32, facts bool) of shape (P, R - 1)
    """
    options = {"relations": relations, "precision_at": precision_at}
    report = evaluate(*test, fixed_threshold=fixed_threshold, **options)
    on_valid = evaluate(*valid, fixed_threshold=fixed_threshold, **options)
    threshold = on_valid["threshold"]
    chosen = {"threshold": threshold, "micro_f1": None, "macro_f1": None}
    if threshold is not None:
        found = evaluate(*test, fixed_threshold=threshold, **options)
        chosen |= {"micro_f1": found["micro_f1"], "macro_f1": found["macro_f1"]}
    left_out = ("per_relation", "ties")
    report["valid"] = {name: value for name, value in on_valid.items() if name not in left_out}
    return report | {"at_valid_threshold": chosen}

"""The facts of a split, as the matrix that the metrics take."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.tables import read_table

NA = "NA"


def fact_matrix(instances_path, pairs, relations):
    """Facts of a split: which (pair, relation) stand in it.

    A repeated sentence counts once and a pair with two relations has two facts.

    Parameters
    ----------
    instances_path : str or Path
        Instances of the split (INSTANCES).
    pairs : sequence of P (head, tail)
        The scored pairs, distinct: all pairs of the split.
    relations : sequence of R - 1 str
        Relations other than NA, the columns.

    Returns
    -------
    bool array of shape (P, R - 1)

    Raises
    ------
    DataError
        If the split has pairs that were not scored, scored pairs that it lacks, or a relation the model does not know.
    """
    triples = read_table(instances_path, INSTANCES, columns=["head", "tail", "relation"])
    triples = triples.group_by(["head", "tail", "relation"]).aggregate([])
    rows = _positions(instances_path, triples, pairs)
    columns = pc.index_in(triples["relation"], value_set=pa.array(relations, pa.string()))
    positive = pc.not_equal(triples["relation"], NA)
    unknown = pc.unique(triples["relation"].filter(pc.and_(positive, pc.is_null(columns))))
    if len(unknown):
        raise DataError(
            instances_path,
            found=f"relations the model was not trained on: {', '.join(sorted(unknown.to_pylist()))}",
            expected=f"NA or one of {', '.join(relations)}",
            remedy="evaluate the run on the corpus it was trained on, or train it again",
        )
    facts = np.zeros((len(pairs), len(relations)), dtype=bool)
    positive = positive.to_numpy()
    facts[rows[positive], columns.filter(pa.array(positive)).to_numpy()] = True
    return facts


def _positions(path, triples, pairs):
    """The row of each triple's pair; the pairs of the triples and the scored ones must be the same."""
    names = {role: pa.array([pair[side] for pair in pairs], pa.string()) for side, role in enumerate(("head", "tail"))}
    scored = pa.table(names | {"row": np.arange(len(pairs))})
    numbered = triples.append_column("place", pa.array(np.arange(len(triples))))
    joined = numbered.join(scored, ["head", "tail"], join_type="full outer").sort_by("place")
    missing, extra = joined["row"].null_count, joined["place"].null_count
    if missing or extra:
        raise DataError(
            path,
            found=f"{missing} triples of pairs without scores, {extra} scored pairs that are not in the split",
            expected="scores of all pairs of the split and of no others",
            remedy="the scores belong to another version of the corpus: run the evaluation again",
        )
    return joined["row"].to_numpy()

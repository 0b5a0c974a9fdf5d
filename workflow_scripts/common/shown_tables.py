"""The tables and figures that a row of models.tsv may name, and whether one of them trains it.

Only `configuration.Plan` uses this module.
"""

import difflib

from workflow_scripts.common.errors import UsageError

# What the paper shows; a row of models.tsv may name any of it, also where the configuration does not ask for it.
PAPER_ITEMS = [f"table{n}" for n in range(1, 12)] + [f"table_a{n}" for n in range(1, 5)]
PAPER_ITEMS += [f"figure{n}" for n in range(1, 6)] + ["figure_a1"]
# Those whose rows are trained for them, as config.yaml has it; the others show the runs of these.
TRAINING_ITEMS = ("table3", "table7", "table10", "table11", "figure5")


def near(name, known):
    """A hint at the known name that was meant, or nothing."""
    found = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {found[0]}?)" if found else ""


def check_tables(line, row, asked):
    """Check the tables that a row of models.tsv names.

    Parameters
    ----------
    line : str
        Where the row stands.
    row : dict
        Columns `model` and `tables`.
    asked : iterable of str
        Those of config experiments.tables.

    Raises
    ------
    UsageError
        If one of them does not exist, or none of them trains the row.
    """
    named = row["tables"].split(",") if row["tables"] else []
    known, training = [*asked, *PAPER_ITEMS], list(dict.fromkeys([*asked, *TRAINING_ITEMS]))
    for table in named:
        if table not in known:
            raise UsageError(
                f"{line}: model {row['model']} names {table}, which is no table or figure of the paper and none of "
                f"config experiments.tables{near(table, known)}: nothing would be trained for it\n"
                "  remedy:   correct the name, or add it to experiments.tables with its corpus"
            )
    if named and not set(named) & set(training):
        raise UsageError(
            f"{line}: model {row['model']} names {', '.join(named)} alone, so nothing would be trained for it\n"
            f"  expected: one of those that train what they show: {', '.join(training)}\n"
            "  remedy:   name table7 too, whose runs Tables 8 and 9 and Figure 4 show, or give the table a corpus "
            "in experiments.tables; an empty cell sets the row aside"
        )

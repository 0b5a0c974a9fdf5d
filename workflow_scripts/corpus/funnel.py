"""The funnel: exact counts before and after each filter."""

from workflow_scripts.common.files import write_delimited
from workflow_scripts.corpus.splits import SPLITS

COUNTS = ("instances", "positives", "na", "facts")


class Funnel:
    """Counts of instances, positives, NA and facts per split, step by step.

    Facts are distinct positive pairs, with their relations once these are given.

    Parameters
    ----------
    n_entities : int
        Entities of the graph.
    """

    def __init__(self, n_entities):
        self.n_entities, self.steps, self.last = n_entities, [], None

    def add(self, step, rows):
        """Note what is left after a step."""
        now = [self._count(rows, split) for split in range(len(SPLITS))]
        self.steps.append((step, self.last or now, now))
        self.last = now

    def _count(self, rows, split):
        positive = (rows.split == split) & rows.positive
        instances, positives = int((rows.split == split).sum()), int(positive.sum())
        facts = len(rows.keep(positive).facts(self.n_entities))
        return dict(zip(COUNTS, (instances, positives, instances - positives, facts), strict=True))

    def write(self, path, sentences):
        """Write the table: first the fate of the sentences (split `all`), then one row per step and split.

        Parameters
        ----------
        path : path
        sentences : dict of int
            Numbers of mentions and sentences of the alignment, in order.
        """
        header = ["step", "split", *(f"{name}_{when}" for name in COUNTS for when in ("before", "after")), "sentences"]
        rows = [[name, "all", *[""] * (2 * len(COUNTS)), number] for name, number in sentences.items()]
        for step, before, after in self.steps:
            for split, old, new in zip(SPLITS, before, after, strict=True):
                counts = [value for name in COUNTS for value in (old[name], new[name])]
                rows.append([step, split, *counts, ""])
        write_delimited(path, header, rows)

    def text(self):
        """The funnel in a few lines, for messages."""
        lines = []
        for step, _, after in self.steps:
            counts = zip(SPLITS, after, strict=True)
            parts = ", ".join(f"{split} {new['instances']} ({new['facts']} facts)" for split, new in counts)
            lines.append(f"    after {step}: {parts}")
        return "\n".join(lines)

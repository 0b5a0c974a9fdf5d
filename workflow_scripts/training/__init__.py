"""Training: a corpus and one row of experiments/models.tsv become one run folder."""

"""A sample of bags with what a model makes of each of their sentences: evaluation -> reporting (Figure 1)."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

BAGS = Contract(
    "evaluation/<run>/<pooling>/bags: some pairs of the test split, their weightiest sentences",
    pa.schema(
        [
            column("head", pa.string(), "CUI of the head"),
            column("tail", pa.string(), "CUI of the tail"),
            column("rank", pa.int32(), "place of the sentence in its bag by weight, from 1"),
            column("labels", pa.string(), "relations of the pair in the corpus, separated by |; NA for none"),
            column("relation", pa.string(), "relation other than NA with the highest score of the pair"),
            column("score", pa.float32(), "that score, of the bag"),
            column("n_sentences", pa.int32(), "sentences of the bag, those left out too"),
            column("text", pa.string(), "sentence"),
            column("head_start", pa.int32(), "code points"),
            column("head_end", pa.int32(), "code points, exclusive"),
            column("tail_start", pa.int32(), "code points"),
            column("tail_end", pa.int32(), "code points, exclusive"),
            column("weight", pa.float32(), "share of the sentence in the score of the bag; all of a bag sum to 1"),
            column("probability", pa.float32(), "of `relation` for the sentence alone, as a bag of one"),
            column("predicted", pa.string(), "most probable relation of the sentence alone, NA included"),
        ]
    ),
    sort_by=("head", "tail", "rank"),
    unique=("head", "tail", "rank"),
)

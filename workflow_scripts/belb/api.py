"""The benchmark from Python: load a corpus and a knowledge base, link its mentions, evaluate predictions.

    from workflow_scripts.belb import api

    corpus = api.load_corpus("resources/belb/corpora/ncbi_disease")
    result = api.evaluate(corpus, "predictions.jsonl")
    print(result["full"]["recall@1"])

Predictions files: workflow_scripts/belb/predictions.py. Figures of a result: workflow_scripts/belb/metrics.py.
"""

from workflow_scripts.belb.knowledge_base import KnowledgeBase, load_kb
from workflow_scripts.belb.measuring import Corpus, evaluate, link, load_corpus
from workflow_scripts.belb.predictions import Prediction, Predictions, read_predictions, write_predictions

__all__ = [
    "Corpus",
    "KnowledgeBase",
    "Prediction",
    "Predictions",
    "evaluate",
    "link",
    "load_corpus",
    "load_kb",
    "read_predictions",
    "write_predictions",
]

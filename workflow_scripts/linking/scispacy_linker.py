"""scispaCy's own linker behind the interface of `candidates`: the reference, approximate where ours is exact.

Its code decides everything: vectors, graph (nmslib), thresholds, order. Only min_df and the rule are ours to set. It
runs in an environment of its own (envs/linking_scispacy.yaml), because scispaCy needs numpy below 2.
"""

import tempfile
from pathlib import Path
from unittest import mock

from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import atomic_path

# What scispaCy keeps in the folder of an index.
FILES = ["concept_aliases.json", "nmslib_index.bin", "tfidf_vectorizer.joblib", "tfidf_vectors_sparse.npz"]
SURFACES = 1000


def knowledge_base(aliases):
    """scispaCy's KnowledgeBase of a table of contract ALIASES; definitions are only said to be there."""
    from scispacy.linking_utils import Entity, KnowledgeBase

    names, canonical, defined = {}, {}, {}
    columns = (aliases[name].to_pylist() for name in ("cui", "name", "preferred", "defined"))
    for cui, name, preferred, has_definition in zip(*columns, strict=True):
        names.setdefault(cui, []).append(name)
        defined[cui] = has_definition
        if preferred:
            canonical[cui] = name
    entities = (
        Entity(
            concept_id=cui,
            canonical_name=canonical[cui],
            aliases=[name for name in names[cui] if name != canonical[cui]],
            types=[],
            definition="defined" if defined[cui] else None,
        )
        for cui in names
    )
    return KnowledgeBase(entities)


def build_index(base, folder, min_df):
    """Let scispaCy build its index of a knowledge base and put the FILES into a folder.

    Raises
    ------
    UsageError
        If no 3-gram occurs in `min_df` names.
    """
    from scispacy import candidate_generation

    def vectorizer(**options):
        return original(**options | {"min_df": min_df})

    original = candidate_generation.TfidfVectorizer
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".index.") as temporary:
        with mock.patch.object(candidate_generation, "TfidfVectorizer", vectorizer):
            try:
                candidate_generation.create_tfidf_ann_index(temporary, base)
            except ValueError as error:
                raise UsageError(
                    f"linking.ngram_min_df: scispaCy cannot index the names with {min_df} ({error})"
                    "\n  remedy: set linking.ngram_min_df to 1, or give a larger knowledge base"
                ) from None
        for name in FILES:
            with atomic_path(folder / name) as target:
                Path(temporary, name).rename(target)


class ScispacyGenerator:
    """The candidates of scispaCy's EntityLinker.

    Parameters
    ----------
    base : scispacy.linking_utils.KnowledgeBase
    folder : Path
        Where the FILES of its index are.
    rule : candidates.Rule
    """

    def __init__(self, base, folder, rule):
        from scispacy.candidate_generation import CandidateGenerator, LinkerPaths
        from scispacy.linking import EntityLinker

        names, vectorizer, graph = LinkerPaths.from_directory(folder).load()
        self._linker = EntityLinker(
            candidate_generator=CandidateGenerator(graph, vectorizer, names, base),
            k=rule.k,
            threshold=rule.threshold,
            no_definition_threshold=rule.no_definition_threshold,
            max_entities_per_mention=rule.max_candidates,
        )

    def candidates(self, keys, surfaces):
        """A list of (cui, score) pairs per surface, in scispaCy's order; surfaces of one key are asked for once."""
        distinct = [key for key in dict.fromkeys(keys) if key]
        found = {"": []}
        for start in range(0, len(distinct), SURFACES):
            block = distinct[start : start + SURFACES]
            found |= zip(block, self._linked(block), strict=True)
        return [found[key] for key in keys]

    def _linked(self, texts):
        from spacy.tokens import Doc, Span
        from spacy.vocab import Vocab

        # Each text is one token and one entity; the vocabulary goes with the document.
        doc = Doc(Vocab(), words=texts)
        doc.ents = [Span(doc, i, i + 1, label="ENTITY") for i in range(len(texts))]
        return [[(cui, float(score)) for cui, score in entity._.kb_ents] for entity in self._linker(doc).ents]

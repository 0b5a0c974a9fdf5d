"""The documents of a corpus of the registry by split: which reader, which split."""

import pathlib

from workflow_scripts.belb.bioc_files import read_bioc
from workflow_scripts.belb.bioid import read_bioid
from workflow_scripts.belb.contracts import SPLITS
from workflow_scripts.belb.corpus_files import lines
from workflow_scripts.belb.osiris import read_osiris
from workflow_scripts.belb.pubtator import read_pubtator
from workflow_scripts.belb.seth import read_snp
from workflow_scripts.belb.standoff import read_brat, read_linnaeus, read_s800
from workflow_scripts.common.belb_corpora import DRAW, OWN_LISTS, find_files
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.keyed_random import key64


def _pubtator(paths):
    for path in paths:
        yield from read_pubtator(path)


def _bioc(paths):
    for path in paths:
        files = sorted(path.glob("*.[xXjJ]*")) if path.is_dir() else [path]
        if not files:
            raise DataError(path, found="no .xml or .json file", expected="the BioC files of the corpus")
        for file in files:
            yield from read_bioc(file)


def _brat(paths):
    for path in paths:
        yield from read_brat(path)


READERS = {
    "pubtator": _pubtator,
    "bioc": _bioc,
    "brat": _brat,
    "linnaeus": lambda paths: read_linnaeus(*paths),
    "s800": lambda paths: read_s800(*paths),
    "osiris": lambda paths: read_osiris(*paths),
    "snp": lambda paths: read_snp(paths[0], paths[1:]),
    "bioid": lambda paths: read_bioid(*paths),
}


def read_splits(corpus, folder, own_lists, splits=None):
    """The documents of a corpus by split.

    Parameters
    ----------
    corpus : Corpus
    folder : path
        Its released files.
    own_lists : path
        The repository, below which the registry names lists of the canonical splits.
    splits : path or None
        Columns document, split, with a tab between: takes the place of the corpus' own split.

    Returns
    -------
    (dict of str to list of Document, int)
        In the order of the files; and how many documents came again under an id that was there before and were left
        out.
    """
    if corpus.documents:
        documents, again = _once(READERS[corpus.format](find_files(folder, corpus.documents)))
        belongs = read_split_table(splits) if splits else _listed(corpus, folder, own_lists)
    else:
        named = {}
        for split in SPLITS:
            patterns = getattr(corpus, split)
            if patterns and not patterns.startswith(DRAW):
                found = READERS[corpus.format](find_files(folder, patterns))
                named.update({id(document): (document, split) for document in found})
        documents, again = _once(document for document, _ in named.values())
        belongs = read_split_table(splits) if splits else {d.document: named[id(d)][1] for d in documents}
    belongs = belongs if splits else _drawn(belongs, corpus)
    return _divided(corpus, documents, belongs, splits or folder), again


def _once(documents):
    kept, again = {}, 0
    for document in documents:
        again += document.document in kept
        kept.setdefault(document.document, document)
    return list(kept.values()), again


def _listed(corpus, folder, own_lists):
    belongs = {}
    for split in SPLITS:
        patterns = getattr(corpus, split)
        if not patterns or patterns.startswith(DRAW):
            continue
        root = own_lists if patterns.startswith(OWN_LISTS) else folder
        for path in find_files(root, patterns):
            for number, line in lines(path):
                name = line.strip().removeprefix("pmcA")
                if name and belongs.setdefault(name, split) != split:
                    found = f"document {name} in {belongs[name]} and {split}"
                    raise DataError(path, line=number, found=found, expected="each document in one split")
    if not belongs:
        remedy = "give a table with columns document and split (config belb.corpora.<id>.splits)"
        raise DataError(folder, found=f"no split of {corpus.corpus}", expected="lists of documents", remedy=remedy)
    return belongs


def _drawn(belongs, corpus):
    """With the development documents drawn from the training ones, where the registry says how many."""
    if not corpus.dev.startswith(DRAW):
        return belongs
    pool = sorted((name for name, split in belongs.items() if split == "train"), key=lambda name: key64("dev", name))
    drawn = set(pool[: int(corpus.dev.removeprefix(DRAW))])
    return {name: "dev" if name in drawn else split for name, split in belongs.items()}


def read_split_table(path):
    """{document: split} of a table with the columns document and split."""
    rows = [(number, line.split("\t")) for number, line in lines(path) if line.strip()]
    if not rows or rows[0][1] != ["document", "split"]:
        raise DataError(path, line=1, found=str(rows[0][1] if rows else ""), expected="columns document, split")
    belongs = {}
    for number, cells in rows[1:]:
        if len(cells) != 2 or cells[1] not in SPLITS:
            raise DataError(path, line=number, found=str(cells), expected=f"a document and one of {', '.join(SPLITS)}")
        if belongs.setdefault(cells[0], cells[1]) != cells[1]:
            raise DataError(path, line=number, found=f"document {cells[0]} again", expected="each document once")
    return belongs


def _divided(corpus, documents, belongs, where):
    divided = {split: [] for split in SPLITS}
    for document in documents:
        split = belongs.get(document.document)
        if split is None:
            found = f"document {document.document} ({document.place}) in no split"
            raise DataError(pathlib.Path(where), found=found, expected="each document in one split", remedy="list it")
        divided[split].append(document)
    return divided

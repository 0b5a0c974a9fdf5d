"""Tables of the stage belb. Identifiers are the originals everywhere ("MESH:D003924", "9606"), never row numbers."""

import pyarrow as pa

from workflow_scripts.common.tables import Contract, column

SPLITS = ("train", "dev", "test")

_PASSAGE = pa.struct(
    [
        column("type", pa.string(), "title, abstract, or what the corpus names it"),
        column("offset", pa.int32(), "first character in the document's text, code points"),
        column("length", pa.int32(), "code points"),
    ]
)
_ORIGINAL = pa.struct(
    [
        column("start", pa.int32(), "as distributed"),
        column("end", pa.int32(), "as distributed"),
        column("text", pa.string(), "as distributed"),
        column("entity_type", pa.string(), "as distributed"),
        column("identifiers", pa.string(), "as distributed"),
        column("location", pa.string(), "as distributed", nullable=True),
        column("hexdigest", pa.string(), "of this annotation alone"),
    ]
)

DOCUMENTS = Contract(
    "belb/corpora/<id>/documents: texts and their passages",
    pa.schema(
        [
            column("corpus", pa.string(), "corpus and entity type, e.g. bc5cdr_disease"),
            column("split", pa.string(), "train, dev or test"),
            column("document", pa.string(), "PMID or PMCID; with a part number where long documents are split"),
            column("text", pa.string(), "the passages, joined by one space"),
            column("passages", pa.list_(_PASSAGE), "in the order of the text"),
        ]
    ),
    sort_by=("split", "document"),
    unique=("split", "document"),
)

MENTIONS = Contract(
    "belb/corpora/<id>/mentions: gold mentions with their identifiers",
    pa.schema(
        [
            column("corpus", pa.string(), "corpus and entity type, e.g. bc5cdr_disease"),
            column("split", pa.string(), "train, dev or test"),
            column("document", pa.string(), "of documents"),
            column("start", pa.int32(), "first character in the document's text, code points"),
            column("end", pa.int32(), "end (exclusive) in the document's text, code points"),
            column("text", pa.string(), "the document's text[start:end]"),
            column("entity_type", pa.string(), "disease, chemical, species, cell_line, gene, variant or umls"),
            column("identifiers", pa.list_(pa.string()), "after the pipeline, in the order of the annotation"),
            column("foreign", pa.bool_(), "added for context (a species near a gene), never scored"),
            column("original_start", pa.int32(), "as distributed, before any repair"),
            column("original_end", pa.int32(), "as distributed, before any repair"),
            column("original_text", pa.string(), "as distributed, before any repair"),
            column("original_type", pa.string(), "as distributed"),
            column("original_identifiers", pa.string(), "as distributed, one string"),
            column("original_location", pa.string(), "section or figure where the corpus names one", nullable=True),
            column("hexdigest", pa.string(), "digest of the annotation as distributed: how predictions name a mention"),
            column(
                "grouped", pa.list_(_ORIGINAL), "all annotations of this span as distributed; empty if there is one"
            ),
        ]
    ),
    sort_by=("split", "document", "start", "end", "entity_type"),
    unique=("split", "document", "start", "end", "entity_type"),
)

_IDENTIFIER = column("identifier", pa.string(), "entity, as the knowledge base writes it")
_NAME = column("name", pa.string(), "as released; single blanks for tabs")
_FOREIGN = column(
    "foreign_identifier", pa.string(), "entity of another knowledge base: species of a gene", nullable=True
)
_HOMONYM_SCHEMA = pa.schema([_NAME, _FOREIGN, _IDENTIFIER])

NAMES = Contract(
    "belb/kbs/<id>/names: every name of every entity, once",
    pa.schema(
        [
            _IDENTIFIER,
            _NAME,
            column("kind", pa.int16(), "code of kinds.json; 0: the preferred name, exactly one an entity"),
            _FOREIGN,
            column("attribute", pa.string(), "where a gene lies, the disease of a cell line", nullable=True),
        ]
    ),
    sort_by=("identifier", "kind", "name"),
    unique=("identifier", "kind", "name"),
)

HISTORY = Contract(
    "belb/kbs/<id>/history: what became of identifiers that are no entities any more",
    pa.schema(
        [
            column("old_identifier", pa.string(), "no entity of the knowledge base"),
            column(
                "new_identifier",
                pa.string(),
                "entity at the end of the chain of replacements; several joined by ';'; null: removed",
                nullable=True,
            ),
        ]
    ),
    sort_by=("old_identifier",),
    unique=("old_identifier",),
)

ALTERNATIVES = Contract(
    "belb/kbs/<id>/alternatives: other identifiers of entities, as of another vocabulary",
    pa.schema([column("alternative_identifier", pa.string(), "no entity of the knowledge base"), _IDENTIFIER]),
    sort_by=("alternative_identifier", "identifier"),
    unique=("alternative_identifier", "identifier"),
)

NAME_HOMONYMS = Contract(
    "belb/kbs/<id>/name_homonyms: names of several entities with the same foreign entity",
    _HOMONYM_SCHEMA,
    sort_by=("name", "foreign_identifier", "identifier"),
    unique=("name", "foreign_identifier", "identifier"),
)

FOREIGN_NAME_HOMONYMS = Contract(
    "belb/kbs/<id>/foreign_name_homonyms: names of entities with several foreign entities",
    _HOMONYM_SCHEMA,
    sort_by=("name", "foreign_identifier", "identifier"),
    unique=("name", "foreign_identifier", "identifier"),
)

IDENTIFIER_HOMONYMS = Contract(
    "belb/kbs/<id>/identifier_homonyms: entities that nothing but their identifier tells apart",
    pa.schema([_IDENTIFIER, column("representative", pa.string(), "the first of those that are alike")]),
    sort_by=("identifier",),
    unique=("identifier",),
)

FOREIGN = Contract(
    "belb/kbs/<id>/foreign: foreign entities that are used",
    pa.schema(
        [
            column("foreign_identifier", pa.string(), "entity of the foreign knowledge base"),
            column("name", pa.string(), "its preferred name; null: not looked up, or not in that base", nullable=True),
        ]
    ),
    sort_by=("foreign_identifier",),
    unique=("foreign_identifier",),
)

OTHER_FOREIGN = Contract(
    "belb/kbs/<id>/other_foreign: further foreign entities of entities that have several",
    pa.schema([_IDENTIFIER, column("foreign_identifier", pa.string(), "not the one in names")]),
    sort_by=("identifier", "foreign_identifier"),
    unique=("identifier", "foreign_identifier"),
)

CITATIONS = Contract(
    "belb/kbs/<id>/citations: articles about entities",
    pa.schema([_IDENTIFIER, column("pmid", pa.string(), "PubMed id")]),
    sort_by=("identifier", "pmid"),
    unique=("identifier", "pmid"),
)

SPANS = Contract(
    "belb/spans/<gold or found>/<corpus>: what systems are asked to link, in one split of a corpus",
    pa.schema(
        [
            column("document", pa.string(), "of documents"),
            column("start", pa.int32(), "first character in the document's text, code points"),
            column("end", pa.int32(), "end (exclusive) in the document's text, code points"),
            column("hexdigest", pa.string(), "of the gold mention; '-' for a found span that is that of none"),
            column("text", pa.string(), "the document's text[start:end]"),
        ]
    ),
    sort_by=("document", "start", "end", "hexdigest"),
    unique=("document", "start", "end", "hexdigest"),
)

SPECIES = Contract(
    "belb/species/<corpus>: species that the texts of one split of a corpus mention",
    pa.schema(
        [
            column("document", pa.string(), "of documents"),
            column("start", pa.int32(), "first character in the document's text, code points"),
            column("end", pa.int32(), "end (exclusive) in the document's text, code points"),
            column("text", pa.string(), "the document's text[start:end]"),
            column(
                "taxa", pa.list_(pa.string()), "NCBI Taxonomy; several where a word is a species and a strain of it"
            ),
            column("annotated", pa.bool_(), "an annotation of the corpus; else a name that was looked up"),
        ]
    ),
    sort_by=("document", "start", "end"),
    unique=("document", "start", "end"),
)

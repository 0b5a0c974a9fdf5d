"""The form in which the benchmark is released: names of files, splits and columns, on the way out and in."""

import collections

import pyarrow as pa

Part = collections.namedtuple("Part", ["opennre", "hub"])
Part.hub_path = property(lambda part: f"data/{part.hub}.parquet")

RELEASED = {"train": Part("train", "train"), "valid": Part("val", "validation"), "test": Part("test", "test")}
"""Name of each split in the OpenNRE files and on the hub."""

PUBLISHED_RELATIONS = """
    NA active_ingredient_of associated_finding_of associated_morphology_of causative_agent_of cause_of component_of
    direct_device_of direct_morphology_of direct_procedure_site_of direct_substance_of finding_site_of focus_of
    indirect_procedure_site_of interpretation_of interprets is_modification_of method_of occurs_after
    procedure_site_of uses_device uses_substance
""".split()
"""Relations of the published benchmark by number: the order of the class labels of its Parquet files."""


def stem_of(corpus):
    """How the files of a corpus begin: the published corpus is the inductive one, others carry their id."""
    return "med_distant19" if corpus == "inductive" else f"med_distant19_{corpus}"


def hub_schema():
    """Columns of the hub's Parquet, and two that the published files lack: sentence_id and rui (null for NA)."""
    mention = pa.struct([("id", pa.string()), ("pos", pa.list_(pa.int32())), ("name", pa.string())])
    columns = [("text", pa.string()), ("h", mention), ("t", mention), ("relation", pa.int64())]
    return pa.schema([*columns, ("sentence_id", pa.string()), ("rui", pa.string())])


def features(names):
    """The same columns as the hub's library describes them; `names` are the relations by number."""
    text, offset = ({"dtype": kind, "_type": "Value"} for kind in ("string", "int32"))
    mention = {"id": text, "pos": {"feature": offset, "_type": "Sequence"}, "name": text}
    labels = {"names": list(names), "_type": "ClassLabel"}
    return {"text": text, "h": mention, "t": mention, "relation": labels, "sentence_id": text, "rui": text}

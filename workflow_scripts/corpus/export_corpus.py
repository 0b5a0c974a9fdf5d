"""Export a corpus for others: the released OpenNRE files, Parquet with a dataset card, Croissant metadata, checksums.

Writes `<stem>_{train,val,test}.txt` and `<stem>_rel2id.json` as the benchmark was released,
`data/{train,validation,test}.parquet` in the hub's form, README.md (the card), croissant.json, terms.json and
SHA256SUMS. The stem is `med_distant19` for the corpus `inductive`, `med_distant19_<id>` for every other.
"""

import dataclasses
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from workflow_scripts.common import command, params
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import DataError
from workflow_scripts.common.files import atomic_open, atomic_path, read_json, write_json
from workflow_scripts.common.tables import check_schema
from workflow_scripts.corpus.release import RELEASED, features, hub_schema, stem_of
from workflow_scripts.corpus.release_card import card, croissant
from workflow_scripts.corpus.splits import SPLITS

BATCH = 1 << 16


@dataclasses.dataclass(frozen=True)
class Params:
    """restricted: the corpus is made from a licensed release; vocabulary: SAB of its graph, None where unknown."""

    restricted: bool
    vocabulary: str | None


def main(args):
    """Write all files of the export, the checksums last."""
    settings = params.parse(Params, args.params)
    if not read_json(args.check)["kept"]:
        raise DataError(args.check, found="broken promises", expected="a corpus that its checker accepted")
    numbers, stem = read_json(args.relations), stem_of(args.corpus)
    names, output = sorted(numbers, key=numbers.get), args.output
    counts = {}
    for split in SPLITS:
        _copy(args.folder / f"{split}.jsonl", output / f"{stem}_{RELEASED[split].opennre}.txt")
        counts[split] = write_hub_table(
            args.folder / f"{split}.parquet", output / RELEASED[split].hub_path, names, settings.vocabulary
        )
    _copy(args.relations, output / f"{stem}_rel2id.json")
    write_json(output / "terms.json", terms(settings))
    with atomic_open(output / "README.md") as stream:
        stream.write(card(args.corpus, names, counts, output, settings.restricted))
    files = exported(stem)
    described = [name for name in files if name not in ("croissant.json", "SHA256SUMS")]
    digests = {name: file_digest(output / name) for name in described}
    write_json(output / "croissant.json", croissant(args.corpus, digests, output, settings.restricted))
    digests["croissant.json"] = file_digest(output / "croissant.json")
    with atomic_open(output / "SHA256SUMS") as stream:
        stream.writelines(f"{digests[name]}  {name}\n" for name in sorted(digests))


def exported(stem):
    """The names of all files of an export, relative to its folder."""
    parts = [RELEASED[split] for split in SPLITS]
    return [
        *(f"{stem}_{part.opennre}.txt" for part in parts),
        f"{stem}_rel2id.json",
        *(part.hub_path for part in parts),
        *("README.md", "terms.json", "croissant.json", "SHA256SUMS"),
    ]


def terms(settings):
    """terms.json: whether the files may be passed on, for programs (`bundle_corpus` reads it)."""
    return {
        "derived_from_umls": settings.restricted,
        "vocabulary": settings.vocabulary,
        "text": "MEDLINE/PubMed, U.S. National Library of Medicine" if settings.restricted else "synthetic",
    }


def write_hub_table(source, target, names, vocabulary):
    """Write one split as the hub's Parquet; gives its number of rows.

    Parameters
    ----------
    source : path
        Contract INSTANCES.
    target : path
    names : list of str
        Relations by number.
    vocabulary : str or None
        Kept in the metadata of the file.

    Raises
    ------
    DataError
        If a relation has no number.
    """
    check_schema(source, INSTANCES)
    info = json.dumps({"info": {"features": features(names)}}, sort_keys=True)
    schema = hub_schema().with_metadata({"huggingface": info, "vocabulary": vocabulary or ""})
    rows = 0
    with atomic_path(target) as temporary, pq.ParquetFile(source) as file:
        with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for batch in file.iter_batches(batch_size=BATCH):
                writer.write_table(_nested(batch, names, schema, source))
                rows += batch.num_rows
    return rows


def _nested(batch, names, schema, where):
    relation = pc.index_in(batch.column("relation"), pa.array(names))
    if relation.null_count:
        unknown = batch.column("relation").filter(pc.is_null(relation))[0]
        raise DataError(where, found=f"relation {unknown}", expected="a relation of rel2id.json")
    columns = {name: batch.column(name) for name in ("text", "sentence_id", "rui")}
    columns["relation"] = relation.cast(pa.int64())
    for side, role in (("h", "head"), ("t", "tail")):
        bounds = [batch.column(f"{role}_{end}").to_numpy() for end in ("start", "end")]
        flat = pa.array([bound for pair in zip(*bounds, strict=True) for bound in pair], pa.int32())
        offsets = pa.array(range(0, len(flat) + 1, 2), pa.int32())
        parts = [batch.column(role), pa.ListArray.from_arrays(offsets, flat), batch.column(f"{role}_name")]
        columns[side] = pa.StructArray.from_arrays(parts, fields=list(schema.field(side).type))
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _copy(source, target):
    with atomic_path(target) as temporary:
        shutil.copyfile(source, temporary)


def arguments():
    """The command line."""
    parser = command.parser(__doc__)
    parser.add_argument("--corpus", required=True, help="id of the corpus")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--relations", type=Path, required=True, help="rel2id.json")
    parser.add_argument("--check", type=Path, required=True, help="check.json")
    parser.add_argument("--output", type=Path, required=True, help="folder of the export")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

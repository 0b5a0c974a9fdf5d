"""Small worlds for the tests of the corpus stage: graphs, linked sentences, aliases, as tables and files."""

import dataclasses
import hashlib
import json
import random

import pyarrow as pa

from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.contracts.concepts import CONCEPTS
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.contracts.sentences import SENTENCES
from workflow_scripts.common.contracts.triples import TRIPLES
from workflow_scripts.common.tables import write_table

SPLITS = ("train", "valid", "test")


@dataclasses.dataclass
class World:
    """Everything that the stage reads.

    facts: split -> list of (head, relation, tail); types: cui -> (tui, sty, group);
    sentences: list of (sentence_id, text, [(cui, start, end), ...]); aliases: cui -> list of names.
    """

    facts: dict
    types: dict
    sentences: list
    aliases: dict

    def mentions(self):
        rows = [
            (identifier, start, end, text[start:end], cui, 1.0, 0)
            for identifier, text, mentions in self.sentences
            for cui, start, end in mentions
        ]
        rows.sort(key=lambda row: (row[0], row[1], row[2]))
        return as_table(rows, MENTIONS)


def as_table(rows, contract):
    columns = list(zip(*rows, strict=True)) if rows else [[] for _ in contract.schema]
    return pa.table(
        [pa.array(values, field.type) for values, field in zip(columns, contract.schema, strict=True)],
        schema=contract.schema,
    )


def sentence_id(text):
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def partition(identifier, number):
    return int(identifier[:2], 16) * number // 256


def write_world(world, folder, partitions=3, shuffle=0):
    """Write all input files of the stage; gives the options of the commands as a dict."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"mentions": [], "sentences": []}
    mentions = world.mentions()
    ids = mentions["sentence_id"].to_pylist()
    for number in range(partitions):
        own = pa.array([partition(identifier, number=partitions) == number for identifier in ids], pa.bool_())
        path = folder / f"mentions-{number:03d}.parquet"
        write_table(path, mentions.filter(own), MENTIONS)
        paths["mentions"].append(path)
        rows = sorted(
            (identifier, text, len(text.split()), 1, "0", 0, len(text))
            for identifier, text, _ in world.sentences
            if partition(identifier, partitions) == number
        )
        path = folder / f"sentences-{number:03d}.parquet"
        write_table(path, as_table(rows, SENTENCES), SENTENCES)
        paths["sentences"].append(path)
    random.Random(shuffle).shuffle(paths["mentions"])
    random.Random(shuffle).shuffle(paths["sentences"])
    for split in SPLITS:
        paths[split] = folder / f"{split}.tsv"
        paths[split].write_text(
            "".join("\t".join(fact) + "\n" for fact in sorted(world.facts[split])), encoding="utf-8"
        )
    paths["concepts"] = folder / "concepts.parquet"
    write_table(paths["concepts"], concepts_table(world.types), CONCEPTS)
    paths["aliases"] = folder / "aliases.parquet"
    write_table(paths["aliases"], aliases_table(world.aliases), ALIASES)
    paths["triples"] = folder / "triples.parquet"
    write_table(paths["triples"], triples_table(world.facts), TRIPLES)
    return paths


def concepts_table(types):
    return as_table([(cui, f"name of {cui}", *types[cui], 1) for cui in sorted(types)], CONCEPTS)


def aliases_table(aliases):
    named = [(cui, sorted(set(aliases[cui]))) for cui in sorted(aliases)]
    rows = [(cui, name, place == 0, False) for cui, names in named for place, name in enumerate(names)]
    return as_table(rows, ALIASES)


def triples_table(facts):
    rows = sorted({fact for split in SPLITS for fact in facts[split]})
    return as_table([(*fact, f"R{number:07d}") for number, fact in enumerate(rows)], TRIPLES)


def command_options(paths, names):
    """Command line options of the named inputs."""
    options = []
    for name in names:
        value = paths[name]
        options += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    return options


def canonical(value):
    return json.dumps(value, sort_keys=True)

"""Write the embedded release: an invented UMLS release (RRF) and an invented MEDLINE baseline, free of any licence.

Concepts, names, facts and sentences are made up from a seed; only the names of semantic types, groups and
relations are the public ones. Beside the release stands its live text, one sentence a line with the places of its
mentions, from which the word vectors and the encoder of the release are trained.
"""

import dataclasses
import logging
from pathlib import Path

from workflow_scripts.common import command, params
from workflow_scripts.common.files import atomic_open
from workflow_scripts.demo import grammar, graph, medline, oddities, rrf_tables, semantic_types, telling


@dataclasses.dataclass(frozen=True)
class Params:
    """The release depends on its seed alone."""

    seed: int = 0


def main(args):
    """Write META, the baseline and the plain text."""
    seed = params.parse(Params, args.params).seed
    reserved = grammar.running_words()
    knowledge = graph.build_graph(seed, reserved)
    outside = oddities.outside_concepts(seed, reserved, len(knowledge.concepts))
    oddities.give_odd_names(seed, knowledge)
    write_meta(args.meta, seed, knowledge, outside)
    teller, sentences = telling.write_sentences(seed, knowledge, [c for group in outside.values() for c in group])
    files, deleted = medline.make_citations(seed, teller, sentences)
    write_baseline(args.baseline, files, deleted)
    lines = write_text(args.text, files)
    logging.info(
        "%d concepts, %d facts, %d citations, %d lines of text",
        len(knowledge.concepts),
        len(knowledge.facts),
        sum(map(len, files)),
        lines,
    )


def write_meta(folder, seed, knowledge, outside):
    """Write the RRF files (each row closed by '|') and SemGroups.txt."""
    names = rrf_tables.mrconso(seed, knowledge, outside)
    atoms = rrf_tables.atoms_of(names)
    tables = {
        "MRCONSO": names,
        "MRREL": rrf_tables.mrrel(seed, knowledge, outside, atoms),
        "MRSTY": rrf_tables.mrsty(knowledge, outside),
        "MRDEF": rrf_tables.mrdef(seed, knowledge, atoms),
        "MRDOC": rrf_tables.mrdoc(),
        "MRSAB": rrf_tables.mrsab(),
    }
    for name, rows in tables.items():
        with atomic_open(folder / f"{name}.RRF") as stream:
            stream.writelines("|".join(row) + "|\n" for row in rows)
    with atomic_open(folder / "SemGroups.txt") as stream:
        stream.writelines(line + "\n" for line in semantic_types.semantic_group_lines())


def write_baseline(folder, files, deleted):
    """Write pubmed19n0001.xml.gz ... and the .md5 of each; the last file carries the deletions."""
    for number, citations in enumerate(files, 1):
        name = f"pubmed19n{number:04d}.xml.gz"
        data = medline.compress(medline.xml_of(citations, deleted if number == len(files) else ()))
        with atomic_open(folder / name, "wb") as stream:
            stream.write(data)
        with atomic_open(folder / f"{name}.md5") as stream:
            stream.write(medline.md5_line(name, data))


def write_text(path, files):
    """Write the live sentences: text, then start:end of each mention (code points), separated by tabs."""
    lines = {}
    for citations in files:
        for citation in citations:
            for _, _, sentences in citation.sections if citation.live else ():
                for sentence in sentences:
                    text, spans = sentence.plain()
                    if text.strip():
                        lines["\t".join([text, *(f"{start}:{end}" for start, end in spans)])] = None
    with atomic_open(path) as stream:
        stream.writelines(line + "\n" for line in lines)
    return len(lines)


def arguments():
    """Options of the command."""
    parser = command.parser(__doc__)
    parser.add_argument("--meta", type=Path, required=True, help="folder for the RRF files and SemGroups.txt")
    parser.add_argument("--baseline", type=Path, required=True, help="folder for the .xml.gz files and their .md5")
    parser.add_argument("--text", type=Path, required=True, help="file for the live text with places of mentions")
    return parser


if __name__ == "__main__":
    command.run(arguments(), main)

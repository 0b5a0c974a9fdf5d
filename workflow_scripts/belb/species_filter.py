"""The species filter: of the identifiers that a linker gives, those of the species that the mention belongs to."""

import collections
import dataclasses

import pyarrow.compute as pc
import pyarrow.dataset as ds


def read_species(folder, identifiers):
    """Taxa of entities of a built knowledge base.

    Parameters
    ----------
    folder : Path
        With names.parquet and other_foreign.parquet; only rows of the identifiers are kept.
    identifiers : iterable of str

    Returns
    -------
    dict
        Identifier -> set of taxa; identifiers that the knowledge base lacks, or has no species of, are not in it.
    """
    found, wanted = collections.defaultdict(set), sorted(set(identifiers))
    for name in ("names", "other_foreign"):
        chosen = pc.field("identifier").isin(wanted) & pc.is_valid(pc.field("foreign_identifier"))
        columns = ["identifier", "foreign_identifier"]
        for batch in ds.dataset(folder / f"{name}.parquet").scanner(columns=columns, filter=chosen).to_batches():
            for identifier, taxon in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                found[identifier].add(taxon)
    return dict(found)


def agreement(mentions, species_of, taxa):
    """Of gold mentions whose entities have a species: how many, and how many of them are assigned it.

    Parameters
    ----------
    mentions : iterable of dict
        Rows of contract MENTIONS.
    species_of : callable
        See `filtered`.
    taxa : dict
        Of `read_species`.
    """
    known = right = 0
    for row in mentions:
        wanted = set().union(*(taxa.get(name, ()) for name in row["identifiers"]))
        known += bool(wanted)
        right += bool(wanted.intersection(species_of(row["document"], row["start"], row["end"])[0]))
    return known, right


def filtered(predictions, species_of, taxa):
    """Predictions without the identifiers of other species.

    Of all ranks of a mention the identifiers are kept that have one of its taxa, in their order; where none has, all
    are kept as they were.

    Parameters
    ----------
    predictions : Predictions
    species_of : callable
        Gets document, start, end of a mention; gives its taxa and the rule behind them.
    taxa : dict
        Of `read_species`.

    Returns
    -------
    Predictions
    list of tuple
        For each mention document, start, end, taxa, rule, identifiers before, identifiers after, and what was done:
        filtered (some are gone), all (all had the species), none (none had, all kept) or empty (there were none).
    """
    rows, report = [], []
    for row in predictions.rows:
        wanted, rule = species_of(row.document, row.start, row.end)
        ranks = [tuple(name for name in rank if taxa.get(name, set()).intersection(wanted)) for rank in row.candidates]
        ranks = tuple(rank for rank in ranks if rank)
        before, after = (sum(map(len, each)) for each in (row.candidates, ranks))
        done = "empty" if not before else "none" if not after else "all" if after == before else "filtered"
        rows.append(dataclasses.replace(row, candidates=ranks) if after else row)
        report.append((row.document, row.start, row.end, wanted, rule, before, after or before, done))
    return dataclasses.replace(predictions, rows=rows), report

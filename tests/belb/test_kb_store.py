"""A knowledge base on disk: round trip through files and database, the API, the commands, foreign entities."""

import json
import os
import random
import re
import shutil

import pyarrow.parquet as pq
import pytest
import sqlalchemy

from tests.belb.kbs import built, dump, gene, gene_info, pairs, write
from workflow_scripts.belb.kb_store import CONTRACTS, load_server, load_sqlite, tables_of
from workflow_scripts.belb.knowledge_base import load_kb
from workflow_scripts.common.errors import DataError, UsageError

pytestmark = pytest.mark.timeout(180)
HISTORY = "#tax_id\tGeneID\tDiscontinued_GeneID\tDiscontinued_Symbol\tDiscontinue_Date\n"
HISTORY += "9606\t2\t30\tO\t1\n9606\t30\t29\tO\t1\n9606\t-\t31\tG\t1\n9606\t2\t32\tG\t1\n9606\t10\t32\tG\t1\n"
GENES = [
    gene("10", "ÄB", Synonyms="alpha 'x'|+|A;B,C"), gene("2", "A2M", Synonyms="alpha 'x'|A2M"),
    gene("24153", "A2M", "10116"), gene("9", "twin", map_location="1"), gene("11", "twin", map_location="1"),
    gene("12", "a\\b", "12"),
]  # fmt: skip
KINDS = {0: "Symbol", 4: "Synonyms"}


@pytest.fixture
def folder(tmp_path):
    """A built knowledge base of genes with its SQLite file, in a folder with an awkward name."""
    out = tmp_path / "kb 100% #1?"
    out.mkdir()
    built("ncbi_gene", write(tmp_path, gene_info__gz=gene_info(*GENES), gene_history__gz=HISTORY), folder=out)
    load_sqlite(out, KINDS, "genes", out / "kb.db")
    return out


def test_the_api(folder):
    with load_kb(folder) as kb:
        assert len(kb) == 6 and "2" in kb and "30" not in kb
        assert kb.names("10") == ["ÄB", "+", "A;B,C", "alpha 'x'"] and kb.preferred("10") == "ÄB"
        assert kb.names("nobody") == [] and kb.preferred("nobody") is None
        assert kb.identifiers("A2M") == ["2", "24153"] and kb.identifiers("A2M", "9606") == ["2"]
        assert kb.identifiers("a2m") == []
        assert kb.resolve("2") == ["2"] and kb.resolve("30") == kb.resolve("29") == ["2"]
        assert kb.resolve("32") == ["2", "10"] and kb.resolve("31") == kb.resolve("nobody") == []
        assert kb.is_removed("31") and not kb.is_removed("30") and not kb.is_removed("nobody")
        assert kb.homonyms("alpha 'x'") == [("9606", "10"), ("9606", "2")] and kb.homonyms("A2M") == []
        assert kb.foreign_homonyms("A2M") == [("10116", "24153"), ("9606", "2")]
        assert kb.representative("11") == "9" and kb.representative("9") == "9"
        assert kb.foreign("2") == ["9606"]
    with load_kb(str(folder / "kb.db"), "genes") as kb:
        assert kb.preferred("2") == "A2M"


def test_the_database_holds_the_rows_of_the_files(folder, tmp_path):
    address = f"sqlite:///{tmp_path / 'several.db'}"
    for kb in ("genes", "others", "genes"):
        load_server(folder, KINDS, kb, address)
    engine = sqlalchemy.create_engine(address)
    for kb in ("genes", "others"):
        for name, table in tables_of(kb).items():
            with engine.connect() as connection:
                found = sorted(map(tuple, connection.execute(table.select())), key=repr)
            if name == "kinds":
                assert found == sorted(KINDS.items())
            else:
                wanted = pq.read_table(folder / f"{name}.parquet").to_pylist()
                assert found == sorted((tuple(row.values()) for row in wanted), key=repr)
    engine.dispose()
    with pytest.raises(UsageError, match="name one of genes, others"):
        load_kb(address)
    with pytest.raises(DataError, match="knowledge bases genes, others"):
        load_kb(address, "cells")


def test_a_server(tmp_path):
    """PostgreSQL and its driver, where BELB_TEST_DATABASE names a database that may be written to."""
    address = os.environ.get("BELB_TEST_DATABASE")
    if not address:
        pytest.skip("BELB_TEST_DATABASE names no database (postgresql+psycopg://user@host/database)")
    draw = random.Random(0)
    # no tree of PostgreSQL takes it, in whatever way it is packed
    long = "".join(draw.choices("äabcdefghijklmnopqrstuvwxyz0123456789", k=9000))
    genes = [*GENES, gene("70", "Z", Synonyms=long), gene("71", "z", Synonyms=long)]
    out = tmp_path / "kb"
    out.mkdir()
    built("ncbi_gene", write(tmp_path, gene_info=gene_info(*genes), gene_history__gz=HISTORY), folder=out)
    load_sqlite(out, KINDS, "genes", out / "kb.db")
    for _ in range(2):
        rows = load_server(out, KINDS, "belb_test", address)
    assert rows == {name: pq.read_metadata(out / f"{name}.parquet").num_rows for name in CONTRACTS}
    with load_kb(address, "belb_test") as there, load_kb(out) as here:
        assert len(there) == len(here) == len(genes)
        for name in ("ÄB", "ä", "A2M", "a2m", "alpha 'x'", "a\\b", "A;B,C", "z", long, long[:-1]):
            assert there.identifiers(name) == here.identifiers(name)
            assert there.homonyms(name) == here.homonyms(name)
        assert there.identifiers(long) == ["70", "71"] and there.identifiers("z") == ["71"]
        for identifier in ("2", "10", "30", "31", "32", "24153", "nobody"):
            for question in ("names", "preferred", "foreign", "resolve", "is_removed", "representative"):
                assert getattr(there, question)(identifier) == getattr(here, question)(identifier)
    with pytest.raises(DataError, match="nobody_of_this_name"):
        load_server(out, KINDS, "x", re.sub("//.*@", "//nobody_of_this_name@", address))
    engine = sqlalchemy.create_engine(address)
    for table in tables_of("belb_test").values():
        table.drop(engine)
    engine.dispose()


def test_a_server_that_refuses(folder, tmp_path):
    address = f"sqlite:///{tmp_path}/no/such/folder/x.db"
    for refused in (lambda: load_server(folder, KINDS, "x", address), lambda: load_kb(address, "x")):
        with pytest.raises(DataError, match="unable to open database file") as caught:
            refused()
        assert "is the server running" in str(caught.value)


def test_what_cannot_be_opened(folder, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_kb(tmp_path)
    with pytest.raises(UsageError, match="holds a password") as caught:
        load_server(folder, KINDS, "x", "postgresql://me:secret@host/db")
    assert "secret" not in str(caught.value)
    for address in ("no address", "nosuchdialect://host/db"):
        with pytest.raises(UsageError, match="no database can be reached"):
            load_server(folder, KINDS, "x", address)
    (folder / "history.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="history.parquet"):
        load_sqlite(folder, KINDS, "x", tmp_path / "half.db")
    assert not (tmp_path / "half.db").exists() and not list(tmp_path.glob(".half*"))


def test_same_bytes_whatever_the_order_and_the_threads(tmp_path):
    genes = [
        gene(str(number), f"S{number % 97}", str(number % 5), Synonyms=f"x{number % 13}|y{number}")
        for number in range(3000)
    ]
    folders = []
    for threads, seed in ((1, 0), (2, 1), (2, 2)):
        random.Random(seed).shuffle(genes)
        out = tmp_path / str(seed)
        out.mkdir()
        paths = write(tmp_path, gene_info=gene_info(*genes))
        built("ncbi_gene", paths, folder=out, threads=threads, memory_mb=400, history=False)
        load_sqlite(out, KINDS, "genes", out / "kb.db")
        folders.append({path.name: path.read_bytes() for path in out.iterdir() if path.name != "report.json"})
    assert len(folders[0]) == len(CONTRACTS) + 2
    assert folders[0] == folders[1] == folders[2]


def taxonomy(folder):
    out = folder / "taxonomy"
    out.mkdir()
    names = dump(
        *((taxon, name, "", "scientific name") for taxon, name in (("9606", "Homo sapiens"), ("10116", "Rat")))
    )
    paths = write(folder, names__dmp=names, merged__dmp=dump(("12", "10116"), ("13", "14")), delnodes__dmp="")
    built("ncbi_taxonomy", paths, folder=out)
    return out


def test_foreign_entities(tmp_path):
    foreign = taxonomy(tmp_path)
    genes = [*GENES, gene("50", "orphan", "77"), gene("51", "orphan", "13")]
    paths = write(tmp_path, gene_info=gene_info(*genes))
    with pytest.raises(DataError, match="2 of 4 foreign identifiers .* lacks: 13, 77") as caught:
        built("ncbi_gene", paths, foreign=foreign, history=False)
    assert "max_orphan_share" in caught.value.expected
    tables = built("ncbi_gene", paths, foreign=foreign, history=False, max_orphan_share=0.5)
    assert tables["foreign"] == [("10116", "Rat"), ("13", None), ("77", None), ("9606", "Homo sapiens")]
    # taxon 12 became the rat, also of the gene
    assert [row for row in tables["names"] if row[0] == "12"] == [("12", "a\\b", 0, "10116", None)]
    read = tables["report"]["read"]
    assert (read["orphan foreign identifiers"], read["entities with an orphan foreign identifier"]) == (2, 2)
    assert read["foreign identifiers replaced"] == 1
    assert tables["report"]["orphan_foreign_identifiers"] == ["13", "77"]


def test_further_foreign_entities_that_became_one(tmp_path):
    entry = "ID   x\nAC   CVCL_0001\nOX   NCBI_TaxID=12; ! Rat\n" + "".join(
        f"OX   NCBI_TaxID={taxon}; ! x\n" for taxon in (10116, 9606, 9606)
    )
    paths = write(tmp_path, cellosaurus__txt=entry + "//\n")
    tables = built("cellosaurus", paths, foreign=taxonomy(tmp_path), history=False)
    assert tables["names"] == [("CVCL_0001", "x", 0, "10116", None)]
    assert tables["other_foreign"] == [("CVCL_0001", "9606")]
    alone = built("cellosaurus", paths, history=False)
    assert alone["names"][0][3] == "12" and [row[1] for row in alone["other_foreign"]] == ["10116", "9606"]


def test_the_commands(tmp_path, run_command):
    paths = write(tmp_path, gene_info__gz=gene_info(*GENES), gene_history__gz=HISTORY)
    settings = json.dumps({"format": "ncbi_gene", "kb": "genes", "taxa": ["9606"]})
    out = tmp_path / "out"
    done = run_command(
        "belb/build_belb_kb.py", "--files", *paths, "--folder", out, "--params", settings, "--record", out / "r.json"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "report.json").read_text())
    assert (report["entities"], report["rows"]["names"], report["removed_identifiers"]) == (4, 8, 1)
    assert report["files"]["gene_info.gz"].startswith("sha256:")
    names = out / "names.parquet"
    done = run_command("belb/load_belb_kb.py", "--names", names, "--kb", "genes", "--sqlite", out / "kb.db")
    assert done.returncode == 0, done.stderr
    with load_kb(out) as kb:
        assert len(kb) == 4
    address = f"sqlite:///{tmp_path / 'all.db'}"
    loaded = ("--database", address, "--loaded", out / "loaded.json")
    assert run_command("belb/load_belb_kb.py", "--names", names, "--kb", "genes", *loaded).returncode == 0
    assert json.loads((out / "loaded.json").read_text())["rows"]["names"] == 8
    # bad input: a message, an exit code, nothing half-written
    shutil.rmtree(out)
    paths[0].write_bytes(paths[0].read_bytes()[:-8])
    done = run_command("belb/build_belb_kb.py", "--files", *paths, "--folder", out, "--params", settings)
    assert done.returncode == 3 and "whose end is missing" in done.stderr and "Traceback" not in done.stderr
    assert not out.exists()
    done = run_command("belb/build_belb_kb.py", "--files", paths[0], "--folder", out, "--params", settings)
    assert done.returncode == 2 and "gene_history* (history)" in done.stderr


def test_medic_of_2012_as_distributed(shared_data, tmp_path):
    path = shared_data / "belb" / "medic_06Jul2012.txt.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    tables = built("medic_2012", [path], folder=tmp_path)
    report = tables["report"]
    assert (report["read"]["rows"], report["entities"], report["names"]) == (11_915, 11_914, 76_236)
    assert report["rows"]["alternatives"] == 3_027 and report["read"]["duplicate names"] == 0
    load_sqlite(tmp_path, {0: "symbol", 1: "synonym"}, "medic", tmp_path / "kb.db")
    with load_kb(tmp_path) as kb:
        assert kb.resolve("MESH:D019082") == ["OMIM:270400"] == kb.identifiers("Smith-Lemli-Opitz Syndrome")


def test_human_genes_as_distributed(shared_data):
    path = shared_data / "belb" / "Homo_sapiens.gene_info.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    tables = built("ncbi_gene", [path], history=False)
    report = tables["report"]
    assert (report["read"]["rows"], report["read"]["placeholder genes"], report["entities"]) == (56_425, 1, 56_424)
    assert report["names"] == len({row[:2] for row in pairs(tables)}) == 258_208
    assert report["rows"]["name_homonyms"] == 15_755 and report["rows"]["identifier_homonyms"] == 5

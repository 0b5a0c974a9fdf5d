"""Parsers of the formats on small invented files with every oddity."""

import json

import pytest

from tests.belb.kbs import CTD_HEADING, GENE_COLUMNS, built, disease, dump, gene, gene_info, pairs, write
from workflow_scripts.common.errors import DataError, UsageError

pytestmark = pytest.mark.timeout(120)
OLD_GENES = (
    "#Format: tax_id GeneID Symbol LocusTag Synonyms dbXrefs chromosome map_location description type_of_gene "
    "Symbol_from_nomenclature_authority Full_name_from_nomenclature_authority Nomenclature_status Other_designations "
    "Modification_date (tab is used as a separator, pound sign - start of a comment)\n"
)


def test_ctd_diseases(tmp_path):
    text = CTD_HEADING + "".join(
        [
            disease("Diseases", "MESH:C", synonyms="all"),
            disease(
                "Crohn's\tdisease".replace("\t", " "),
                "MESH:D003424",
                "OMIM:1|DO:2,3",
                'Enteritis, "R"|Crohn\'s disease|+|',
            ),
            disease("Pain; chronic", "OMIM:1+2", "MESH:D003424", "Pain|Pain|-"),
        ]
    )
    tables = built("ctd_diseases", write(tmp_path, CTD_diseases__tsv__gz=text))
    assert pairs(tables) == [
        ("MESH:D003424", "Crohn's disease", 0),
        ("MESH:D003424", "+", 1),
        ("MESH:D003424", 'Enteritis, "R"', 1),
        ("OMIM:1+2", "Pain; chronic", 0),
        ("OMIM:1+2", "Pain", 1),
    ]
    # an alternative identifier that is an entity of its own is none
    assert tables["alternatives"] == [("DO:2,3", "MESH:D003424"), ("OMIM:1", "MESH:D003424")]
    read = tables["report"]["read"]
    assert (read["rows"], read["rows of the root"]) == (3, 1)
    assert (read["duplicate names"], read["blank names"], read["alternative identifiers that are entities"]) == (
        2,
        2,
        1,
    )
    without = built("ctd_diseases", write(tmp_path, CTD_diseases__tsv__gz=text), remove_quotes=True)
    assert without["names"][0][1] == "Crohns disease" and without["names"][2][1] == "Enteritis, R"


def test_ctd_columns_that_came_later(tmp_path):
    columns = "ChemicalName ChemicalID CasRN PubChemCID Definition ParentIDs TreeNumbers ParentTreeNumbers Synonyms"
    heading = "# " + "\t".join(columns.split()) + "\n"
    lines = "Chemicals\tMESH:D013749\t\t\t\t\t\t\tx\n10-deacetyltaxol\tMESH:C1\t1-2\t77\t\t\t\t\tA|B, (1,2)\n"
    tables = built("ctd_chemicals", write(tmp_path, CTD_chemicals__tsv=heading + lines))
    assert pairs(tables) == [("MESH:C1", "10-deacetyltaxol", 0), ("MESH:C1", "A", 1), ("MESH:C1", "B, (1,2)", 1)]
    eight = "10-deacetyltaxol\tMESH:C1\t1-2\t\t\t\t\tA\n"
    assert len(built("ctd_chemicals", write(tmp_path, CTD_chemicals__tsv=eight))["names"]) == 2
    with pytest.raises(DataError, match="line 1(.|\n)*9 columns(.|\n)*8 columns: ChemicalName"):
        built("ctd_chemicals", write(tmp_path, CTD_chemicals__tsv=lines))
    with pytest.raises(DataError, match="a heading without Synonyms"):
        built("ctd_chemicals", write(tmp_path, CTD_chemicals__tsv=heading.replace("Synonyms", "Names") + lines))


def test_medic_of_2012(tmp_path):
    text = 'C||Diseases\nC1|100|D2||Name, one|Other\'s "x"|Name, one\n200||SECOND\n'
    tables = built("medic_2012", write(tmp_path, medic_06Jul2012__txt__gz=text))
    assert pairs(tables) == [
        ("MESH:C1", "Name, one", 0), ("MESH:C1", "Other's \"x\"", 1), ("OMIM:200", "SECOND", 0)
    ]  # fmt: skip
    assert tables["alternatives"] == [("MESH:D2", "MESH:C1"), ("OMIM:100", "MESH:C1")]
    for line, words in (("D1|Name", "id|alternative"), ("D1||", "id|alternative"), ("X1||n", "identifier 'X1'")):
        with pytest.raises(DataError, match="line 2") as caught:
            built("medic_2012", write(tmp_path, medic_06Jul2012__txt__gz="D7||Good\n" + line + "\n"))
        assert words in str(caught.value)


def test_ncbi_taxonomy(tmp_path):
    names = dump(
        ("1", "all", "", "synonym"), ("1", "root", "", "scientific name"),
        ("2", "Bacteria", "Bacteria <bacteria>", "scientific name"), ("2", "eubacteria", "", "genbank common name"),
        ("9606", "Homo sapiens", "", "scientific name"), ("9606", 'Homo "L." | 1758', "", "authority"),
        ("9606", "Homo sapiens", "", "equivalent name"), ("9606", "man", "", "class of tomorrow"),
        ("10", "root", "", "scientific name"),
    )  # fmt: skip
    paths = write(tmp_path, names__dmp=names, merged__dmp=dump(("12", "13"), ("13", "2")), delnodes__dmp=dump(("99",)))
    tables = built("ncbi_taxonomy", paths)
    assert pairs(tables) == [
        ("10", "root", 0), ("2", "Bacteria <bacteria>", 0), ("2", "eubacteria", 5),
        ("9606", "Homo sapiens", 0), ("9606", 'Homo "L." | 1758', 12), ("9606", "man", 19),
    ]  # fmt: skip
    assert tables["history"] == [("12", "2"), ("13", "2"), ("99", None)]
    assert tables["report"]["read"]["names of an unknown class"] == 1
    assert tables["report"]["read"]["rows of the root"] == 2
    assert built("ncbi_taxonomy", paths[:1], history=False)["history"] == []
    with pytest.raises(UsageError, match=r"expected: one file \*taxdump\*.tar\* or merged.dmp\* \(merged\)"):
        built("ncbi_taxonomy", paths[:1])


@pytest.mark.parametrize("old", [False, True])
def test_ncbi_gene(tmp_path, old):
    columns = GENE_COLUMNS[:15] if old else GENE_COLUMNS
    lines = [
        gene("2", "A2M", columns=columns, Synonyms="A2MD|S863-7|-", map_location="12p13.31", chromosome="12",
             Symbol_from_nomenclature_authority="A2M", Other_designations="alpha-2-M, 'x'|A2MD",
             Full_name_from_nomenclature_authority="alpha-2-macroglobulin", description="alpha-2-macroglobulin"),
        gene("24153", "A2m", "10116", columns=columns, LocusTag="RGD1", type_of_gene="protein-coding"),
        gene("7", "NEWENTRY", columns=columns, description="Record to support submission of GeneRIFs ..."),
        gene("8", "X1", "10090", columns=columns, description="Record to support submission of GeneRIFs ..."),
    ]  # fmt: skip
    text = (OLD_GENES if old else gene_info(columns=columns)) + "".join(lines)
    history = "#tax_id\tGeneID\tDiscontinued_GeneID\tDiscontinued_Symbol\tDiscontinue_Date\n"
    history += "9606\t2\t30\tOLD\t20100101\n9606\t-\t31\tGONE\t20100101\n10090\t8\t32\tM\t20100101\n"
    paths = write(tmp_path, gene_info__gz=text, gene_history__gz=history)
    tables = built("ncbi_gene", paths)
    assert tables["names"] == [
        ("2", "A2M", 0, "9606", "12p13.31"), ("2", "alpha-2-macroglobulin", 2, "9606", "12p13.31"),
        ("2", "A2MD", 4, "9606", "12p13.31"), ("2", "S863-7", 4, "9606", "12p13.31"),
        ("2", "alpha-2-M, 'x'", 5, "9606", "12p13.31"), ("24153", "A2m", 0, "10116", "RGD1"),
        ("8", "X1", 0, "10090", None),
    ]  # fmt: skip
    assert tables["history"] == [("30", "2"), ("31", None), ("32", "8")]
    assert [row[0] for row in tables["foreign"]] == ["10090", "10116", "9606"]
    assert tables["report"]["read"]["placeholder genes"] == 1
    few = built("ncbi_gene", paths, taxa=[9606, "10090"])
    assert {row[0] for row in few["names"]} == {"2", "8"} and len(few["history"]) == 3
    assert few["report"]["read"]["genes of other species"] == 1
    broken = text + "9606\t1\tA\n"
    with pytest.raises(DataError, match=f"line 6(.|\n)*3 columns(.|\n)*{len(columns)} columns: tax_id, GeneID"):
        built("ncbi_gene", write(tmp_path, gene_info__gz=broken), history=False)
    with pytest.raises(DataError, match="a heading without tax_id"):
        built("ncbi_gene", write(tmp_path, gene_info__gz="".join(lines)), history=False)
    packed = write(tmp_path, gene_info__gz=text)[0].read_bytes()
    (tmp_path / "gene_info.gz").write_bytes(packed[:-8])
    with pytest.raises(DataError, match="gene_info.gz\n.*whose end is missing"):
        built("ncbi_gene", paths[:1], history=False)


CELLS = """\
 CALIPHO group
 ID         Identifier (cell line name)     Once; starts an entry
 AC         Accession (CVCL_xxxx)           Once
____________________________________________________________
ID   HL-60
AC   CVCL_0002
AS   CVCL_9001; CVCL_9002
SY   HL 60; HL.60; HL,60+; HL 60
RX   PubMed=288488; DOI=10.1;
RX   PubMed=17;
DI   NCIt; C3182; Acute promyelocytic leukemia
DI   ORDO; Orphanet_1; AAA; with a semicolon
OX   NCBI_TaxID=9606; ! Homo sapiens (Human)
CA   Cancer cell line
//
ID   Hybrid "1"; x
AC   CVCL_0003
OX   NCBI_TaxID=10090; ! Mus musculus
OX   NCBI_TaxID=9606; ! Homo sapiens (Human)
CA   Hybridoma
//
"""
DELETED = "\n Cellosaurus deleted\n------\n\nCVCL_7777\nCVCL_8888\n------\nCopyright\n"


def test_cellosaurus(tmp_path):
    paths = write(tmp_path, cellosaurus__txt=CELLS, cellosaurus_deleted_ACs__txt=DELETED)
    tables = built("cellosaurus", paths)
    human = ("9606", "AAA; with a semicolon")
    assert tables["names"] == [
        ("CVCL_0002", "HL-60", 0, *human), ("CVCL_0002", "HL 60", 1, *human),
        ("CVCL_0002", "HL,60+", 1, *human), ("CVCL_0002", "HL.60", 1, *human),
        ("CVCL_0003", 'Hybrid "1"; x', 0, "10090", "Hybridoma"),
    ]  # fmt: skip
    assert tables["history"] == [
        ("CVCL_7777", None), ("CVCL_8888", None), ("CVCL_9001", "CVCL_0002"), ("CVCL_9002", "CVCL_0002")
    ]  # fmt: skip
    assert tables["citations"] == [("CVCL_0002", "17"), ("CVCL_0002", "288488")]
    assert tables["other_foreign"] == [("CVCL_0003", "9606")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CELLS[: CELLS.rindex("//")], "line 16(.|\n)*does not end"),
        (CELLS.replace("//\nID", "ID"), "line 5(.|\n)*does not end before line 15"),
        (CELLS.replace("AC   CVCL_0003\n", ""), "line 16(.|\n)*accession \\(none\\) of 'Hybrid"),
        (CELLS.replace("CVCL_0003", "0003"), "line 16(.|\n)*accession 0003"),
    ],
)
def test_broken_cell_lines(tmp_path, text, words):
    with pytest.raises(DataError, match=words):
        built("cellosaurus", write(tmp_path, cellosaurus__txt=text), history=False)


def test_a_deleted_accession_that_is_none(tmp_path):
    paths = write(tmp_path, cellosaurus__txt=CELLS, cellosaurus_deleted_ACs__txt="CVCL_7777\nHeLa\n")
    with pytest.raises(DataError, match="line 2(.|\n)*'HeLa'"):
        built("cellosaurus", paths)


def variant(identifier, *placements, genes=(), **more):
    data = {
        "placements_with_allele": [
            {"is_ptlp": main, "alleles": [{"hgvs": name} for name in names]} for main, names in placements
        ],
        "allele_annotations": [{"assembly_annotation": [{"genes": [{"id": gene} for gene in genes]}]}],
    }
    return json.dumps({"refsnp_id": str(identifier), "primary_snapshot_data": data} | more) + "\n"


def test_dbsnp(tmp_path):
    long = "NC_1.1:g.1del" + "A" * 300
    text = variant(
        242, (True, ["NC_1.1:g.9G>A", "NC_1.1:g.9="]),
        (False, ["NM_5.1:c.3C>T", "XM_5.1:c.3C>T", long, "NP_1.1:p.Pro1="]),
        genes=[672, 7], citations=[11, 12], dbsnp1_merges=[{"merged_rsid": "100"}],
    )  # fmt: skip
    text += variant(243, (True, [long])) + variant(244, (True, ["XP_1.1:p.1"]))
    text += json.dumps({"refsnp_id": "300", "merged_snapshot_data": {"merged_into": ["243", "301"]}}) + "\n"
    text += json.dumps({"refsnp_id": "301", "merged_snapshot_data": {"merged_into": ["242"]}}) + "\n"
    text += json.dumps({"refsnp_id": "302", "withdrawn_snapshot_data": {}}) + "\n"
    tables = built("dbsnp", write(tmp_path, **{"refsnp-chr1__json": text}))
    assert [row[:4] for row in tables["names"]] == [
        ("242", "NC_1.1:g.9=", 0, "7"), ("242", "NC_1.1:g.9G>A", 1, "7"), ("242", "NM_5.1:c.3C>T", 2, "7"),
        ("242", "NP_1.1:p.Pro1=", 4, "7"), ("243", long, 0, None),
    ]  # fmt: skip
    assert tables["history"] == [("100", "242"), ("300", "242;243"), ("301", "242"), ("302", None)]
    assert tables["other_foreign"] == [("242", "672")] and tables["citations"] == [("242", "11"), ("242", "12")]
    assert tables["report"]["read"]["variants without a name"] == 1
    with pytest.raises(DataError, match="line 2(.|\n)*refsnp_id"):
        built("dbsnp", write(tmp_path, **{"refsnp-chr1__json": variant(1, (True, ["a:g.1"])) + "{}\n"}))


def mrconso(cui, name, tty, language="ENG", suppress="N"):
    cells = {"0": cui, "1": language, "12": tty, "14": name, "16": suppress}
    return "|".join(cells.get(str(place), "") for place in range(18)) + "|\n"


def test_umls(tmp_path):
    text = "".join([
        mrconso("C1", "Cold", "SY"), mrconso("C1", "Cold", "PN"), mrconso("C1", "Erkältung", "PN", "GER"),
        mrconso("C1", 'Cold, "common"', "PT"), mrconso("C1", "old cold", "OP", suppress="O"),
        mrconso("C2", "b name", "PT"), mrconso("C2", "a name", "SY"), mrconso("C2", "b name", "AB"),
    ])  # fmt: skip
    mrcui = "C8|2010AA|SY|||C9|Y|\nC9|2011AA|SY|||C1|Y|\nC7|2010AA|DEL|||||\nC6|2010AA|RO|||C1|Y|\n"
    paths = write(tmp_path, MRCONSO__RRF=text, MRCUI__RRF=mrcui)
    tables = built("umls", paths, folder=tmp_path)
    kinds = {name: int(code) for code, name in json.loads((tmp_path / "kinds.json").read_text()).items()}
    assert pairs(tables) == [
        ("C1", "Cold", 0), ("C1", "old cold", kinds["OP"]), ("C1", 'Cold, "common"', kinds["PT"]),
        ("C2", "a name", 0), ("C2", "b name", kinds["AB"]),
    ]  # fmt: skip
    assert tables["history"] == [("C7", None), ("C8", "C1"), ("C9", "C1")]
    read = tables["report"]["read"]
    assert (read["suppressed rows"], read["rows of other languages"]) == (1, 1)
    assert (read["preferred names chosen"], read["history rows of other relations"]) == (1, 1)
    assert len(built("umls", paths, drop_suppressed=True)["names"]) == 4
    with pytest.raises(DataError, match="line 2(.|\n)*7 columns: CUI1"):
        built("umls", write(tmp_path, MRCONSO__RRF=text, MRCUI__RRF="C8|2010AA|SY|||C9|Y|\nC9|x|\n"))

"""The rules of section belb: what the configuration may say, what is planned, and a whole run on made-up files."""

import gzip
import os
import subprocess
import sys

import pytest
import yaml

from tests.belb.kbs import gene, gene_info
from tests.e2e.conftest import copy_checkout
from tests.training.name_worlds import write_encoder
from workflow_scripts.common.belb_plan import BelbPlan
from workflow_scripts.common.configuration import validate
from workflow_scripts.common.errors import UsageError
from workflow_scripts.common.files import read_json
from workflow_scripts.reporting.belb_catalogue import BELB_TABLES

DENSE = {"engine": "dense", "encoder": "tiny"}
SYSTEMS = {"exact": {"engine": "exact"}, "ours": {"engine": "linking"}}


def section(**changes):
    kbs, corpora = {"medic": {"format": "medic_2012"}}, {"ncbi": {"format": "ncbi_disease", "kb": "medic"}}
    values = {"kbs": kbs, "corpora": corpora, "systems": SYSTEMS, "predictions": {}, "reference_systems": {}}
    values |= {"species": {"words": "w.tsv", "kb": None, "default": "9606"}, "tools": {}}
    return values | {"end_to_end": [], "ranks": [1, 5]} | changes


def test_what_is_measured():
    plan = BelbPlan(section(end_to_end=["ncbi"], predictions={"theirs": {"ncbi": {"file": "p"}}}))
    assert plan.measures() == [
        *(("gold", "ncbi", system) for system in ("exact", "ours", "theirs")),
        *(("found", "ncbi", system) for system in ("exact", "ours")),
    ]
    assert plan.by_engine("exact", "fuzzy") == ["exact"] and plan.by_engine("linking") == ["ours"]


def test_a_system_may_be_taken_out_of_the_default():
    assert list(BelbPlan(section(systems={**SYSTEMS, "exact": None})).systems) == ["ours"]


def test_one_threshold_whether_or_not_an_entity_has_a_definition():
    plan = BelbPlan(section(systems={"a": {"engine": "linking"}, "b": {"engine": "linking", "threshold": 0.2, "k": 3}}))
    assert plan.linking_settings("a") == {
        **{"candidates": "tfidf", "mode": "faithful", "threshold": 0.7, "no_definition_threshold": 0.7},
        **{"k": 30, "max_candidates": 5},
    }
    assert plan.linking_settings("b")["no_definition_threshold"] == 0.2 and plan.linking_settings("b")["k"] == 3


def test_a_corpus_without_systems_needs_no_knowledge_base():
    corpora = {"ncbi": {"format": "ncbi_disease"}}
    plan = BelbPlan(section(corpora=corpora, systems={}, predictions={"theirs": {"ncbi": {"file": "p"}}}))
    assert plan.kb_of("ncbi") is None and plan.measures() == [("gold", "ncbi", "theirs")]


GENES = {
    "kbs": {"medic": {"format": "medic_2012"}, "genes": {"format": "ncbi_gene"}, "taxa": {"format": "ncbi_taxonomy"}},
    "corpora": {"ncbi": {"format": "ncbi_disease", "kb": "medic"}, "nlm": {"format": "nlm_gene", "kb": "genes"}},
}
FILTERS = {
    **{"exact": {"engine": "exact"}, "exact_species": {"engine": "species_filter", "of": "exact"}},
    **{"theirs_species": {"engine": "species_filter", "of": "theirs"}, "ours": {"engine": "linking"}},
    "brackets": {"engine": "linking", "names": "disambiguated"},
}


def test_a_species_filter_is_measured_where_entities_have_species():
    theirs = {"theirs": {"nlm": {"file": "p"}}}
    plan = BelbPlan(section(systems=FILTERS, predictions=theirs, end_to_end=["nlm"], **GENES))
    assert plan.measured("gold", "ncbi") == ["exact", "ours", "brackets"]
    assert plan.measured("gold", "nlm") == ["exact", "ours", "brackets", "exact_species", "theirs_species", "theirs"]
    assert plan.measured("found", "nlm") == ["exact", "ours", "brackets", "exact_species"]


def test_tools_are_measured_on_their_corpora():
    tools = {"theirs": {"command": "t {input} {output}", "corpora": ["nlm"], "types": ["Gene"]}}
    plan = BelbPlan(section(systems=FILTERS, tools=tools, reference_systems={"nlm": "theirs"}, **GENES))
    assert plan.measured("gold", "nlm")[-3:] == ["exact_species", "theirs_species", "theirs"]
    assert "theirs" not in plan.measured("gold", "ncbi") and plan.measured("found", "nlm") == []
    assert plan.tools["theirs"] == tools["theirs"] | {"format": "pubtator", "threads": 1, "mem_mb": 64000}


def test_which_names_a_system_sees():
    plan = BelbPlan(section(systems=FILTERS, predictions={"theirs": {"nlm": {"file": "p"}}}, **GENES))
    systems = ("brackets", "ours", "theirs", None)
    assert [plan.names_of("nlm", system) for system in systems] == ["genes.disambiguated", "genes", "genes", "genes"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"systems": {"f": {"engine": "species_filter"}}}, "belb.systems.f.of: None is not another system"),
        ({"systems": {"f": {"engine": "species_filter", "of": "f"}}}, "belb.systems.f.of: f is not another system"),
        ({"systems": FILTERS}, "belb.systems.theirs_species.of: theirs is not another.*\n.*exact, ours, brackets"),
        ({"systems": {"e": {"engine": "exact", "names": "disambiguated"}}}, "belb.systems.e.names: disambiguated\n"),
        (
            {"systems": {"e": {"engine": "linking", "candidates": "literal", "names": "disambiguated"}}},
            "belb.systems.e.names: disambiguated\n.*engine linking",
        ),
        ({"tools": {"t": {"command": "t {input}", "corpora": ["nlm"]}}}, "belb.tools.t.command: t {input}\n.*{output}"),
        ({"tools": {"t": {"command": "{input_folder}{output}", "corpora": ["x"]}}}, "belb.tools.t.corpora: x is not"),
        (
            {"tools": {"ours": {"command": "{input}{output_folder}", "corpora": ["nlm"]}}},
            "belb.tools.ours: belb.systems has one",
        ),
        ({"species": {"words": None, "kb": "genes", "default": "9606"}}, "belb.species.kb: genes is not.*\n.*taxa"),
    ],
)
def test_what_does_not_fit_of_species(changes, words):
    with pytest.raises(UsageError, match=words):
        BelbPlan(section(**GENES | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"end_to_end": ["other"]}, "belb.end_to_end: other is not a corpus.*\n.*ncbi"),
        ({"predictions": {"theirs": {"other": {"file": "p"}}}}, "belb.predictions.theirs: other is not a corpus"),
        ({"predictions": {"exact": {"ncbi": {"file": "p"}}}}, "belb.predictions.exact: belb.systems has one"),
        ({"reference_systems": {"other": "exact"}}, "belb.reference_systems: other is not a corpus"),
        (
            {"reference_systems": {"ncbi": "other"}},
            "belb.reference_systems.ncbi: other is not a system.*\n.*exact, ours",
        ),
        ({"corpora": {"ncbi": {"format": "ncbi_disease", "kb": "other"}}}, "belb.corpora.ncbi.kb: other.*\n.*medic"),
        ({"corpora": {"ncbi": {"format": "ncbi_disease"}}}, "belb.corpora.ncbi.kb: None is not a knowledge base"),
    ],
)
def test_what_does_not_fit(changes, words):
    with pytest.raises(UsageError, match=words):
        BelbPlan(section(**changes))


def test_what_encoders_of_names_are_trained_on():
    systems = {"a": DENSE, "b": {**DENSE, "training": "synonyms", "max_steps": 9}, "c": {**DENSE, "training": "corpus"}}
    plan = BelbPlan(section(systems=systems), ["tiny"])
    assert [plan.trained_on(system, "ncbi") for system in systems] == ["pretrained", "medic", "ncbi"]
    encoded = [plan.encoded_for(system, "ncbi") for system in systems]
    assert encoded == ["medic", "medic", "ncbi"]
    assert [plan.encoder_of(*pair) for pair in zip(systems, encoded, strict=True)] == ["pretrained", "medic", "ncbi"]
    assert [plan.names_of_dense(*pair) for pair in zip(systems, encoded, strict=True)] == ["medic"] * 3
    assert plan.dense_settings("a") == {"system": "a", "training": "none", "max_length": 25}
    assert plan.dense_settings("b") == {
        **{"system": "b", "training": "synonyms", "max_length": 25, "epochs": 1, "batch_size": 512},
        **{"learning_rate": 2e-5, "seed": 1, "max_steps": 9, "weight_decay": 0.01},
    }
    assert plan.dense_settings("c")["batch_size"] == 16 and plan.dense_settings("c")["training_candidates"] == 20


def test_a_system_for_some_corpora():
    systems = {**FILTERS, "exact": {"engine": "exact", "corpora": ["ncbi"]}, "other": {"engine": "exact"}}
    del systems["theirs_species"]
    plan = BelbPlan(section(systems=systems, **GENES))
    assert plan.measured("gold", "ncbi") == ["exact", "ours", "brackets", "other"]
    assert plan.measured("gold", "nlm") == ["ours", "brackets", "other"], "without what filters exact"
    with pytest.raises(UsageError, match="belb.systems.exact.corpora: nlm is not a corpus"):
        BelbPlan(section(systems={"exact": {"engine": "exact", "corpora": ["nlm"]}}))


def test_an_unknown_encoder():
    with pytest.raises(UsageError, match="belb.systems.a.encoder: tiny is not an encoder.*\n.*sapbert"):
        BelbPlan(section(systems={"a": DENSE}), ["sapbert"])


def test_engine_dense_needs_an_encoder(repository):
    values = {"name": "n", "umls": {"meta_dir": "m"}, "medline": {"baseline_dir": "b"}}
    values["belb"] = {"systems": {"a": {"engine": "dense"}}}
    with pytest.raises(UsageError, match="belb.systems.a\n.*missing.*\n.*'encoder' is a required property"):
        validate(values, repository / "schemas/config.schema.yaml")


MEDIC = (
    "D1||Renal failure|kidney failure\nD2|600001||Wrinkly skin syndrome|WSS\n600002||Weaver-Smith syndrome|WSS\n"
    "D4||Ache\nD5||Fever|high temperature\n"
)
TEXT = {
    "train": [("1", "Fever.", "It was fever."), [("1", 0, 5, "Fever", "D5")]],
    "develop": [("2", "Ache.", "No more ache."), [("2", 0, 4, "Ache", "D4")]],
    "test": [
        ("3", "Kidney failure and WSS.", "Then renal failures, high temperature."),
        [
            ("3", 0, 14, "Kidney failure", "D1"),
            ("3", 19, 22, "WSS", "D2|OMIM:600002"),
            ("3", 29, 43, "renal failures", "D1"),
            ("3", 45, 61, "high temperature", "D4"),
        ],
    ],
}


# A tool that finds one mention.
TAGGER = r"sed 's/^\(3|a|.*\)$/\1\n3\t0\t14\tKidney failure\tDisease\tD1/' {input} > {output}"
# A gene of two species with one name: the title names the first species, the text the second.
GENE_TEXT = "|t|Human A2M binds.\n{0}|a|Mouse A2M too.\n{0}\t6\t9\tA2M\tGene\t1\n{0}\t23\t26\tA2M\tGene\t2\n\n"


@pytest.fixture(scope="module")
def tree(repository, tmp_path_factory):
    """A checkout beside released files and a configuration that names them."""
    folder = tmp_path_factory.mktemp("belb")
    with gzip.open(folder / "medic_06Jul2012.txt.gz", "wt", encoding="utf-8") as stream:
        stream.write(MEDIC)
    for part, ((document, title, abstract), mentions) in TEXT.items():
        lines = [f"{document}|t|{title}", f"{document}|a|{abstract}"]
        lines += ["\t".join(map(str, [*row[:4], "SpecificDisease", row[4]])) for row in mentions]
        with gzip.open(folder / f"NCBI{part}set_corpus.PubTator.txt.gz", "wt", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + "\n\n")
    for part in ("Train", "Test"):
        (folder / f"GNormPlus_{part}.PubTator").write_text(part + GENE_TEXT.format(part))
    (folder / "gene_info").write_text(gene_info(gene("1", "A2M", "9606"), gene("2", "A2m", "10090"), gene("3", "B")))
    genes = {"format": "gnormplus", "release": "aioner", "folder": str(folder), "kb": "genes"}
    belb = {
        "kbs": {
            "medic": {"format": "medic_2012", "folder": str(folder)},
            "genes": {"format": "ncbi_gene", "folder": str(folder), "history": False},
        },
        "corpora": {
            "ncbi_disease": {"format": "ncbi_disease", "folder": str(folder), "kb": "medic"},
            "gnormplus": genes,
        },
        "systems": {
            **{name: None for name in ("linking_faithful", "linking_literal", "linking_answers_always")},
            "exact_species": {"engine": "species_filter", "of": "exact"},
            "brackets": {"engine": "linking", "names": "disambiguated", "threshold": 0.3},
            **{"dense": DENSE, "synonyms": {**DENSE, "training": "synonyms", "names": "disambiguated"}},
            "trained": {**DENSE, "training": "corpus", "epochs": 2, "corpora": ["ncbi_disease"]},
        },
        "tools": {"tagger": {"command": TAGGER, "corpora": ["ncbi_disease"], "types": ["Disease"]}},
        "reference_systems": {"ncbi_disease": "exact"},
        "end_to_end": ["ncbi_disease"],
    }
    write_encoder(folder / "tiny", words=[chr(letter) for letter in range(97, 123)])
    values = {"name": "linkers", "umls": {"source": "download"}, "linking": {"ngram_min_df": 1}, "belb": belb}
    values["encoders"] = {"tiny": {"path": str(folder / "tiny")}}
    values["training"] = {"device": "cpu", "precision": "fp32"}
    (folder / "belb.yaml").write_text(yaml.safe_dump(values))
    return copy_checkout(repository, folder / "checkout"), folder / "belb.yaml"


def snakemake(checkout, config, *options):
    command = [
        "snakemake",
        "--profile",
        "profiles/local",
        "--cores",
        "1",
        "--configfile",
        str(config),
        *options,
        "--",
        "belb",
    ]
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": path, "PYTHONNOUSERSITE": "1"},
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def planned(text):
    """Jobs by rule, of a dry run."""
    table = text.rpartition("Job stats:")[2].partition("\n\n")[0]
    pairs = [line.split() for line in table.strip().splitlines()]
    return {name: int(count) for name, count in pairs if count.isdigit()}


def test_the_plan_of_the_benchmark_alone(tree):
    jobs = planned(snakemake(*tree, "-n"))
    assert jobs["total"] == sum(jobs.values()) - jobs["total"]
    assert {name: jobs[name] for name in jobs if name != "total"} == {
        **{"belb": 1, "build_belb_kb": 2, "load_belb_kb": 2, "build_belb_corpus": 2, "write_belb_aliases": 4},
        **{"index_belb_names": 4, "split_belb_passages": 1, "detect_belb_mentions": 1, "list_belb_spans": 3},
        **{"link_by_name": 6, "collect_belb_surfaces": 3, "link_belb_surfaces": 6, "join_belb_mentions": 6},
        **{"read_belb_links": 6, "evaluate_predictions": 22, "render_belb_table": len(BELB_TABLES)},
        **{"group_belb_names": 4, "list_belb_mentions": 1, "train_belb_encoder": 4, "encode_belb_names": 5},
        **{"search_belb_names": 8, "read_belb_nearest": 8},
        **{"export_belb_corpus": 1, "run_belb_tool": 1, "read_belb_tool": 1},
        **{"find_species": 1, "filter_by_species": 1, "disambiguate_names": 2},
    }


def with_fewer_jobs(config):
    """The configuration with each engine once: what is run takes its time job by job, most of it Python's start."""
    values = yaml.safe_load(config.read_text())
    systems, diseases, genes = values["belb"]["systems"], ["ncbi_disease"], ["gnormplus"]
    systems |= {"fuzzy": None, "dense": None, "linking_prefer_literal": {"corpora": diseases}}
    for name, corpora in (("exact_species", genes), ("brackets", genes), ("synonyms", diseases)):
        systems[name]["corpora"] = corpora
    config.with_name("fewer.yaml").write_text(yaml.safe_dump(values))
    return config.with_name("fewer.yaml")


@pytest.mark.soak
def test_a_whole_run(tree):
    checkout, config = tree[0], with_fewer_jobs(tree[1])
    snakemake(checkout, config)
    results = checkout / "results/linkers"
    metrics = read_json(results / "belb/gold/ncbi_disease/exact.json")
    assert metrics["full"]["n"] == 4
    # kidney failure is right, WSS ties two that are both right, the others are wrong
    assert metrics["full"]["recall@1"] == {"std": 0.5, "strict": 0.25, "lenient": 0.5}
    assert metrics["reference"] == "exact" and metrics["filtered"]["n"] == 4
    ours = read_json(results / "belb/gold/ncbi_disease/linking_prefer_literal.json")
    assert ours["full"]["recall@1"]["std"] == 0.75, "renal failures is near a name"
    found = read_json(results / "belb/found/ncbi_disease/exact.json")["spans"]
    assert (found["gold"], found["predicted"], found["exact"]) == (4, 3, 3)
    tagger = read_json(results / "belb/gold/ncbi_disease/tagger.json")
    assert tagger["full"]["recall@1"]["strict"] == 0.25 and tagger["full"]["predicted"] == 1
    assert read_json(results / "belb/gold/ncbi_disease/tagger.tool.json")["missed"] == 3
    genes = {
        name: read_json(results / f"belb/gold/gnormplus/{name}.json")["full"]["recall@1"]
        for name in ("exact", "exact_species", "brackets")
    }
    assert genes["exact"] == genes["brackets"] == {"std": 0.5, "strict": 0.0, "lenient": 1.0}
    assert genes["exact_species"] == {"std": 1.0, "strict": 1.0, "lenient": 1.0}
    for name in BELB_TABLES:
        assert (results / f"tables/{name}.csv").stat().st_size > 0
    assert "Nothing to be done" in snakemake(checkout, config)

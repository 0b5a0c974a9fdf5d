"""The configuration: errors a user can act on, defaults, batches and runs."""

import copy
import re
import subprocess
import sys

import pytest

from workflow_scripts.common import configuration
from workflow_scripts.common.errors import UsageError


def changed(config, path, value):
    config = copy.deepcopy(config)
    *parents, last = path.split(".")
    place = config
    for part in parents:
        place = place[part]
    place[last] = value
    return config


@pytest.mark.parametrize(
    "path, value, words",
    [
        ("kg.min_relation_triple", 3, ["kg.min_relation_triple", "did you mean min_relation_triples?"]),
        ("construction.preset", "publishd", ['"publishd"', 'one of "mended", "published"']),
        ("construction.switches.role_flip", "yes", ["construction.switches.role_flip", '"yes"']),
        ("corpus.negatives_share", 1.5, ["corpus.negatives_share", "1.5"]),
        ("text.min_tokens", "five", ["text.min_tokens", "integer"]),
        ("corpora", {"x": {}}, ["corpora.x", "split"]),
        ("name", "Has Space", ["name", "Has Space"]),
        ("pathvars", {}, ["pathvars", "known keys here"]),
        ("evaluation.precision_at", [100, 200, 300, 2000], ["evaluation.precision_at", "a list with 1000 in it"]),
    ],
)
def test_an_error_names_key_value_allowed_and_remedy(config, schema, path, value, words):
    with pytest.raises(UsageError) as error:
        configuration.validate(changed(config, path, value), schema)
    for word in [*words, "file:", "key:", "found:", "allowed:", "remedy:"]:
        assert word in str(error.value)


def test_all_errors_are_listed_and_the_file_at_fault_is_named(config, schema, tmp_path):
    own = tmp_path / "my.yaml"
    own.write_text("kg: {seed: -1}\ntext: {partitions: 0}\n")
    config = changed(changed(config, "kg.seed", -1), "text.partitions", 0)
    with pytest.raises(UsageError) as error:
        configuration.validate(config, schema, ["config.yaml", own])
    assert str(error.value).count(f"file:    {own}") == 2


@pytest.mark.parametrize("overlay, key", [("kg: {seed: -1}", "kg.seed"), ("construction: null", "construction")])
def test_the_file_merged_last_is_named_also_by_snakemake(repository, tmp_path, overlay, key):
    own = tmp_path / "own.yaml"
    own.write_text(overlay + "\n")
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1", "--configfile", own]
    result = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert result.returncode
    assert re.search(rf"file: +{own}\n +key: +{re.escape(key)}\n", result.stdout + result.stderr)


def test_defaults_are_filled_but_not_into_the_corpora(schema):
    config = {"name": "x", "umls": {"meta_dir": "m"}, "medline": {"baseline_dir": "b"}}
    configuration.validate(config, schema)
    assert config["kg"]["inductive"]["shares"] == {"train": 0.7, "valid": 0.1, "test": 0.2}
    assert config["corpus"]["max_mention_freq"] == 10000
    assert config["corpora"]["inductive"] == {"split": "inductive"}


def test_config_yaml_says_nothing_but_what_the_schema_knows_and_every_key_is_described(config, schema):
    def walk(node, path=""):
        for name, child in node.get("properties", {}).items():
            assert child.get("description"), f"{path}.{name} has no description"
            walk(child, f"{path}.{name}")
            if isinstance(child.get("additionalProperties"), dict):
                walk(child["additionalProperties"], f"{path}.{name}.*")

    walk(configuration.read_yaml(schema))


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("a[08-10].xml.gz", ["a08.xml.gz", "a09.xml.gz", "a10.xml.gz"]),
        ("a[1-1].gz", ["a1.gz"]),
        ("plain.gz", ["plain.gz"]),
    ],
)
def test_ranges(pattern, names):
    assert configuration.expand_range(pattern) == names


def test_a_range_that_runs_backwards():
    with pytest.raises(UsageError, match="runs backwards"):
        configuration.expand_range("a[3-1].gz")


def test_the_paper_has_972_files_in_49_batches(config, repository):
    plan = configuration.Plan(config, repository)
    assert sum(map(len, plan.batches.values())) == 972 and len(plan.batches) == 49
    assert plan.batches["0049"] == [f"pubmed19n{i:04d}.xml.gz" for i in range(961, 973)]


@pytest.mark.parametrize(
    ("path", "value", "one_pass"),
    [
        ("name", "paper", True),
        ("linking.detection", "noun_chunks", True),
        ("linking.environment", "linking", True),
        ("linking.detection", "dictionary", False),
        ("linking.detection", "dictionary+ner", False),
        ("linking.model", "resources/models/en_core_sci_md", False),
        ("linking.model", "https://models.example/en_core_sci_lg-0.5.4.tar.gz", False),
        ("linking.retokenize", True, False),
        ("text.engine", "biosenter", False),
    ],
)
def test_one_pass_where_both_stages_name_one_model(config, repository, path, value, one_pass):
    assert configuration.Plan(changed(config, path, value), repository).one_pass is one_pass


URL = "https://models.example/releases/v0.5.4/en_core_sci_lg-0.5.4.tar.gz"
FOLDER = "resources/spacy/en_core_sci_lg-0.5.4"


def test_a_spacy_model_by_its_address_is_the_folder_that_it_is_unpacked_to(config, repository):
    plan = configuration.Plan(changed(changed(config, "text.model", URL), "linking.model", URL), repository)
    assert plan.value("text.model") == plan.value("linking.model") == FOLDER and plan.one_pass
    assert plan.spacy_downloads() == {"en_core_sci_lg-0.5.4": URL}
    assert plan.downloaded_model_files("text") == plan.downloaded_model_files("linking") == [f"{FOLDER}/meta.json"]
    plan.require_model_names()
    # what is not used is not downloaded, and no rule makes what is named by path or package
    unused = changed(changed(config, "text.engine", "rule"), "text.model", URL)
    plan = configuration.Plan(
        changed(changed(unused, "linking.detection", "dictionary"), "linking.model", URL), repository
    )
    assert plan.spacy_downloads() == {} and plan.downloaded_model_files("text") == []
    plan = configuration.Plan(changed(config, "linking.model", URL), repository)
    assert plan.value("text.model") == config["text"]["model"] and plan.downloaded_model_files("text") == []
    assert plan.downloaded_model_files("linking") == [f"{FOLDER}/meta.json"]


@pytest.mark.parametrize(
    ("text", "linking", "words"),
    [
        ("https://models.example/en_core_sci_lg-0.5.4.whl", None, "text.model.*expected: the address"),
        ("https://models.example/a.tar.gz?version=2", None, "text.model.*expected: the address"),
        (None, "http://models.example/.tar.gz", "linking.model.*expected: the address"),
        (URL, URL.replace("models", "mirror"), "two addresses of archives with one name, en_core_sci_lg-0.5.4"),
    ],
)
def test_an_address_that_is_none_of_an_archive(config, repository, text, linking, words):
    config = changed(config, "text.model", text or config["text"]["model"])
    config = changed(config, "linking.model", linking or config["linking"]["model"])
    with pytest.raises(UsageError, match=f"(?s){words}"):
        configuration.Plan(config, repository).require_model_names()


def test_switches_follow_the_preset_unless_named(config, repository):
    config = changed(config, "construction", {"preset": "published", "switches": {"role_flip": "mended"}})
    plan = configuration.Plan(config, repository)
    assert plan.value("construction.role_flip") == "mended"
    assert plan.value("construction.csv_quotes") == plan.value("construction.preset") == "published"


def test_a_corpus_may_override_a_parameter(config, repository):
    config = changed(config, "corpora.inductive", {"split": "inductive", "max_mention_freq": 7})
    plan = configuration.Plan(config, repository)
    assert plan.corpus_value("inductive", "max_mention_freq") == 7
    assert plan.corpus_value("transductive", "max_mention_freq") == 10000


def test_a_missing_table_of_the_release(config, repository, tmp_path):
    (tmp_path / "MRCONSO.RRF").touch()
    plan = configuration.Plan(changed(config, "umls.meta_dir", str(tmp_path)), repository)
    assert plan.rrf("MRCONSO", "umls") == str(tmp_path / "MRCONSO.RRF")
    with pytest.raises(UsageError) as error:
        plan.rrf("MRREL", "umls")
    for word in ("MRREL.RRF is missing", "found:    MRCONSO.RRF", "expected:", "remedy:   set umls.meta_dir"):
        assert word in str(error.value)


def test_the_key_to_set_where_the_linker_reads_the_release_of_the_graph(config, repository, tmp_path):
    plan = configuration.Plan(changed(config, "umls.meta_dir", str(tmp_path)), repository)
    with pytest.raises(UsageError, match="set umls.meta_dir"):
        plan.rrf("MRDEF", "kb")
    config = changed(config, "linking.kb.meta_dir", str(tmp_path / "2020AA"))
    with pytest.raises(UsageError, match="set linking.kb.meta_dir"):
        configuration.Plan(config, repository).rrf("MRDEF", "kb")


def test_the_files_of_an_encoder(config, repository, tmp_path):
    plan = configuration.Plan(changed(config, "encoders.biobert.path", str(tmp_path / "model")), repository)
    with pytest.raises(UsageError) as error:
        plan.encoder_files("biobert", "tokenizer")
    for word in (f"{tmp_path}/model", "no such folder", "tokenizer.json, or vocab.txt", "set encoders.biobert.path"):
        assert word in str(error.value)
    (tmp_path / "model").mkdir()
    for name in ("vocab.txt", "config.json"):
        (tmp_path / "model" / name).touch()
    assert plan.encoder_files("biobert", "tokenizer") == [f"{tmp_path}/model/vocab.txt"]
    with pytest.raises(UsageError, match="found:    config.json, vocab.txt\n.*config.json and pytorch_model.bin"):
        plan.encoder_files("biobert", "weights")
    (tmp_path / "model" / "pytorch_model.bin").touch()
    assert plan.encoder_files("biobert", "weights")[1] == f"{tmp_path}/model/pytorch_model.bin"


def test_the_files_of_an_encoder_that_a_rule_makes(config, repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = configuration.Plan(changed(config, "encoders.biobert.path", "resources/demo/encoder"), repository)
    names = ["config.json", "model.safetensors"]
    assert plan.encoder_files("biobert", "weights") == [f"resources/demo/encoder/{name}" for name in names]


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda text: text.replace("model\t", "modl\t", 1), "line 1\n  found:    columns modl, name"),
        (lambda text: text + "x\n", r"line 33, .*is not"),
        (lambda text: text.rstrip("\n") + "\t1\t2\n", "line 32: 26 columns, expected 24"),
        (
            lambda text: text.replace("\ttable7\t", "\ttabel7\t", 1),
            r"line 2, tables: 'tabel7' does not match",
        ),
        (
            lambda text: text.replace("\ttable7\t", "\ttable77\t", 1),
            "line 2: model cnn_sent names table77, which is no .* .did you mean table7",
        ),
        (
            lambda text: text.replace("\ttable7\t", "\ttable8,table9\t", 1),
            "line 2: model cnn_sent names table8, table9 alone, so nothing would be trained",
        ),
        (
            lambda text: text + text.splitlines()[4].replace("cnn_bag_att", "mine") + "\n",
            "cnn_bag_att and mine would fill the same row of table7",
        ),
    ],
)
def test_a_table_of_models_that_does_not_fit(config, repository, tmp_path, change, words):
    text = (repository / "experiments/models.tsv").read_text(encoding="utf-8")
    (tmp_path / "models.tsv").write_text(change(text), encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        configuration.Plan(changed(config, "experiments.models", str(tmp_path / "models.tsv")), repository)


@pytest.mark.parametrize(
    "section, values, words",
    [
        ("text", {"engine": "spacy"}, ["text.model is empty", "text.engine is spacy", "text: {engine: rule}"]),
        ("linking", {"detection": "ner"}, ["linking.model is empty", "linking: {detection: dictionary}"]),
        ("linking", {"detection": "dictionary+noun_chunks"}, ["linking.model is empty"]),
        ("text", {"engine": "biosenter"}, None),
        ("linking", {"detection": "dictionary"}, None),
    ],
)
def test_a_stage_that_needs_a_model_has_one_named(config, repository, section, values, words):
    own = config[section] | values | {"model": None}
    plan = configuration.Plan(changed(config, section, own), repository)
    if words is None:
        plan.require_model_names()
        return
    with pytest.raises(UsageError) as error:
        plan.require_model_names()
    for word in words:
        assert word in str(error.value)


def test_no_medline_files(config, repository, tmp_path):
    config = changed(
        config, "medline", config["medline"] | {"source": "local", "files": None, "baseline_dir": str(tmp_path)}
    )
    with pytest.raises(UsageError, match="no .xml.gz file in"):
        configuration.Plan(config, repository)
    (tmp_path / "b.xml.gz").touch()
    (tmp_path / "a.xml.gz").touch()
    assert configuration.Plan(config, repository).batches == {"0001": ["a.xml.gz", "b.xml.gz"]}


def test_runs_of_table_7_and_figure_5(config, repository):
    """One run serves both: CM is BERT's sentence row of Table 7."""
    for tables, models, evaluations in ((["table7"], 16, 20), (["figure5"], 5, 10), (["table7", "figure5"], 20, 28)):
        specs = {table: {"corpus": "inductive"} for table in tables}
        plan = configuration.Plan(changed(config, "experiments.tables", specs), repository)
        assert len(plan.runs) == models * 3
        assert sum(len(run["poolings"]) for run in plan.runs.values()) == evaluations * 3
    figure5 = {row["encoding"] or "CM" for row in plan.models.values() if "figure5" in row["tables"].split(",")}
    assert figure5 == {"CM", "OM", "OC", "CT", "OT"}


def test_table_10_needs_one_more_model(config, repository):
    plan = configuration.Plan(changed(config, "leakage.prior_works", False), repository)
    others = [run for run, entry in plan.runs.items() if entry["corpus"] != "inductive"]
    assert others == [f"transductive.bert_sent.s{seed}" for seed in (1, 2, 3)]
    assert len(plan.runs) == (21 + 3) * 3


def test_table_11_trains_the_encoders_that_can_be_had(config, repository, tmp_path):
    """Those with a hub id are downloaded; where nothing is, only those of folders with all files are there."""

    def trained(config):
        tables = {"table7": {"corpus": "inductive", "models": ["cnn_sent"]}, "table11": {"corpus": "inductive"}}
        runs = configuration.Plan(changed(config, "experiments.tables", tables), repository).runs.values()
        return sorted({run["row"]["pretrained"] for run in runs} - {None})

    assert trained(config) == ["biobert", "bluebert", "pubmedbert", "sapbert"]
    for name in ("vocab.txt", "config.json", "model.safetensors"):
        (tmp_path / name).touch()
    config = changed(
        changed(config, "downloads", {"encoders": False}), "encoders", {"medtype": {"path": str(tmp_path)}}
    )
    configuration.validate(config, repository / "schemas/config.schema.yaml")
    assert trained(config) == ["medtype"]


def test_table_3_trains_each_model_on_its_benchmark_before_and_after(config, repository):
    plan = configuration.Plan(config, repository)
    names = [f"{version}.amin_2020" for version in ("umls_v2", "umls_v2_clean")]
    names += [f"{version}.amil_l" for version in ("umls_v3", "umls_v3_clean")]
    assert [run for run in plan.runs if run.startswith("umls_")] == [
        f"{name}.s{s}" for name in names for s in (1, 2, 3)
    ]
    assert plan.prior_corpora == ["umls_v2", "umls_v2_clean", "umls_v3", "umls_v3_clean"]
    assert configuration.Plan(changed(config, "leakage.prior_works", False), repository).prior_corpora == []


def test_a_run_from_some_corpora_has_no_semantic_types(config, repository):
    """Two models of Figure 5 need the graph; it is drawn without them. Table 11 needs none."""
    config = changed(config, "start_from", "corpus")
    plan = configuration.Plan(changed(config, "corpora.inductive", {"import": "released"}), repository)
    assert {entry["row"]["encoding"] for entry in plan.runs.values()} == {None, "OM", "OC"}
    table7, figure5, table11 = 16, 2, {"sent_bluebert", "sent_pubmedbert", "sent_sapbert"}
    assert table11 <= set(plan.models)
    assert len(plan.runs) == (table7 + figure5 + len(table11)) * 3


def test_overrides_are_read_as_cells_of_the_table(config, repository):
    """`learning_rate: 2e-5` in YAML is the text "2e-5"."""
    config = changed(config, "training.overrides", {"bert": {"learning_rate": "3e-5", "bias_correction": "yes"}})
    models = configuration.Plan(config, repository).models
    assert [models["bert_sent"][column] for column in ("learning_rate", "bias_correction")] == [3e-5, "yes"]
    assert models["cnn_sent"]["learning_rate"] == 1e-3


def test_overrides_of_a_model_win_over_those_of_its_encoder(config, repository):
    overrides = {"bert": {"epochs": 2, "dropout": 0.2}, "bert_sent": {"epochs": 9}}
    models = configuration.Plan(changed(config, "training.overrides", overrides), repository).models
    assert [models["bert_sent"][column] for column in ("epochs", "dropout")] == [9, 0.2]
    assert [models["bert_bag_avg"][column] for column in ("epochs", "dropout")] == [2, 0.2]


def test_a_row_may_name_a_table_of_ones_own(config, repository, tmp_path):
    text = (
        (repository / "experiments/models.tsv")
        .read_text(encoding="utf-8")
        .replace("\ttable7\t", "\ttable7,tablex\t", 1)
    )
    (tmp_path / "models.tsv").write_text(text, encoding="utf-8")
    config = changed(config, "experiments.models", str(tmp_path / "models.tsv"))
    tables = config["experiments"]["tables"] | {"tablex": {"corpus": "transductive"}}
    plan = configuration.Plan(changed(config, "experiments.tables", tables), repository)
    assert "transductive.cnn_sent.s1" in plan.runs
    with pytest.raises(UsageError, match="line 2: model cnn_sent names tablex, which is no table"):
        configuration.Plan(config, repository)


@pytest.mark.parametrize("named", ["", "table8", "table9,figure4"])
def test_a_row_that_only_shows_runs_needs_a_corpus_or_stands_aside(config, repository, tmp_path, named):
    """Tables 8 and 9 show the runs of Table 7, unless the configuration gives them a corpus; no table: set aside."""
    text = (repository / "experiments/models.tsv").read_text(encoding="utf-8").replace("\ttable7\t", f"\t{named}\t", 1)
    (tmp_path / "models.tsv").write_text(text, encoding="utf-8")
    config = changed(config, "experiments.models", str(tmp_path / "models.tsv"))
    own = config["experiments"]["tables"] | {name: {"corpus": "transductive"} for name in named.split(",") if name}
    runs = configuration.Plan(changed(config, "experiments.tables", own), repository).runs
    assert ("transductive.cnn_sent.s1" in runs) is bool(named) and "inductive.cnn_sent.s1" not in runs
    if named:
        with pytest.raises(UsageError, match="nothing would be trained for it"):
            configuration.Plan(config, repository)


def test_some_models_of_a_table(config, repository):
    spec = {"corpus": "inductive", "models": ["gru_bag_att", "cnn_sent"]}
    plan = configuration.Plan(changed(config, "experiments.tables", {"table7": spec}), repository)
    assert [run["model"] for run in plan.runs.values()] == ["cnn_sent"] * 3 + ["gru_bag_att"] * 3


def test_a_table_of_several_corpora_trains_each_model_on_each(config, repository):
    tables = {
        "table7": {"corpora": ["transductive", "inductive"], "models": ["cnn_sent"]},
        "table4": {"corpus": "inductive"},
    }
    plan = configuration.Plan(changed(config, "experiments.tables", tables), repository)
    assert list(plan.runs) == [f"{c}.cnn_sent.s{s}" for c in ("transductive", "inductive") for s in (1, 2, 3)]
    assert plan.table_corpora("table7") == plan.table_corpora("table6") == ["transductive", "inductive"]
    assert plan.table_corpora("table4") == ["inductive"]


def test_a_table_may_name_the_corpora_of_each_model(config, repository):
    tables = {"table7": {"corpora": {"cnn_sent": ["umls_v2", "umls_v2_clean"], "gru_sent": ["inductive"]}}}
    tables["table7"]["models"] = ["gru_sent", "cnn_sent"]
    plan = configuration.Plan(changed(config, "experiments.tables", tables) | {"seeds": [4]}, repository)
    assert sorted(plan.runs) == ["inductive.gru_sent.s4", "umls_v2.cnn_sent.s4", "umls_v2_clean.cnn_sent.s4"]
    assert plan.table_corpora("table7") == ["umls_v2", "umls_v2_clean", "inductive"]
    assert plan.prior_styles["umls_v3_clean"] == "umls_v3"
    tables["table7"]["models"].append("pcnn_sent")
    with pytest.raises(UsageError, match="table7.corpora: no corpora for model pcnn_sent"):
        configuration.Plan(changed(config, "experiments.tables", tables), repository)


@pytest.mark.parametrize(
    "path, value, words",
    [
        ("leakage.corpora", {"inductive": {"style": "umls_v2"}}, "leakage.corpora.inductive: section corpora has one"),
        ("leakage.corpora", {"x": {"without_overlap": "y"}}, "x.without_overlap: y is no corpus with a style"),
        ("experiments.tables", {"table7": {}}, "table7: neither corpus nor corpora"),
        ("experiments.tables", {"table7": {"corpus": "inductive", "corpora": ["inductive"]}}, "one of the two"),
        ("experiments.tables", {"table7": {"corpora": ["inductive", "no"]}}, "table7.corpora: no is not one of"),
        ("experiments.tables", {"table7": {"corpus": "none"}}, "experiments.tables.table7.corpus: none is not one of"),
        (
            "experiments.tables",
            {"table7": {"corpus": "inductive", "models": ["cnn_sent", "rnn"]}},
            "experiments.tables.table7.models: rnn is no row of experiments/models.tsv",
        ),
        ("training.overrides", {"cnn": {"epoch": 3}}, "training.overrides.cnn: unknown column epoch"),
        (
            "training.overrides",
            {"bert": {"epochs": 1.5}},
            "training.overrides.bert.epochs, for model bert_sent: 1.5 is",
        ),
        (
            "training.overrides",
            {"gru": {"embedding": "w"}},
            "overrides.gru.embedding, for model gru_sent: embedding w is",
        ),
        ("training.overrides", {"cnn": {"name": "X"}}, "training.overrides.cnn: fixed column name; .* batch_size"),
        ("training.overrides", {"bert_sent": {"encoder": "cnn"}}, "overrides.bert_sent: fixed column encoder"),
        ("training.overrides", {"bert_sent": {"model": "x"}}, "overrides.bert_sent: fixed column model"),
        ("training.overrides", {"bert_snt": {"epochs": 1}}, "neither an encoder nor a model .did you mean bert_sent"),
        (
            "training.overrides",
            {"bert": {"epochs": 2}, "bert_sent": {"epochs": 0}},
            "training.overrides.bert_sent.epochs, for model bert_sent: 0 is",
        ),
        (
            "training.overrides",
            {"bert": {"pretrained": "roberta"}},
            "overrides.bert.pretrained, for model bert_sent: pretrained roberta is not in config section encoders",
        ),
    ],
)
def test_parts_that_do_not_fit(config, repository, path, value, words):
    with pytest.raises(UsageError, match=words):
        configuration.Plan(changed(config, path, value), repository)


def test_update_files_come_after_the_baseline(config, repository):
    config = changed(config, "medline.files", ["pubmed25n[0001-0003].xml.gz"])
    config = changed(config, "medline.update_files", ["pubmed24n1300.xml.gz", "pubmed25n0003.xml.gz"])
    config = changed(config, "medline.files_per_job", 3)
    plan = configuration.Plan(config, repository)
    names = ["pubmed25n0001.xml.gz", "pubmed25n0002.xml.gz", "pubmed24n1300.xml.gz", "pubmed25n0003.xml.gz"]
    assert plan.batches == {"0001": names[:3], "0002": names[3:]}


def test_local_medline_files_that_are_missing_are_named(config, repository, tmp_path):
    config = changed(config, "medline.baseline_dir", str(tmp_path))
    config = changed(config, "medline.files", ["a[1-3].xml.gz"])
    (tmp_path / "a2.xml.gz").touch()
    configuration.Plan(config, repository).require_medline([f"{tmp_path}/a{i}.xml.gz" for i in (1, 2, 3)])
    plan = configuration.Plan(changed(config, "medline.source", "local"), repository)
    with pytest.raises(UsageError) as error:
        plan.require_medline(plan.batch_paths("0001"))
    for words in ("2 of 3 MEDLINE files", f"{tmp_path}/a1.xml.gz", "1 files .xml.gz: a2.xml.gz", "medline.source"):
        assert words in str(error.value)


@pytest.mark.parametrize(
    "key, table, said",
    [
        ("experiments.encoders", "encoder\tname\n", ["line 1", "columns encoder, name", "encoders.schema.yaml"]),
        ("experiments.models", "model\tname\n", ["line 1", "columns model, name", "models.schema.yaml"]),
        ("experiments.grid.file", "sent: [\nbag: 1\n", ["no YAML", "line 1", "remedy"]),
    ],
    ids=["encoders", "models", "grid"],
)
def test_a_table_that_cannot_be_read_is_named(config, repository, tmp_path, key, table, said):
    (tmp_path / "mine.txt").write_text(table)
    with pytest.raises(UsageError) as caught:
        configuration.Plan(changed(config, key, str(tmp_path / "mine.txt")), repository)
    assert str(tmp_path / "mine.txt") in str(caught.value) and all(text in str(caught.value) for text in said)

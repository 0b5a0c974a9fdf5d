"""The tables of the paper that the workflow makes: keys, columns and units, by the paper's number."""

from workflow_scripts.reporting.table import Column, Key, Panel, Spec

TABLE1 = Spec(
    "table1",
    "Table 1",
    (Key("benchmark", "Benchmark"),),
    (
        Column("relations", "Relations", "count", undefined="not at hand"),
        Column("no_overlap", "No train-test overlap", "text", undefined="not at hand"),
        Column("broad", "Broad coverage", "text", undefined="a fact of the paper, not computed"),
        Column("ontology", "Ontology", "text", undefined="a fact of the paper, not computed"),
        Column("overlap", "Overlap (% of test triples)", undefined="not at hand", paper=False),
    ),
    absent="not at hand: the data of this benchmark is not part of this run",
    section="benchmarks",
)

_NO_FACTS = "the split has no fact"


def _leaked(split, kind, label, paper=False):
    return Column(f"{split}_{kind}", label, decimals=2, scale=100.0, undefined=_NO_FACTS, paper=paper)


TABLE2 = Spec(
    "table2",
    "Table 2",
    (Key("benchmark", "Triples"),),
    (
        Column("train", "Train", "count"),
        Column("valid", "Valid", "count"),
        _leaked("valid", "direct", "Valid known (%)", paper=True),
        Column("test", "Test", "count"),
        _leaked("test", "direct", "Test known (%)", paper=True),
        _leaked("valid", "inverse", "Valid inverse (%)"),
        _leaked("test", "inverse", "Test inverse (%)"),
        _leaked("valid", "pairs", "Valid pairs (%)"),
        _leaked("test", "pairs", "Test pairs (%)"),
    ),
    absent="not at hand",
    section="benchmarks",
)

_FEWER = "fewer predictions than k, so P@k does not exist"
_VERSIONS = (("original", ""), ("filtered", ", filtered"))
_TABLE3_METRICS = ("auc", "max_micro_f1", *(f"{metric}@{k}" for k in (100, 200, 300) for metric in ("mean_p", "p")))

TABLE3 = Spec(
    "table3",
    "Table 3",
    (Key("model", "Model and data"),),
    tuple(
        Column(f"{metric}_{version}", f"{label}{after}", scale=100.0, undefined="the test split has no facts")
        for version, after in _VERSIONS
        for metric, label in (("auc", "AUC"), ("max_micro_f1", "F1"))
    )
    + tuple(
        Column(f"{metric}@{k}_{version}", f"{label}@{k}{after}", scale=100.0, undefined=_FEWER, paper=False)
        for version, after in _VERSIONS
        for k in (100, 200, 300)
        for metric, label in (("mean_p", "their P"), ("p", "P"))
    ),
    absent="no run of this model in the configuration",
    # sixteen columns do not fit on a line
    panels=tuple(Panel(tuple(f"{metric}_{version}" for metric in _TABLE3_METRICS)) for version, _ in _VERSIONS),
    section="benchmarks",
)

TABLE4 = Spec(
    "table4",
    "Table 4",
    (Key("property", "Property"),),
    (
        Column("prior", "Prior", "text", undefined="not measured: the corpora of prior works are not part of this run"),
        Column("md19", "MD19", "text"),
        Column("measured", "Measured", "text", paper=False),
    ),
    absent="not measured",
    section="corpus",
)

TABLE5 = Spec(
    "table5",
    "Table 5",
    (Key("split", "Facts"),),
    (
        Column("train", "Training", "count"),
        Column("valid", "Validation", "count"),
        Column("test", "Testing", "count"),
    ),
    absent="this split was not made",
    section="graph",
)

_SUMMARY = ("entities", "relations", "types", "groups", "type_pairs")
_NO_TYPES = "a corpus that came from elsewhere does not say the semantic types of its concepts"
_SPLITS = ("instances", "facts", "bags", "instances_per_bag", "na_share")

TABLE6 = Spec(
    "table6",
    "Table 6",
    (Key("split", "Split"),),
    (
        Column("entities", "Entities", "count"),
        Column("relations", "Relations", "count"),
        Column("types", "STY", "count", undefined=_NO_TYPES),
        Column("groups", "SG", "count", undefined=_NO_TYPES),
        Column("type_pairs", "Type pairs", "count", undefined=_NO_TYPES),
        Column("instances", "Instances", "count"),
        Column("facts", "Facts", "count"),
        Column("bags", "Bags", "count"),
        Column("instances_per_bag", "Inst. per bag", decimals=2),
        Column("na_share", "NA (%)"),
    ),
    absent="not in this corpus",
    section="corpus",
    panels=(
        Panel(_SUMMARY, rows=("all",), hide_keys=True),
        Panel(_SPLITS, rows=("train", "valid", "test")),
    ),
)


def _precision_at(k, label):
    return Column(f"p@{k}", f"P@{label}", scale=100.0, undefined=_FEWER)


TABLE7 = Spec(
    "table7",
    "Table 7",
    (Key("model", "Model"), Key("bag", "Bag"), Key("strategy", "Strategy")),
    (
        Column("auc", "AUC", scale=100.0, undefined="the test split has no facts"),
        Column("max_micro_f1", "F1-micro", scale=100.0, undefined="the test split has no facts"),
        Column("max_macro_f1", "F1-macro", scale=100.0, undefined="the test split has no facts"),
        _precision_at(100, "100"),
        _precision_at(200, "200"),
        _precision_at(300, "300"),
        _precision_at(1000, "1k"),
        _precision_at(2000, "2k"),
    ),
    absent="no run of this model in the configuration",
)

# The paper's order, and the rows for CNN, PCNN and GRU with ATT that it does not print.
TABLE7_ROWS = [
    (model, bag, strategy)
    for model in ("CNN", "PCNN", "GRU", "BERT")
    for bag, strategies in (("-", ("AVG", "ONE")), ("✓", ("AVG", "ONE", "ATT")))
    for strategy in strategies
]

TABLE8 = Spec(
    "table8",
    "Table 8",
    (Key("model", "Model"),),
    (
        Column("1-1", "1-1", scale=100.0, undefined="no relation of this category"),
        Column("1-M", "1-M", scale=100.0, undefined="no relation of this category"),
        Column("M-1", "M-1", scale=100.0, undefined="no relation of this category"),
        Column("M-M", "M-M", scale=100.0, undefined="no relation of this category", paper=False),
    ),
    absent="no run of this model in the configuration",
)

_NO_RELATION = "no sentence of these triples has a relation"

TABLE9 = Spec(
    "table9",
    "Table 9",
    (Key("triples", "Triples"), Key("model", "Model")),
    (
        Column("precision", "P", decimals=2, undefined=_NO_RELATION),
        Column("recall", "R", decimals=2, undefined=_NO_RELATION),
        Column("f1", "F1", decimals=2, undefined=_NO_RELATION),
        Column("precision_without_na", "P, no NA", decimals=2, undefined=_NO_RELATION, paper=False),
        Column("recall_without_na", "R, no NA", decimals=2, undefined=_NO_RELATION, paper=False),
        Column("f1_without_na", "F1, no NA", decimals=2, undefined=_NO_RELATION, paper=False),
    ),
    absent="no run of this model in the configuration",
)

TABLE10 = Spec(
    "table10",
    "Table 10",
    (Key("corpus", "Split"),),
    (
        Column("auc", "AUC", scale=100.0, undefined="the test split has no facts"),
        Column("max_micro_f1", "F1-micro", scale=100.0, undefined="the test split has no facts"),
        Column("max_macro_f1", "F1-macro", scale=100.0, undefined="the test split has no facts"),
    ),
    absent="no run on this corpus in the configuration",
)

TABLE11 = Spec(
    "table11",
    "Table 11",
    (Key("encoder", "Encoder"),),
    (
        Column("biomedical", "Biomedical", "text"),
        Column("clinical", "Clinical", "text"),
        Column("type", "Type", "text"),
        Column("triples", "Triples", "text"),
        Column("synonyms", "Synonyms", "text"),
        Column("auc", "AUC", decimals=2, undefined="not trained: see the last column"),
        Column("state", "Ours", "text", paper=False),
    ),
    absent="not in the registry of encoders",
)

TABLE_A1 = Spec(
    "table_a1",
    "Table A.1",
    (Key("model", "Encoder"),),
    (
        Column("bag_size", "Bag size", "text"),
        Column("batch_size", "Batch size", "text"),
        Column("embedding", "Embedding", "text"),
        Column("valid_auc", "AUC, validation", scale=100.0, paper=False),
        Column("auc", "AUC, test", scale=100.0, paper=False),
        Column("cells", "Cells", "count", paper=False),
    ),
    absent="not searched in this configuration (experiments.grid.file)",
    section="lists",
)

TABLE_A2 = Spec(
    "table_a2",
    "Table A.2",
    (Key("type", "Semantic type"),),
    (
        Column("1-2x", "1-2 × threshold", "names"),
        Column("2-3x", "2-3 × threshold", "names"),
        Column(">=3x", "≥ 3 × threshold", "names"),
    ),
    absent="no mention of this type was pruned",
    section="lists",
)

TABLE_A3 = Spec(
    "table_a3",
    "Table A.3",
    (Key("relation", "Relation"),),
    (
        Column("inverse", "Inverse relation", "text"),
        Column("triples", "Triples", "count", paper=False),
        Column("instances", "Instances", "count", paper=False),
    ),
    absent="not among the relations of this corpus",
    section="lists",
)

TABLE_A4 = Spec(
    "table_a4",
    "Table A.4",
    (Key("tui", "TUI"),),
    (
        Column("group", "SG", "text"),
        Column("type", "Semantic type", "text"),
        Column("entities", "Entities", "count", paper=False),
    ),
    absent="no entity of this type in this corpus",
    section="lists",
)

# in the order in which they stand above
TABLES = {spec.name: spec for spec in list(globals().values()) if isinstance(spec, Spec)}

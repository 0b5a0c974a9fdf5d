"""Functions and constants that the rules share. No rule stands here."""

import os
import re
import sys
import uuid

from snakemake.exceptions import WorkflowError
from snakemake.io import is_flagged

sys.path.insert(0, workflow.basedir)

from workflow_scripts.common import belb_corpora, code_inputs, configuration, kept_plan
from workflow_scripts.common.belb_plan import PRETRAINED, TOOL_FILES, BelbPlan
from workflow_scripts.common.digests import file_digest
from workflow_scripts.common.errors import PipelineError
from workflow_scripts.common.invocation import identifying_options
from workflow_scripts.common.params import canonical_json
from workflow_scripts.common.raw_files import ENCODER_FILES as HUB_FILES
from workflow_scripts.common.records import outdated, state_of
from workflow_scripts.common.scheduling import look_only_when_jobs_end

# Jobs of one invocation know each other by this name, on the cluster too: see common/command.py.
INVOCATION = os.environ.setdefault("MEDDISTANT_INVOCATION", uuid.uuid4().hex)
# Snakemake lists the files of the command line first and merges them last.
OWN_CONFIGFILES = list(workflow.overwrite_configfiles)
RULES_DIGESTS = kept_plan.rules_digests(workflow.basedir)
KNOWN_IMPORTS = ".snakemake/meddistant/imports.json"
code_inputs.recall(KNOWN_IMPORTS)
try:
    KEPT = None if workflow.is_main_process else kept_plan.recall(workflow.basedir)
    if KEPT is None:
        configuration.validate(
            config,
            f"{workflow.basedir}/schemas/config.schema.yaml",
            [path for path in workflow.configfiles if path not in OWN_CONFIGFILES]
            + OWN_CONFIGFILES,
        )
        PLAN = configuration.Plan(config, workflow.basedir)
        PLAN.require_model_names()
        PLAN.options = identifying_options(sys.argv[1:])
    else:
        PLAN = KEPT
        config.clear()
        config.update(PLAN.config)
except PipelineError as error:
    raise WorkflowError(str(error)) from None

if workflow.is_main_process:
    for _encoder, _why in PLAN.absent_encoders().items():
        print(f"Table 11 goes without {_encoder}: {_why}", file=sys.stderr)

RESULTS = f"results/{config['name']}"
SPLITS = ["train", "valid", "test"]
SWITCHES = PLAN.switches
SCISPACY_INDEX_FILES = [
    "concept_aliases.json",
    "nmslib_index.bin",
    "tfidf_vectorizer.joblib",
    "tfidf_vectors_sparse.npz",
]
NAME_TABLES = ["MRCONSO", "MRDEF"]
INSTALLED_TABLES = ["MRCONSO", "MRREL", "MRSTY", "MRDEF", "MRDOC", "MRSAB", "MRFILES"]
GRAPH_TABLES = ["MRREL", "MRSTY", "MRDOC", "SemGroups"]
BATCHES = list(PLAN.batches)
# The batches of which one rule makes sentences and mentions, and those of which two rules do.
PARSED, SPLIT_FIRST = (BATCHES, []) if PLAN.one_pass else ([], BATCHES)
PARTITIONS = PLAN.partitions
CORPORA = PLAN.corpora
# Benchmarks of prior works: those built from text, and those derived from one of these by taking out the overlap.
PRIOR_CORPORA = PLAN.prior_corpora
REBUILT = [name for name in PRIOR_CORPORA if "style" in config["leakage"]["corpora"][name]]
CLEANED = [name for name in PRIOR_CORPORA if name not in REBUILT]
EMBEDDINGS = list(config["embeddings"])
RUNS = PLAN.runs
# What stands behind the embedding or the encoder in the name of an index; nothing for CM.
ENCODINGS = r"|\.om|\.oc|\.ct|\.ot"
GRID = PLAN.grid
GRID_CHOICES = sorted(
    {
        f"{training['row']['encoder']}_{training['row']['level']}"
        for trainings in GRID.values()
        for training in trainings
    }
)
NEWER_COLUMNS = ("encoding", "head", "patience")
TABLE_NAMES = [
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "table6",
    "table7",
    "table8",
    "table9",
    "table10",
    "table11",
    "table_a1",
    "table_a2",
    "table_a3",
    "table_a4",
]
if PLAN.starts_at_corpus:
    # those that need no release; Table 10 compares corpora
    TABLE_NAMES = ["table2", "table6", "table7", "table9", "table11", "table_a1"]
    TABLE_NAMES += ["table10"] if len(PLAN.table_corpora("table10")) > 1 else []
TABLES = collect(
    "<results>/tables/{table}.{format}", table=TABLE_NAMES, format=["csv", "md", "tex"]
)
LEAKAGE = collect("<results>/leakage/{corpus}.json", corpus=CORPORA + PRIOR_CORPORA)
LEAKAGE += collect("<results>/leakage/{prior}.planted.json", prior=CLEANED)
LEAKAGE += collect("<results>/tables/table2.{format}", format=["csv", "md", "tex"])
FIGURE_NAMES = ["figure1", "figure2", "figure3", "figure4", "figure5", "figure_a1"]
if PLAN.starts_at_corpus:
    # the others need the release, or the semantic types of a corpus that was built here
    FIGURE_NAMES = ["figure1", "figure4", "figure5"]
FIGURES = collect(
    "<results>/figures/{figure}.{format}", figure=FIGURE_NAMES, format=["pdf", "svg", "png"]
)
REPORT = [] if PLAN.starts_at_corpus else ["<results>/report.html", "<results>/deviations.md"]
VERIFICATION = ["<results>/verify.json", "<results>/verify.md"]
try:
    BELB = BelbPlan(config["belb"], PLAN.encoders)
except PipelineError as error:
    raise WorkflowError(str(error)) from None
# Names that systems see: those of each knowledge base, and those made of them of which each is of one entity.
BELB_NAMES = [*BELB.kbs, *map(BELB.disambiguated, BELB.kbs)]
BELB_CORPORA = collect("resources/belb/corpora/{corpus}/mentions.parquet", corpus=BELB.corpora)
BELB_KBS = collect("resources/belb/kbs/{kb}/names.parquet", kb=BELB.kbs)
# Knowledge bases that are loaded into a database elsewhere; the others get an SQLite file.
BELB_SERVED = [kb for kb in BELB.kbs if PLAN.belb_kb(kb)["database"]]
BELB_FILED = [kb for kb in BELB.kbs if kb not in BELB_SERVED]
BELB_KBS += collect("resources/belb/kbs/{kb}/kb.db", kb=BELB_FILED)
BELB_KBS += collect("resources/belb/kbs/{kb}/loaded.json", kb=BELB_SERVED)
# Corpora whose annotations name semantic types of UMLS.
BELB_WITH_TYPES = PLAN.belb_corpora_with_types()
BELB_METRICS = [
    f"<results>/belb/{spans}/{corpus}/{system}.json" for spans, corpus, system in BELB.measures()
]
BELB_TABLE_NAMES = [
    "belb_table4",
    "belb_table4_groups",
    "belb_table5",
    "belb_table7",
    "belb_table8",
    "belb_table9",
    "belb_table10",
    "belb_table11",
    "belb_table14",
    "belb_table15",
    "belb_corpora",
    "belb_end_to_end",
]
# none without corpora, as nothing of section belb is made then
BELB_TABLE_NAMES = BELB_TABLE_NAMES if BELB.corpora else []
BELB_TABLES = collect(
    "<results>/tables/{table}.{format}", table=BELB_TABLE_NAMES, format=["csv", "md", "tex"]
)


class NotKept:
    """A value of params that Snakemake does not note, so that it changes nothing; `text` is what a command gets."""

    def __init__(self, text=""):
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return ""


def watch_records():
    """Let the jobs run again whose records say that they ran with other sources than today's, by one more param.

    Its value is kept once it is there: the next run finds what was noted, and does nothing. Rules whose code is
    ancient() are left alone: downloads.
    """
    for each in workflow.rules:
        watched = "record" in each.output.keys() and "code" in each.input.keys()
        if watched and not any(is_flagged(file, "ancient") for file in each.input.code):
            records = each.output.record
            each.set_params(again=again([records] if isinstance(records, str) else list(records)))


def again(records):
    """A params function: nothing while the records are true, then for which time the job runs again, and why.

    With --touch its value says what was accepted.
    """

    def value(wildcards):
        paths = [record.apply_wildcards(wildcards) for record in records]
        known = workflow.persistence.metadata(paths[0]) if workflow.is_main_process else None
        if not known:
            return NotKept()
        earlier = [text[1:-1] for text in known.params or () if text.startswith("'again ")]
        changed = {
            name: digest
            for path in paths
            for name, digest in outdated(path, workflow.basedir).items()
        }
        accepted = f": accepted {state_of(changed)}"
        if not changed or any(text.endswith(accepted) for text in earlier):
            return earlier[0] if earlier else NotKept()
        times = int(earlier[0].split()[1].rstrip(":")) + 1 if earlier else 1
        seen = (
            accepted if workflow.touch else f": {next(iter(changed))} was another one when it ran"
        )
        return f"again {times}{seen}"

    return value


def code(script):
    """The script below workflow_scripts/ and all modules of ours that it imports, the script first."""
    base = "" if os.path.samefile(workflow.basedir, os.getcwd()) else f"{workflow.basedir}/"
    return [base + path for path in code_inputs.code_inputs(script, workflow.basedir)]


def settings(*paths, **renamed):
    """A params function: canonical JSON of the named config values, keyed by the last component.

    `construction.<switch>` gives the side that the switch takes; "corpora" values are per corpus: use
    `corpus_settings`.
    """
    named = {path.rpartition(".")[2]: path for path in paths} | renamed
    values = {key: PLAN.value(path) for key, path in named.items()}
    return lambda wildcards: canonical_json(values)


def corpus_settings(*names, switches=()):
    """A params function: the named corpus parameters of the wildcard's corpus, and some switches."""
    return lambda wildcards: canonical_json(
        {name: PLAN.corpus_value(wildcards.corpus, name) for name in names}
        | {switch: PLAN.value(f"construction.{switch}") for switch in switches}
    )


def imported_files(wildcards):
    """The released files of a corpus that the run starts from."""
    return PLAN.imported_files(wildcards.corpus)


def export_settings(wildcards):
    """A params function: whether the corpus falls under the UMLS licence, and the vocabulary of its graph."""
    vocabulary = None if PLAN.starts_at_corpus else PLAN.value("umls.vocabulary")
    return canonical_json({"restricted": PLAN.restricted, "vocabulary": vocabulary})


def whole_configuration(wildcards):
    """A params function: the configuration as it is in force, and the corpora of the run."""
    return canonical_json({"config": config, "corpora": CORPORA})


def paper_settings(wildcards):
    """A params function: the values of config.yaml, which are the paper's, whatever the order of its keys."""
    return canonical_json(configuration.read_yaml(f"{workflow.basedir}/config.yaml"))


def memory(megabytes):
    """A mem_mb function that doubles with each attempt."""
    return lambda wildcards, attempt: megabytes * 2 ** (attempt - 1)


def one_of(names):
    """A regular expression that the names match and nothing else; without names it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


def hub_settings(wildcards):
    """Params of the download of the encoder whose folder the wildcard names: its row's identity at the hub."""
    encoder = PLAN.downloaded_encoders()[wildcards.encoder_folder]
    row = PLAN.encoders[encoder]
    return canonical_json(
        {name: row[name] for name in ("encoder", "hub_id", "revision", "weights")}
    )


def medline_file(suffix=""):
    """The pattern of a MEDLINE file (wildcard `file`), or of what stands beside it under a longer name."""
    return os.path.join(PLAN.value("medline.baseline_dir"), f"{{file}}{suffix}")


def batch_files(wildcards):
    """The MEDLINE files of a batch. A local one that is not there stops the planning, unless it was read before."""
    paths = PLAN.batch_paths(wildcards.batch)
    if not os.path.isfile(f"{RESULTS}/acquire/medline/{wildcards.batch}.digest"):
        PLAN.require_medline(paths)
    return paths


def medline_digest():
    """The digest sidecar of a batch of MEDLINE files."""
    return f"{RESULTS}/acquire/medline/{{batch}}.digest"


def rrf(table, release="umls"):
    """The path of an RRF table ("MRREL") or of the semantic groups ("SemGroups") of a release (umls, kb)."""
    return PLAN.rrf(table, release)


def rrf_digests(*tables, release="umls"):
    """The digest sidecars of some tables of a release (umls, kb)."""
    return [f"{RESULTS}/acquire/{PLAN.release_id(release)}/{table}.digest" for table in tables]


def raw_digests():
    """One output of each checkpoint of stage acquire; none where the run starts from a corpus."""
    medline = f"{RESULTS}/acquire/medline.digest"
    names = rrf_digests("MRCONSO") + rrf_digests("MRCONSO", release="kb")
    return [] if PLAN.starts_at_corpus else sorted({medline, *names, *rrf_digests("MRREL")})


def contents(*paths):
    """A params function: the digests of small files, of those that are there. Paths may have wildcards.

    So digest sidecars decide. They are ancient() inputs, made by checkpoints, after each of which Snakemake asks for
    the params of their readers again: another digest is a changed param, the same one is nothing. Were they plain
    inputs, or got through `checkpoints.<rule>.get()`, all that is below their readers would run at every check of a
    raw file: Snakemake plans it with the checkpoint and does not take it back when the readers fall away.

    What is below a reader is thus not planned as long as a checkpoint is at work. A rule there that some other rule
    could set off has to wait for the checkpoints itself, by the input `raw`.
    """
    return lambda wildcards: [
        file_digest(path)
        for path in (path.format_map(wildcards) for path in paths)
        if os.path.isfile(path)
    ]


def model_digest(section):
    """A params function: the digest of meta.json of the spaCy model that a section of the config names by its folder.

    So another model at the same path is a change. A model named by its package is known by its environment, one that
    is downloaded by its input.
    """
    model = PLAN.value(f"{section}.model")
    if model is None or PLAN.downloaded_model_files(section):
        return contents()
    return contents(f"{model}/meta.json")


def model_files(section):
    """meta.json of the spaCy model of a section where a rule downloads it; else nothing."""
    return PLAN.downloaded_model_files(section)


def spacy_settings(wildcards):
    """Params of the download of a spaCy model: the address of its archive."""
    return canonical_json({"url": PLAN.spacy_downloads()[wildcards.spacy_model]})


def prior_settings(*names):
    """A params function: values of section leakage, and the style of the wildcard's rebuilt corpus."""
    values = {name: PLAN.value(f"leakage.{name}") for name in names}
    return lambda wildcards: canonical_json({"style": PLAN.prior_styles[wildcards.prior]} | values)


def overlapping_files(wildcards):
    """The splits of the corpus that the wildcard's corpus is made from by taking out the overlap."""
    source = config["leakage"]["corpora"][wildcards.prior]["without_overlap"]
    return [f"{RESULTS}/corpus/{source}/{split}.parquet" for split in SPLITS]


def benchmark_name(wildcards):
    """How the tables call a corpus."""
    styles = {"umls_v2": "UMLS.v2", "umls_v3": "UMLS.v3"}
    if wildcards.corpus in CORPORA:
        return f"MedDistant19: {wildcards.corpus}"
    return f"{styles[PLAN.prior_styles[wildcards.corpus]]}-style: {wildcards.corpus}"


def audited_names(wildcards):
    """The concepts of surface forms, for corpora whose entities are surface forms."""
    return [f"{RESULTS}/leakage/kb/names.parquet"] if wildcards.corpus in PRIOR_CORPORA else []


def audit_settings(wildcards):
    """Params of the audit: whether the corpus compares names lower-cased."""
    return canonical_json({"fold_case": PLAN.prior_styles.get(wildcards.corpus) == "umls_v3"})


def planted_settings(wildcards):
    """Params of the proof of the audit."""
    folded = PLAN.prior_styles[wildcards.prior] == "umls_v3"
    return canonical_json({"fold_case": folded, "planted": PLAN.value("leakage.planted")})


def split_files(wildcards):
    """The three files of the knowledge-graph split that a corpus is built on, by split."""
    folder = f"{RESULTS}/kg/{config['corpora'][wildcards.corpus]['split']}"
    return {split: f"{folder}/{split}.tsv" for split in SPLITS}


def run_of(wildcards):
    """The entry of RUNS of the wildcard `run`: corpus, model, seed, poolings and the row of models.tsv."""
    return RUNS[wildcards.run]


def table_corpus(table):
    """The corpus of a table, the first where it has several: its own in config experiments.tables, else Table 7's."""
    return PLAN.table_corpora(table)[0]


def table_split(table):
    """The split of the graph that the corpus of a table is built on."""
    return config["corpora"][table_corpus(table)]["split"]


def own_corpora(wildcards):
    """A params function: the corpora of the tables of the configuration other than Table 7."""
    tables = config["experiments"]["tables"]
    return canonical_json(
        {name: sorted(PLAN.table_corpora(name)) for name in tables if name != "table7"}
    )


def encoder_states(wildcards):
    """A params function: the registry of encoders, with the reason where one cannot be had, and an own folder."""
    columns = ("name", "biomedical", "clinical", "type", "triples", "synonyms")
    states = {
        encoder: {column: row[column] for column in columns}
        | {"missing": PLAN.encoder_missing(encoder), "folder": PLAN.own_folder(encoder)}
        for encoder, row in PLAN.encoders.items()
    }
    return canonical_json({"encoders": states})


def evaluated(table, file, strategy=None, **columns):
    """A file of each evaluation of the models of a table, those with these values in models.tsv, pooled by strategy."""
    return [
        f"{RESULTS}/evaluation/{run}/{pooling}/{file}"
        for run, entry in RUNS.items()
        if entry["corpus"] in PLAN.table_corpora(table)
        and table in str(entry["row"]["tables"]).split(",")
        and columns.items() <= entry["row"].items()
        for pooling in entry["poolings"]
        if strategy in (None, pooling)
    ]


def typed_entities(corpus):
    """The semantic types of a corpus's entities: concepts, or surface forms in a benchmark of a prior work."""
    style = PLAN.prior_styles.get(corpus)
    return (
        f"{RESULTS}/leakage/kb/types.{style}.parquet" if style else f"{RESULTS}/kg/concepts.parquet"
    )


def type_names(wildcards):
    """The concepts with their semantic types, for input encodings that read them (wildcard `encoding`: .ct, .ot)."""
    return [typed_entities(wildcards.corpus)] if wildcards.encoding in (".ct", ".ot") else []


def concepts_option(wildcards, input):
    """The option that names `type_names` to a command."""
    return [word for path in input.concepts for word in ("--concepts", path)]


def index_settings(wildcards):
    """Params of an index: longest input, window, and the input encoding unless it is CM."""
    values = {name: PLAN.value(f"training.{name}") for name in ("max_length", "window")}
    own = {"encoding": wildcards.encoding[1:].upper()} if wildcards.encoding else {}
    return values | own


def bag_evaluation():
    """(run id, pooling) whose bags are shown: of config experiments.bags.model, else of the first BERT model of Table 7,
    else of its first model; None where Table 7 has no run."""
    named = PLAN.value("experiments.bags.model")
    runs = [run for run, entry in RUNS.items() if entry["corpus"] == table_corpus("table7")]
    own = [run for run in runs if RUNS[run]["model"] == named]
    berts = [run for run in runs if RUNS[run]["row"]["encoder"] == "bert"]
    if named and not own:
        models = sorted({RUNS[run]["model"] for run in runs})
        raise WorkflowError(
            f"experiments.bags.model: {named} is not trained; it may be one of {', '.join(models)}"
        )
    run = next(iter(own or berts or runs), None)
    return run and (run, RUNS[run]["poolings"][0])


def bag_files():
    """The sample of bags that is shown; an empty list where nothing is trained for Table 7."""
    chosen = bag_evaluation()
    return [f"{RESULTS}/evaluation/{chosen[0]}/{chosen[1]}/bags.parquet"] if chosen else []


def embedding_settings(wildcards):
    """Params of the index for an embedding: `index_settings`, format and width of its file."""
    slot = config["embeddings"][wildcards.embedding]
    return canonical_json(
        {"format": slot["format"], "width": slot["width"]} | index_settings(wildcards)
    )


def wordpiece_settings(wildcards):
    """Params of the index for an encoder: `index_settings` and which tokens mark the mentions."""
    return canonical_json({"markers": PLAN.value("training.markers")} | index_settings(wildcards))


def encoder_files(encoder, what):
    """Files of a pretrained encoder: `tokenizer` or `weights`, of the alternatives those that are there."""
    return PLAN.encoder_files(encoder, what)


def index_files(wildcards):
    """The token arrays of a run's corpus: of words with its embedding, or of its encoder's word pieces."""
    run, row = run_of(wildcards), run_of(wildcards)["row"]
    bert = row["encoder"] == "bert"
    tokens = f"wordpieces.{row['pretrained']}" if bert else f"words.{row['embedding']}"
    tokens += "" if row["encoding"] in (None, "CM") else f".{row['encoding'].lower()}"
    parts = [f"{split}.{part}.npy" for split in ("train", "valid") for part in ("tokens", "rows")]
    names = ["index.json", "vocabulary.json", *parts, *([] if bert else ["vectors.npy"])]
    return [f"{RESULTS}/training/index/{run['corpus']}/{tokens}/{name}" for name in names]


def type_files(wildcards):
    """Instances and concepts, for a run whose bags are made by semantic type (head amil_l)."""
    run = run_of(wildcards)
    if run["row"]["head"] != "amil_l":
        return []
    return [f"{RESULTS}/corpus/{run['corpus']}/train.parquet", typed_entities(run["corpus"])]


def grid_index(part):
    """The folder of the token arrays that a part of the grid, or a whole embedding, is trained on."""
    embedding = GRID[part][0]["row"]["embedding"]
    return f"{RESULTS}/training/index/{table_corpus('table_a1')}/words.{embedding}"


def grid_files(parts):
    """The files of the indexes of some parts of the grid."""
    parts_of_splits = [
        f"{split}.{kind}.npy" for split in ("train", "valid") for kind in ("tokens", "rows")
    ]
    names = ["index.json", "vocabulary.json", *parts_of_splits, "vectors.npy"]
    return [
        f"{folder}/{name}"
        for folder in sorted({grid_index(part) for part in parts})
        for name in names
    ]


def parts_of_choice(choice):
    """The parts of the grid with cells of an encoder and a level, e.g. cnn_bag."""
    return [
        part
        for part, trainings in GRID.items()
        if any(training["cell"].startswith(f"{choice}_") for training in trainings)
    ]


def grid_settings(trainings):
    """Params of a job of the grid: its trainings, their rows without the columns that only name them."""
    cells = [
        training
        | {
            "row": {
                column: value
                for column, value in training["row"].items()
                if column not in ("model", "name", "tables")
            }
        }
        for training in trainings
    ]
    names = ("threads", "device", "precision", "tokens_per_batch")
    return canonical_json(
        {"cells": cells} | {name: PLAN.value(f"training.{name}") for name in names}
    )


def run_settings(wildcards):
    """Params of a training run: its identity, its row without the columns that only name it, and section training.

    A column of `NEWER_COLUMNS` that is empty is left out, so that its coming trained no other row anew.
    """
    run = run_of(wildcards)
    row = {
        column: value
        for column, value in run["row"].items()
        if column not in ("name", "tables") and not (column in NEWER_COLUMNS and value is None)
    }
    encoder = PLAN.encoders.get(row["pretrained"], {})
    allowed = encoder.get("allow_unused_weights") == "yes"
    training = ("threads", "device", "precision", "tokens_per_batch")
    return canonical_json(
        {"run": wildcards.run, "corpus": run["corpus"], "model": run["model"], "seed": run["seed"]}
        | {"row": row}
        | ({"allow_unused_weights": True} if allowed else {})
        | {name: PLAN.value(f"training.{name}") for name in training}
    )

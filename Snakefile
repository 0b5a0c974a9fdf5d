"""MedDistant19 from a UMLS release and the MEDLINE baseline: corpus, models, tables, figures.

All target rules stand here; rules/ holds one file per stage, in the direction in which the data flows.
"""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


include: "rules/common.smk"
include: "rules/common_belb.smk"


pathvars:
    results=RESULTS,


shell.prefix(f"export PYTHONPATH='{workflow.basedir}' PYTHONNOUSERSITE=1 PYTHONUNBUFFERED=1; ")


wildcard_constraints:
    batch=r"\d{4}",
    partition=r"\d{3}",
    shard=r"\d{3}",
    split="train|valid|test",
    corpus="|".join(CORPORA + PRIOR_CORPORA),
    prior="|".join(PRIOR_CORPORA) or "none",
    run="|".join(map(re.escape, RUNS)),
    pooling="avg|one|att",
    release="umls|kb",
    switch="|".join(SWITCHES),
    umls_release=r"\d{4}A[A-Z]",


rule all:
    """Every corpus, table and figure, the report, the deviations and the comparison with the paper."""
    default_target: True
    input:
        collect("<results>/corpus/{corpus}/check.json", corpus=CORPORA),
        TABLES,
        "<results>/evaluation/differences.csv",
        FIGURES,
        REPORT,
        VERIFICATION,
        LEAKAGE,


rule corpus:
    """The corpora of the config, each accepted by the independent checker."""
    input:
        collect("<results>/corpus/{corpus}/check.json", corpus=CORPORA),


rule models:
    """Every training run of the config."""
    input:
        collect("<results>/runs/{run}/model.safetensors", run=RUNS),


rule tables:
    """The paper's tables, each number beside the published one."""
    input:
        TABLES,
        "<results>/evaluation/differences.csv",


rule figures:
    """The paper's figures."""
    input:
        FIGURES,


rule report:
    """One self-contained page with tables, figures and provenance."""
    input:
        REPORT,


rule verify:
    """Every cell against the paper."""
    input:
        VERIFICATION,


rule linked:
    """The linked sentences as JSON lines in the form of the published file; no other target needs them."""
    input:
        collect("<results>/linking/exported/{partition}.jsonl.gz", partition=PARTITIONS),


rule leakage:
    """Table 2, the audit of each corpus, and the independent check of what crosses the splits of ours."""
    input:
        collect("<results>/corpus/{corpus}/check.json", corpus=CORPORA),
        LEAKAGE,


rule effects:
    """What each construction switch does to the statistics: builds the corpora once more for each switch."""
    input:
        "<results>/effects.md",


rule export:
    """Each corpus in its released form: OpenNRE files, Parquet with a card, Croissant metadata, checksums."""
    input:
        collect("<results>/export/{corpus}/SHA256SUMS", corpus=CORPORA),


rule belb:
    """The knowledge bases and corpora of config belb, and how linkers do on them."""
    input:
        BELB_KBS,
        BELB_CORPORA,
        BELB_METRICS,
        BELB_TABLES,


rule bundle:
    """An archive of each export; what is derived from the UMLS only if export.may_redistribute says you may."""
    input:
        collect("<results>/export/{corpus}.tar.gz", corpus=CORPORA),


include: "rules/demo.smk"


if PLAN.starts_at_corpus:

    include: "rules/corpus_import.smk"

else:

    include: "rules/acquire.smk"
    include: "rules/text.smk"
    include: "rules/linking.smk"
    include: "rules/kg.smk"
    include: "rules/corpus.smk"
    include: "rules/leakage_prior.smk"


include: "rules/acquire_models.smk"
include: "rules/corpus_export.smk"
include: "rules/leakage.smk"
include: "rules/training.smk"
include: "rules/evaluation.smk"
include: "rules/reporting.smk"
include: "rules/belb.smk"
include: "rules/belb_systems.smk"
include: "rules/belb_genes.smk"
include: "rules/belb_tools.smk"
include: "rules/linking_belb.smk"
include: "rules/training_belb.smk"
include: "rules/reporting_belb.smk"


watch_records()
if workflow.is_main_process:
    code_inputs.keep(KNOWN_IMPORTS)


onstart:
    kept_plan.keep(PLAN, RULES_DIGESTS, INVOCATION)
    look_only_when_jobs_end(workflow)


onsuccess:
    kept_plan.forget()


onerror:
    kept_plan.forget()

"""Stage belb: the entity-linking benchmark BELB, of knowledge bases, corpora and what linkers make of them.

Reads released knowledge bases and corpora; writes resources/belb/ (both, for all runs) and <results>/belb/.
"""


wildcard_constraints:
    belb_kb=one_of(BELB.kbs),
    belb_corpus=one_of(BELB.corpora),


rule build_belb_corpus:
    """A corpus from its released files: documents, gold mentions, BioC, subsets, statistics (BELB, section 2.2)."""
    input:
        code=code("belb/build_belb_corpus.py"),
        registry=belb_corpora.REGISTRY,
        files=belb_corpus_files,
        kb=belb_corpus_kb,
    output:
        documents="resources/belb/corpora/{belb_corpus}/documents.parquet",
        mentions="resources/belb/corpora/{belb_corpus}/mentions.parquet",
        bioc=collect(
            "resources/belb/corpora/{{belb_corpus}}/{split}.bioc.json",
            split=["train", "dev", "test"],
        ),
        subsets="resources/belb/corpora/{belb_corpus}/subsets.json",
        repairs="resources/belb/corpora/{belb_corpus}/repairs.tsv",
        card="resources/belb/corpora/{belb_corpus}/hub/README.md",
        statistics="resources/belb/corpora/{belb_corpus}/statistics.json",
        record="resources/belb/provenance/build_belb_corpus/{belb_corpus}.json",
    log:
        "<results>/logs/belb/build_belb_corpus/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/build_belb_corpus/{belb_corpus}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        row=lambda wildcards: [
            PLAN.belb_corpus(wildcards.belb_corpus)[key] for key in ("format", "release")
        ],
        folder=lambda wildcards: PLAN.belb_corpus_folder(wildcards.belb_corpus),
        output=lambda wildcards, output: os.path.dirname(output.statistics),
        options=belb_corpus_options,
        params=belb_corpus_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --registry {input.registry:q} \
            --corpus {params.row[0]:q} --release {params.row[1]:q} --name {wildcards.belb_corpus:q} \
            --source {params.folder:q} \
            {params.options:q} \
            --output {params.output:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

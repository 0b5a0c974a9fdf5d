"""Stage belb: the entity-linking benchmark BELB, of knowledge bases, corpora and what linkers make of them.

Reads released knowledge bases and corpora; writes resources/belb/ (both, for all runs) and <results>/belb/.
"""


wildcard_constraints:
    belb_kb=one_of(BELB_NAMES),
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


rule build_belb_kb:
    """A knowledge base from its released files: names, history, alternative identifiers, homonyms, in Parquet."""
    input:
        code=code("belb/build_belb_kb.py"),
        files=belb_kb_files,
        foreign=belb_foreign,
    output:
        tables=collect(
            "resources/belb/kbs/{{belb_kb}}/{table}.parquet",
            table=[
                "names",
                "history",
                "alternatives",
                "name_homonyms",
                "foreign_name_homonyms",
                "identifier_homonyms",
                "foreign",
                "other_foreign",
                "citations",
            ],
        ),
        kinds="resources/belb/kbs/{belb_kb}/kinds.json",
        report="resources/belb/kbs/{belb_kb}/report.json",
        record="resources/belb/provenance/build_belb_kb/{belb_kb}.json",
    log:
        "<results>/logs/belb/build_belb_kb/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/build_belb_kb/{belb_kb}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=720,
    params:
        folder=lambda wildcards, output: os.path.dirname(output.kinds),
        foreign=lambda wildcards, input: [
            word for path in input.foreign[:1] for word in ("--foreign", os.path.dirname(path))
        ],
        params=belb_kb_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --files {input.files:q} \
            {params.foreign:q} \
            --folder {params.folder:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule load_belb_kb:
    """A knowledge base as an SQLite file, for look-ups by program."""
    input:
        code=code("belb/load_belb_kb.py"),
        tables=rules.build_belb_kb.output.tables,
        kinds=rules.build_belb_kb.output.kinds,
    output:
        sqlite="resources/belb/kbs/{belb_kb}/kb.db",
        record="resources/belb/provenance/load_belb_kb/{belb_kb}.json",
    log:
        "<results>/logs/belb/load_belb_kb/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/load_belb_kb/{belb_kb}.jsonl"
    wildcard_constraints:
        belb_kb=one_of(BELB_FILED),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=720,
    params:
        database=lambda wildcards, output: ["--sqlite", output.sqlite],
    shell:
        r"""
        python -P {input.code[0]:q} \
            --names {input.tables[0]:q} \
            --kb {wildcards.belb_kb:q} \
            {params.database:q} \
            --record {output.record:q} &>{log:q}
        """


use rule load_belb_kb as load_belb_kb_elsewhere with:
    output:
        loaded="resources/belb/kbs/{belb_kb}/loaded.json",
        record="resources/belb/provenance/load_belb_kb_elsewhere/{belb_kb}.json",
    log:
        "<results>/logs/belb/load_belb_kb_elsewhere/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/load_belb_kb_elsewhere/{belb_kb}.jsonl"
    wildcard_constraints:
        belb_kb=one_of(BELB_SERVED),
    params:
        database=lambda wildcards, output: [
            "--database",
            PLAN.belb_kb(wildcards.belb_kb)["database"],
            "--loaded",
            output.loaded,
        ],


rule count_semantic_groups:
    """Mentions of a corpus by UMLS semantic group, for Table 9 of BELB."""
    input:
        code=code("belb/count_semantic_groups.py"),
        mentions="resources/belb/corpora/{belb_corpus}/mentions.parquet",
        semgroups=PLAN.belb_semantic_groups(),
    output:
        counts="<results>/belb/semantic_groups/{belb_corpus}.json",
        record="<results>/provenance/belb/count_semantic_groups/{belb_corpus}.json",
    log:
        "<results>/logs/belb/count_semantic_groups/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/count_semantic_groups/{belb_corpus}.jsonl"
    wildcard_constraints:
        belb_corpus=one_of(BELB_WITH_TYPES),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {wildcards.belb_corpus:q} \
            --mentions {input.mentions:q} \
            --semgroups {input.semgroups:q} \
            --counts {output.counts:q} \
            --record {output.record:q} &>{log:q}
        """

"""BELB at the stage linking: its commands on the names of knowledge bases and the texts of mentions of section belb.

What they read is written by rules of belb_systems.smk, which also read what they write.
"""


rule index_belb_names:
    """Index of the names of a knowledge base, for all engines but scispaCy's."""
    input:
        code=code("linking/index_names.py"),
        aliases="<results>/belb/linking/{belb_kb}/aliases.parquet",
    output:
        index="<results>/belb/linking/{belb_kb}/index/index.json",
        names="<results>/belb/linking/{belb_kb}/index/names.bin",
        record="<results>/provenance/linking/index_belb_names/{belb_kb}.json",
    log:
        "<results>/logs/linking/index_belb_names/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/linking/index_belb_names/{belb_kb}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        params=lambda wildcards: canonical_json(
            {
                "candidates": "tfidf",
                "ngram_min_df": PLAN.value("linking.ngram_min_df"),
                "vocabularies": None,
                "restriction_levels": None,
                "language": "ENG",
                "release": None,
            }
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --aliases {input.aliases:q} \
            --index {output.index:q} \
            --names {output.names:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule detect_belb_mentions:
    """Mentions in the passages of a corpus: the names of its knowledge base."""
    input:
        code=code("linking/detect_mentions.py"),
        passages="<results>/belb/linking/found/{belb_corpus}/passages.parquet",
        aliases=belb_kb_file("aliases.parquet"),
    output:
        detected="<results>/belb/linking/found/{belb_corpus}/detected.parquet",
        record="<results>/provenance/linking/detect_belb_mentions/{belb_corpus}.json",
    log:
        "<results>/logs/linking/detect_belb_mentions/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/linking/detect_belb_mentions/{belb_corpus}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=240,
    params:
        params=lambda wildcards: canonical_json(
            {
                "detection": "dictionary",
                "model": None,
                "min_name_chars": PLAN.value("linking.min_name_chars"),
                "retokenize": False,
            }
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --split {input.passages:q} \
            --aliases {input.aliases:q} \
            --detected {output.detected:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule collect_belb_surfaces:
    """Distinct texts of mentions, under the keys by which they are searched."""
    input:
        code=code("linking/collect_surfaces.py"),
        texts="<results>/belb/linking/{spans}/{belb_corpus}/texts.parquet",
    output:
        surfaces="<results>/belb/linking/{spans}/{belb_corpus}/surfaces.parquet",
        record="<results>/provenance/linking/collect_belb_surfaces/{spans}/{belb_corpus}.json",
    log:
        "<results>/logs/linking/collect_belb_surfaces/{spans}/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/linking/collect_belb_surfaces/{spans}/{belb_corpus}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --detected {input.texts:q} \
            --surfaces {output.surfaces:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule link_belb_surfaces:
    """Entities of each distinct text by an engine of ours."""
    input:
        code=code("linking/link_surfaces.py"),
        index=belb_kb_file("index/index.json"),
        # index.json has its digest
        names=ancient(belb_kb_file("index/names.bin")),
        surfaces="<results>/belb/linking/{spans}/{belb_corpus}/surfaces.parquet",
    output:
        links="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/links.parquet",
        record="<results>/provenance/linking/link_belb_surfaces/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/linking/link_belb_surfaces/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/linking/link_belb_surfaces/{spans}/{belb_corpus}/{belb_system}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=720,
    params:
        params=belb_linking(
            "candidates", "mode", "threshold", "no_definition_threshold", "k", "max_candidates"
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --index {input.index:q} \
            --surfaces {input.surfaces:q} \
            --links {output.links:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule index_belb_names_scispacy:
    """scispaCy's own index of the names of a knowledge base."""
    input:
        code=code("linking/index_names_scispacy.py"),
        aliases="<results>/belb/linking/{belb_kb}/aliases.parquet",
    output:
        index=collect(
            "<results>/belb/linking/{belb_kb}/index_scispacy/{file}",
            file=SCISPACY_INDEX_FILES,
            allow_missing=True,
        ),
        record="<results>/provenance/linking/index_belb_names_scispacy/{belb_kb}.json",
    log:
        "<results>/logs/linking/index_belb_names_scispacy/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/linking/index_belb_names_scispacy/{belb_kb}.jsonl"
    conda:
        "../envs/linking_scispacy.yaml"
    threads: 8
    resources:
        mem_mb=memory(64000),
        runtime=2880,
    params:
        params=settings("linking.ngram_min_df"),
    shell:
        # its names come out of sets
        r"""
        PYTHONHASHSEED=0 python -P {input.code[0]:q} \
            --aliases {input.aliases:q} \
            --index {output.index:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule link_belb_surfaces_scispacy:
    """Entities of each distinct text by scispaCy's own linker."""
    input:
        code=code("linking/link_surfaces_scispacy.py"),
        aliases=belb_kb_file("aliases.parquet"),
        index=lambda wildcards: [
            belb_kb_file(f"index_scispacy/{file}")(wildcards) for file in SCISPACY_INDEX_FILES
        ],
        surfaces="<results>/belb/linking/{spans}/{belb_corpus}/surfaces.parquet",
    output:
        links="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/links_scispacy.parquet",
        record="<results>/provenance/linking/link_belb_surfaces_scispacy/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/linking/link_belb_surfaces_scispacy/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/linking/link_belb_surfaces_scispacy/{spans}/{belb_corpus}/{belb_system}.jsonl"
    conda:
        "../envs/linking_scispacy.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=2880,
    params:
        params=belb_linking("threshold", "no_definition_threshold", "k", "max_candidates"),
    shell:
        r"""
        PYTHONHASHSEED=0 python -P {input.code[0]:q} \
            --aliases {input.aliases:q} \
            --index {input.index:q} \
            --surfaces {input.surfaces:q} \
            --links {output.links:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule join_belb_mentions:
    """The texts with their entities, all that an engine gives."""
    input:
        code=code("linking/join_mentions.py"),
        texts="<results>/belb/linking/{spans}/{belb_corpus}/texts.parquet",
        links=lambda wildcards: "{}/belb/linking/{}/{}/{}/{}.parquet".format(
            RESULTS,
            *wildcards,
            "links_scispacy" if wildcards.belb_system in BELB.by_engine("scispacy") else "links",
        ),
        sentences="<results>/belb/linking/{spans}/{belb_corpus}/sentences.parquet",
    output:
        mentions="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/sentences.parquet",
        statistics="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/statistics.json",
        record="<results>/provenance/linking/join_belb_mentions/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/linking/join_belb_mentions/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/linking/join_belb_mentions/{spans}/{belb_corpus}/{belb_system}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        params=lambda wildcards: canonical_json(
            {
                "kept_candidates": BELB.linking_settings(wildcards.belb_system)["max_candidates"],
                "stream_tails": "mended",
            }
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --detected {input.texts:q} \
            --links {input.links:q} \
            --sentences {input.sentences:q} \
            --mentions {output.mentions:q} \
            --statistics {output.statistics:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

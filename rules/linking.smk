"""Linking: reads the sentences of the text stage and the names of the linker's UMLS release, writes mentions with concepts."""

SHARDS = [f"{number:03d}" for number in range(PLAN.value("linking.shards"))]
# Which rule links: scispaCy's own linker, or ours.
BY_SCISPACY = (PLAN.value("linking.candidates"), PLAN.value("linking.mode")) == (
    "tfidf",
    "scispacy",
)
LINKS = "links_scispacy" if BY_SCISPACY else "links"
SCISPACY_INDEX = collect("<results>/linking/index_scispacy/{file}", file=SCISPACY_INDEX_FILES)


rule build_kb:
    """Names of the linker's knowledge base: one language, not suppressed, of the wanted sources."""
    input:
        code=code("linking/build_kb.py"),
        digests=ancient(rrf_digests("MRCONSO", "MRDEF", release="kb")),
        mrconso=ancient(rrf("MRCONSO", "kb")),
        mrdef=ancient(rrf("MRDEF", "kb")),
    output:
        aliases="<results>/linking/kb/aliases.parquet",
        record="<results>/provenance/linking/build_kb.json",
    log:
        "<results>/logs/linking/build_kb.log",
    benchmark:
        "<results>/benchmarks/linking/build_kb.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=60,
    params:
        digests=contents(*rrf_digests("MRCONSO", "MRDEF", release="kb")),
        params=settings(
            "linking.kb.vocabularies", "linking.kb.restriction_levels", "linking.kb.language"
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --mrconso {input.mrconso:q} \
            --mrdef={input.mrdef:q} \
            --aliases {output.aliases:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule detect_mentions:
    """Mentions of one batch of sentences; only a dictionary depends on the knowledge base. See also parse_abstracts."""
    input:
        code=code("linking/detect_mentions.py"),
        model=model_files("linking"),
        raw=ancient(raw_digests()),
        split="<results>/text/split/{batch}.parquet",
        aliases=(
            ["<results>/linking/kb/aliases.parquet"]
            if "dictionary" in PLAN.value("linking.detection")
            else []
        ),
    output:
        detected="<results>/linking/detected/{batch}.parquet",
        record="<results>/provenance/linking/detect_mentions/{batch}.json",
    log:
        "<results>/logs/linking/detect_mentions/{batch}.log",
    benchmark:
        "<results>/benchmarks/linking/detect_mentions/{batch}.jsonl"
    wildcard_constraints:
        batch=one_of(SPLIT_FIRST),
    conda:
        (
            "../envs/linking.yaml"
            if PLAN.value("linking.environment") == "linking"
            else "../envs/linking_scispacy.yaml"
        )
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=1440,
    params:
        model=model_digest("linking"),
        params=settings(
            "linking.detection", "linking.model", "linking.min_name_chars", "linking.retokenize"
        ),
    shell:
        r"""
        OMP_NUM_THREADS={threads} python -P {input.code[0]:q} \
            --split {input.split:q} \
            --aliases {input.aliases:q} \
            --detected {output.detected:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule collect_surfaces:
    """Distinct surfaces of all batches, dealt out to the shards of linking."""
    input:
        code=code("linking/collect_surfaces.py"),
        detected=expand("<results>/linking/detected/{batch}.parquet", batch=BATCHES),
    output:
        surfaces=collect("<results>/linking/surfaces/{shard}.parquet", shard=SHARDS),
        record="<results>/provenance/linking/collect_surfaces.json",
    log:
        "<results>/logs/linking/collect_surfaces.log",
    benchmark:
        "<results>/benchmarks/linking/collect_surfaces.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 2
    resources:
        mem_mb=memory(16000),
        runtime=120,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --detected {input.detected:q} \
            --surfaces {output.surfaces:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule index_names:
    """Index of the names for the exact search: arrays that all workers of a node share."""
    input:
        code=code("linking/index_names.py"),
        aliases="<results>/linking/kb/aliases.parquet",
    output:
        index="<results>/linking/index/index.json",
        names="<results>/linking/index/names.bin",
        record="<results>/provenance/linking/index_names.json",
    log:
        "<results>/logs/linking/index_names.log",
    benchmark:
        "<results>/benchmarks/linking/index_names.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        params=settings(
            "linking.candidates",
            "linking.ngram_min_df",
            "linking.kb.vocabularies",
            "linking.kb.restriction_levels",
            "linking.kb.language",
            "linking.kb.release",
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


rule link_surfaces:
    """Concepts of each distinct surface of a shard, with scores."""
    input:
        code=code("linking/link_surfaces.py"),
        raw=ancient(raw_digests()),
        index="<results>/linking/index/index.json",
        # index.json has its digest
        names=ancient("<results>/linking/index/names.bin"),
        surfaces="<results>/linking/surfaces/{shard}.parquet",
    output:
        links="<results>/linking/links/{shard}.parquet",
        record="<results>/provenance/linking/link_surfaces/{shard}.json",
    log:
        "<results>/logs/linking/link_surfaces/{shard}.log",
    benchmark:
        "<results>/benchmarks/linking/link_surfaces/{shard}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=720,
    params:
        params=settings(
            "linking.candidates",
            "linking.mode",
            "linking.threshold",
            "linking.no_definition_threshold",
            "linking.k",
            "linking.max_candidates",
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


rule index_names_scispacy:
    """scispaCy's own index of the names, for linking.mode scispacy."""
    input:
        code=code("linking/index_names_scispacy.py"),
        aliases="<results>/linking/kb/aliases.parquet",
    output:
        index=SCISPACY_INDEX,
        record="<results>/provenance/linking/index_names_scispacy.json",
    log:
        "<results>/logs/linking/index_names_scispacy.log",
    benchmark:
        "<results>/benchmarks/linking/index_names_scispacy.jsonl"
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


rule link_surfaces_scispacy:
    """Concepts of each distinct surface of a shard by scispaCy's own linker, for linking.mode scispacy."""
    input:
        code=code("linking/link_surfaces_scispacy.py"),
        raw=ancient(raw_digests()),
        aliases="<results>/linking/kb/aliases.parquet",
        index=SCISPACY_INDEX,
        surfaces="<results>/linking/surfaces/{shard}.parquet",
    output:
        links="<results>/linking/links_scispacy/{shard}.parquet",
        record="<results>/provenance/linking/link_surfaces_scispacy/{shard}.json",
    log:
        "<results>/logs/linking/link_surfaces_scispacy/{shard}.log",
    benchmark:
        "<results>/benchmarks/linking/link_surfaces_scispacy/{shard}.jsonl"
    conda:
        "../envs/linking_scispacy.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=2880,
    params:
        params=settings(
            "linking.threshold",
            "linking.no_definition_threshold",
            "linking.k",
            "linking.max_candidates",
        ),
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


rule join_mentions:
    """Linked mentions of the unique sentences, by partition, with the numbers of the stage."""
    input:
        code=code("linking/join_mentions.py"),
        raw=ancient(raw_digests()),
        detected=expand("<results>/linking/detected/{batch}.parquet", batch=BATCHES),
        links=collect(f"<results>/linking/{LINKS}/{{shard}}.parquet", shard=SHARDS),
        sentences=expand("<results>/text/sentences/{partition}.parquet", partition=PARTITIONS),
    output:
        mentions=expand("<results>/linking/mentions/{partition}.parquet", partition=PARTITIONS),
        statistics="<results>/linking/statistics.json",
        record="<results>/provenance/linking/join_mentions.json",
    log:
        "<results>/logs/linking/join_mentions.log",
    benchmark:
        "<results>/benchmarks/linking/join_mentions.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 2
    resources:
        mem_mb=memory(32000),
        runtime=480,
    params:
        params=settings("linking.kept_candidates", "construction.stream_tails"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --detected {input.detected:q} \
            --links {input.links:q} \
            --sentences {input.sentences:q} \
            --mentions {output.mentions:q} \
            --statistics {output.statistics:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule export_mentions:
    """Linked sentences of one partition as JSON lines in the published form; only where a target asks for them."""
    input:
        code=code("linking/export_mentions.py"),
        sentences="<results>/text/sentences/{partition}.parquet",
        mentions="<results>/linking/mentions/{partition}.parquet",
    output:
        exported="<results>/linking/exported/{partition}.jsonl.gz",
        record="<results>/provenance/linking/export_mentions/{partition}.json",
    log:
        "<results>/logs/linking/export_mentions/{partition}.log",
    benchmark:
        "<results>/benchmarks/linking/export_mentions/{partition}.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=240,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --sentences {input.sentences:q} \
            --mentions {input.mentions:q} \
            --exported {output.exported:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """

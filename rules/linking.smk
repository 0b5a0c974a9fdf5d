"""Linking: reads the sentences of the text stage and the names of the linker's UMLS release, writes mentions with concepts."""


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
    """Mentions of one batch of sentences; only a dictionary depends on the knowledge base."""
    input:
        code=code("linking/detect_mentions.py"),
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
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=1440,
    params:
        model=model_digest("linking"),
        params=settings("linking.detection", "linking.model", "linking.min_name_chars"),
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
    """Distinct surfaces of all batches."""
    input:
        code=code("linking/collect_surfaces.py"),
        detected=expand("<results>/linking/detected/{batch}.parquet", batch=BATCHES),
    output:
        surfaces="<results>/linking/surfaces.parquet",
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


rule link_surfaces:
    """Concepts of each distinct surface, with scores."""
    input:
        code=code("linking/link_surfaces.py"),
        raw=ancient(raw_digests()),
        aliases="<results>/linking/kb/aliases.parquet",
        surfaces="<results>/linking/surfaces.parquet",
    output:
        links="<results>/linking/links.parquet",
        record="<results>/provenance/linking/link_surfaces.json",
    log:
        "<results>/logs/linking/link_surfaces.log",
    benchmark:
        "<results>/benchmarks/linking/link_surfaces.jsonl"
    conda:
        "../envs/linking.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=2880,
    params:
        params=settings(
            "linking.candidates",
            "linking.mode",
            "linking.ngram_min_df",
            "linking.threshold",
            "linking.no_definition_threshold",
            "linking.k",
            "linking.max_candidates",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --aliases {input.aliases:q} \
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
        links="<results>/linking/links.parquet",
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

"""Stage text: unique sentences.

Reads MEDLINE files (medline.baseline_dir) by batches; writes the sections of abstracts (<results>/text/abstracts), their
sentences (text/split), and the unique sentences with all their places (text/sentences, text/occurrences). Where the
linking stage wants the mentions of the same spaCy model, one pass gives them too (linking/detected).
"""


rule extract_abstracts:
    """Read every Article/Abstract of a batch of MEDLINE files, with citations and deletions."""
    input:
        code=code("text/extract_abstracts.py"),
        files=ancient(batch_files),
        digest=ancient([medline_digest(), "<results>/acquire/medline.digest"]),
    output:
        abstracts="<results>/text/abstracts/{batch}.parquet",
        citations="<results>/text/citations/{batch}.parquet",
        record="<results>/provenance/text/extract_abstracts/{batch}.json",
    log:
        "<results>/logs/text/extract_abstracts/{batch}.log",
    benchmark:
        "<results>/benchmarks/text/extract_abstracts/{batch}.jsonl"
    conda:
        "../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=120,
    params:
        digests=contents(medline_digest()),
        params=settings(
            "medline.files_per_job",
            "medline.max_bad_records",
            "construction.inline_markup",
            "construction.other_abstracts",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --files {input.files:q} \
            --batch {wildcards.batch} \
            --abstracts {output.abstracts:q} \
            --citations {output.citations:q} \
            --threads {threads} \
            --memory-mb {resources.mem_mb} \
            --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule split_sentences:
    """Cut a batch of abstracts into sentences of tokens."""
    input:
        code=code("text/split_sentences.py"),
        model=model_files("text"),
        abstracts="<results>/text/abstracts/{batch}.parquet",
    output:
        sentences="<results>/text/split/{batch}.parquet",
        record="<results>/provenance/text/split_sentences/{batch}.json",
    log:
        "<results>/logs/text/split_sentences/{batch}.log",
    benchmark:
        "<results>/benchmarks/text/split_sentences/{batch}.jsonl"
    wildcard_constraints:
        batch=one_of(SPLIT_FIRST),
    conda:
        "../envs/text_spacy.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=1440,
    params:
        model=model_digest("text"),
        params=settings("text.engine", "text.model"),
    shell:
        r"""
        export OMP_NUM_THREADS={threads}
        python -P {input.code[0]:q} \
            --abstracts {input.abstracts:q} \
            --sentences {output.sentences:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule parse_abstracts:
    """Sentences of a batch of abstracts and the mentions in them, by one pass of a spaCy model."""
    input:
        code=code("text/parse_abstracts.py"),
        model=model_files("text"),
        abstracts="<results>/text/abstracts/{batch}.parquet",
    output:
        sentences="<results>/text/split/{batch}.parquet",
        detected="<results>/linking/detected/{batch}.parquet",
        record="<results>/provenance/text/parse_abstracts/{batch}.json",
    log:
        "<results>/logs/text/parse_abstracts/{batch}.log",
    benchmark:
        "<results>/benchmarks/text/parse_abstracts/{batch}.jsonl"
    wildcard_constraints:
        batch=one_of(PARSED),
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
        model=model_digest("text"),
        params=settings("text.model", "linking.detection"),
    shell:
        r"""
        OMP_NUM_THREADS={threads} python -P {input.code[0]:q} \
            --abstracts {input.abstracts:q} \
            --sentences {output.sentences:q} \
            --detected {output.detected:q} \
            --threads {threads} \
            --memory-mb {resources.mem_mb} \
            --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule unique_sentences:
    """Drop deleted and superseded citations, and make equal sentences of all batches one."""
    input:
        code=code("text/unique_sentences.py"),
        citations=collect("<results>/text/citations/{batch}.parquet", batch=BATCHES),
        split=collect("<results>/text/split/{batch}.parquet", batch=BATCHES),
    output:
        sentences=collect("<results>/text/sentences/{partition}.parquet", partition=PARTITIONS),
        occurrences=collect("<results>/text/occurrences/{partition}.parquet", partition=PARTITIONS),
        statistics="<results>/text/statistics.json",
        record="<results>/provenance/text/unique_sentences.json",
    log:
        "<results>/logs/text/unique_sentences.log",
    benchmark:
        "<results>/benchmarks/text/unique_sentences.jsonl"
    conda:
        "../envs/text.yaml"
    threads: 2
    resources:
        mem_mb=memory(16000),
        runtime=480,
    params:
        batches=BATCHES,
        params=settings(
            "text.min_tokens", "text.max_tokens", "text.partitions", "construction.stream_tails"
        ),
    shell:
        # folders and batch numbers, because the paths of a thousand batches are too long for one command
        r"""
        python -P {input.code[0]:q} \
            --batches {params.batches} \
            --citations $(dirname {input.citations[0]:q}) \
            --split $(dirname {input.split[0]:q}) \
            --sentences $(dirname {output.sentences[0]:q}) \
            --occurrences $(dirname {output.occurrences[0]:q}) \
            --statistics {output.statistics:q} \
            --threads {threads} \
            --memory-mb {resources.mem_mb} \
            --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

"""Stage acquire: raw files.

Reads mirrors, the UTS, the hub or local folders; writes MEDLINE files with their .md5 into medline.baseline_dir, UMLS
releases, word vectors and encoders below resources/, and the digests of raw files (<results>/acquire) that decide what
runs again: the files themselves are ancient() to their users. An edit of the code never downloads or unpacks again.

Three checkpoints end the stage: all MEDLINE files are checked, the tables of names are, the tables of the graph are.
"""

if PLAN.value("medline.source") == "download":

    rule download_medline:
        """Get one MEDLINE file and its .md5 from the mirrors; one that is there is checked and kept."""
        input:
            # an edit of the code must not download MEDLINE again
            code=ancient(code("acquire/download_medline.py")),
        output:
            file=update(medline_file()),
            md5=update(medline_file(".md5")),
        log:
            "<results>/logs/acquire/download_medline/{file}.log",
        benchmark:
            "<results>/benchmarks/acquire/download_medline/{file}.jsonl"
        wildcard_constraints:
            file=r"[^/]+\.xml\.gz",
        localrule: True
        conda:
            "../envs/acquire.yaml"
        threads: 1
        resources:
            mem_mb=memory(500),
            runtime=240,
        params:
            params=settings("medline.mirrors", "medline.require_md5"),
        shell:
            r"""
            python -P {input.code[0]:q} \
                --file {output.file:q} \
                --lock resources/sources.lock \
                --params {params.params:q} &>{log:q}
            """


rule fingerprint_medline:
    """Check the MEDLINE files of a batch against their .md5 and write their digests."""
    input:
        code=code("acquire/fingerprint_medline.py"),
        files=batch_files,
    output:
        digest=update("<results>/acquire/medline/{batch}.digest"),
        record="<results>/provenance/acquire/fingerprint_medline/{batch}.json",
    log:
        "<results>/logs/acquire/fingerprint_medline/{batch}.log",
    benchmark:
        "<results>/benchmarks/acquire/fingerprint_medline/{batch}.jsonl"
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=60,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --files {input.files:q} \
            --digest {output.digest:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


checkpoint collect_medline_digests:
    """Put the digests of all batches into one list, which says that all files are checked."""
    input:
        code=code("acquire/collect_medline_digests.py"),
        digests=collect("<results>/acquire/medline/{batch}.digest", batch=BATCHES),
    output:
        collected=update("<results>/acquire/medline.digest"),
        record="<results>/provenance/acquire/collect_medline_digests.json",
    log:
        "<results>/logs/acquire/collect_medline_digests.log",
    benchmark:
        "<results>/benchmarks/acquire/collect_medline_digests.jsonl"
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=10,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --digests {input.digests:q} \
            --collected {output.collected:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


checkpoint fingerprint_names:
    """Check the tables of names of a release (graph or linker) and write their digests."""
    input:
        code=code("acquire/fingerprint_rrf.py"),
        tables=lambda wildcards: [rrf(table, wildcards.release) for table in NAME_TABLES],
    output:
        digests=update(collect("<results>/acquire/{{release}}/{table}.digest", table=NAME_TABLES)),
        record="<results>/provenance/acquire/fingerprint_names/{release}.json",
    log:
        "<results>/logs/acquire/fingerprint_names/{release}.log",
    benchmark:
        "<results>/benchmarks/acquire/fingerprint_names/{release}.jsonl"
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=60,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --tables {input.tables:q} \
            --digests {output.digests:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


checkpoint fingerprint_graph:
    """Check the tables of relations and types of the graph's release and write their digests."""
    input:
        code=code("acquire/fingerprint_rrf.py"),
        tables=lambda wildcards: [rrf(table, "umls") for table in GRAPH_TABLES],
    output:
        digests=update(collect("<results>/acquire/umls/{table}.digest", table=GRAPH_TABLES)),
        record="<results>/provenance/acquire/fingerprint_graph/umls.json",
    log:
        "<results>/logs/acquire/fingerprint_graph/umls.log",
    benchmark:
        "<results>/benchmarks/acquire/fingerprint_graph/umls.jsonl"
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=60,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --tables {input.tables:q} \
            --digests {output.digests:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule download_umls:
    """Get the archive of a UMLS release with the key in UMLS_API_KEY; one that is there is checked and kept."""
    input:
        code=ancient(code("acquire/download_umls.py")),
        sources=ancient("experiments/sources.tsv"),
    output:
        archive=update("resources/umls/umls-{umls_release}-full.zip"),
    log:
        "<results>/logs/acquire/download_umls/{umls_release}.log",
    benchmark:
        "<results>/benchmarks/acquire/download_umls/{umls_release}.jsonl"
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=720,
    params:
        params=lambda wildcards: canonical_json({"release": wildcards.umls_release}),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --archive {output.archive:q} \
            --sources {input.sources:q} \
            --lock resources/sources.lock \
            --params {params.params:q} &>{log:q}
        """


rule extract_umls:
    """The full install of a UMLS release: the tables that the workflow reads, out of the archive."""
    input:
        code=ancient(code("acquire/extract_umls.py")),
        archive=ancient("resources/umls/umls-{umls_release}-full.zip"),
    output:
        tables=collect(
            "resources/umls/{{umls_release}}/full/META/{table}.RRF", table=INSTALLED_TABLES
        ),
    log:
        "<results>/logs/acquire/extract_umls/{umls_release}.log",
    benchmark:
        "<results>/benchmarks/acquire/extract_umls/{umls_release}.jsonl"
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=240,
    params:
        folder=lambda wildcards, output: os.path.dirname(output.tables[0]),
        tables=INSTALLED_TABLES,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --archive {input.archive:q} \
            --tables {params.tables} \
            --folder {params.folder:q} \
            --temporary {resources.tmpdir:q} &>{log:q}
        """

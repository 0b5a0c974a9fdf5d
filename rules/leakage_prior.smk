"""Stage leakage: the benchmarks of two prior works, rebuilt from the release and the sentences, and without their overlap.

Reads the release and text/sentences; writes leakage/ and corpus/{prior}/. A run that starts from a corpus has none of it.
"""


rule build_prior_kb:
    """Names and facts of all vocabularies, as the prior works take them."""
    input:
        code=code("leakage/build_prior_kb.py"),
        digests=ancient(rrf_digests("MRCONSO", "MRREL")),
        mrconso=ancient(rrf("MRCONSO")),
        mrrel=ancient(rrf("MRREL")),
    output:
        names="<results>/leakage/kb/names.parquet",
        facts="<results>/leakage/kb/facts.parquet",
        record="<results>/provenance/leakage/build_prior_kb.json",
    log:
        "<results>/logs/leakage/build_prior_kb.log",
    benchmark:
        "<results>/benchmarks/leakage/build_prior_kb.jsonl"
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        digests=contents(*rrf_digests("MRCONSO", "MRREL")),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --mrconso {input.mrconso:q} --mrrel {input.mrrel:q} \
            --names {output.names:q} --facts {output.facts:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule match_names:
    """Names of concepts in one partition of the sentences, matched as a prior work does."""
    input:
        code=code("leakage/match_names.py"),
        raw=ancient(raw_digests()),
        sentences="<results>/text/sentences/{partition}.parquet",
        names="<results>/leakage/kb/names.parquet",
    output:
        matches="<results>/leakage/{prior}/matches/{partition}.parquet",
        record="<results>/provenance/leakage/{prior}/match_names/{partition}.json",
    log:
        "<results>/logs/leakage/{prior}/match_names/{partition}.log",
    benchmark:
        "<results>/benchmarks/leakage/{prior}/match_names/{partition}.jsonl"
    wildcard_constraints:
        prior="|".join(REBUILT) or "none",
    conda:
        "../envs/leakage.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=240,
    params:
        params=prior_settings("min_chars", "max_chars", "lose_first_span"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --sentences {input.sentences:q} --names {input.names:q} \
            --matches {output.matches:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule build_prior_corpus:
    """The benchmark of a prior work: surface triples from text, split by relation."""
    input:
        code=code("leakage/build_prior_corpus.py"),
        raw=ancient(raw_digests()),
        matches=collect(
            "<results>/leakage/{{prior}}/matches/{partition}.parquet", partition=PARTITIONS
        ),
        sentences=collect("<results>/text/sentences/{partition}.parquet", partition=PARTITIONS),
        names="<results>/leakage/kb/names.parquet",
        facts="<results>/leakage/kb/facts.parquet",
    output:
        instances=collect(
            "<results>/corpus/{{prior}}/{split}.{ending}",
            split=SPLITS,
            ending=["parquet", "jsonl"],
        ),
        rel2id="<results>/corpus/{prior}/rel2id.json",
        check="<results>/corpus/{prior}/check.json",
        record="<results>/provenance/leakage/{prior}/build_prior_corpus.json",
    log:
        "<results>/logs/leakage/{prior}/build_prior_corpus.log",
    benchmark:
        "<results>/benchmarks/leakage/{prior}/build_prior_corpus.jsonl"
    wildcard_constraints:
        prior="|".join(REBUILT) or "none",
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(24000),
        runtime=240,
    params:
        folder=subpath(output.check, parent=True),
        params=prior_settings(
            "seed",
            "min_pairs",
            "max_pairs",
            "na_share",
            "max_bag_size",
            "test_share",
            "valid_share",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --matches {input.matches:q} --sentences {input.sentences:q} \
            --names {input.names:q} --facts {input.facts:q} \
            --folder {params.folder:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule remove_overlap:
    """A rebuilt benchmark without what its validation and test share with training."""
    input:
        code=code("leakage/remove_overlap.py"),
        raw=ancient(raw_digests()),
        source=overlapping_files,
        names="<results>/leakage/kb/names.parquet",
    output:
        instances=collect(
            "<results>/corpus/{{prior}}/{split}.{ending}",
            split=SPLITS,
            ending=["parquet", "jsonl"],
        ),
        rel2id="<results>/corpus/{prior}/rel2id.json",
        check="<results>/corpus/{prior}/check.json",
        record="<results>/provenance/leakage/{prior}/remove_overlap.json",
    log:
        "<results>/logs/leakage/{prior}/remove_overlap.log",
    benchmark:
        "<results>/benchmarks/leakage/{prior}/remove_overlap.jsonl"
    wildcard_constraints:
        prior="|".join(CLEANED) or "none",
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(16000),
        runtime=120,
    params:
        folder=subpath(output.check, parent=True),
        params=prior_settings("max_bag_size"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --train {input.source[0]:q} --valid {input.source[1]:q} --test {input.source[2]:q} \
            --names {input.names:q} \
            --folder {params.folder:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule type_surfaces:
    """Semantic types of the surface forms of a style."""
    input:
        code=code("leakage/type_surfaces.py"),
        raw=ancient(raw_digests()),
        names="<results>/leakage/kb/names.parquet",
        concepts="<results>/kg/concepts.parquet",
    output:
        types="<results>/leakage/kb/types.{style}.parquet",
        record="<results>/provenance/leakage/type_surfaces/{style}.json",
    log:
        "<results>/logs/leakage/type_surfaces/{style}.log",
    benchmark:
        "<results>/benchmarks/leakage/type_surfaces/{style}.jsonl"
    wildcard_constraints:
        style="umls_v2|umls_v3",
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=60,
    params:
        params=lambda wildcards: canonical_json({"style": wildcards.style}),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --names {input.names:q} --concepts {input.concepts:q} \
            --types {output.types:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule prove_audit:
    """Leakage of known size, planted in a corpus without any, is found exactly."""
    input:
        code=code("leakage/prove_audit.py"),
        raw=ancient(raw_digests()),
        splits=collect("<results>/corpus/{{prior}}/{split}.parquet", split=SPLITS),
        check=ancient("<results>/corpus/{prior}/check.json"),
        names="<results>/leakage/kb/names.parquet",
        relations=PLAN.value("kg.relations"),
    output:
        proof="<results>/leakage/{prior}.planted.json",
        record="<results>/provenance/leakage/{prior}/prove_audit.json",
    log:
        "<results>/logs/leakage/{prior}/prove_audit.log",
    benchmark:
        "<results>/benchmarks/leakage/{prior}/prove_audit.jsonl"
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(16000),
        runtime=60,
    params:
        params=planted_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --train {input.splits[0]:q} --valid {input.splits[1]:q} --test {input.splits[2]:q} \
            --names {input.names:q} --inverses {input.relations:q} \
            --output {output.proof:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

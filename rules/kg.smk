"""Stage kg: the RRF tables of a UMLS release become concepts and triples, a transductive and an inductive split of them.

Reads the release; writes kg/.
"""


rule build_kg:
    """Active, typed concepts and the facts between them, with counts after each filter."""
    input:
        code=code("kg/build_kg.py"),
        digests=ancient(rrf_digests("MRCONSO", "MRREL", "MRSTY", "MRDOC", "SemGroups")),
        mrconso=ancient(rrf("MRCONSO")),
        mrrel=ancient(rrf("MRREL")),
        mrsty=ancient(rrf("MRSTY")),
        mrdoc=ancient(rrf("MRDOC")),
        semgroups=ancient(rrf("SemGroups")),
        relations=PLAN.value("kg.relations"),
    output:
        concepts="<results>/kg/concepts.parquet",
        triples="<results>/kg/triples.parquet",
        order="<results>/kg/all_triples.tsv",
        funnel="<results>/kg/funnel.csv",
        audit="<results>/kg/audit.json",
        record="<results>/provenance/kg/build_kg.json",
    log:
        "<results>/logs/kg/build_kg.log",
    benchmark:
        "<results>/benchmarks/kg/build_kg.jsonl"
    conda:
        "../envs/kg.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        digests=contents(*rrf_digests("MRCONSO", "MRREL", "MRSTY", "MRDOC", "SemGroups")),
        params=settings(
            "umls.vocabulary",
            "kg.groups",
            "kg.excluded_types",
            "kg.relation_class",
            "kg.min_relation_triples",
            "kg.seed",
            "construction.preset",
            "construction.one_type_per_cui",
            "construction.ro_per_row",
            "construction.csv_quotes",
            "construction.repeated_rel",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --mrconso {input.mrconso:q} \
            --mrrel {input.mrrel:q} \
            --mrsty {input.mrsty:q} \
            --mrdoc {input.mrdoc:q} \
            --semgroups {input.semgroups:q} \
            --relations {input.relations:q} \
            --concepts {output.concepts:q} \
            --triples {output.triples:q} \
            --order {output.order:q} \
            --funnel {output.funnel:q} \
            --audit {output.audit:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule split_transductive:
    """Split triples at random: the drawn train knows every entity."""
    input:
        code=code("kg/split_transductive.py"),
        triples="<results>/kg/all_triples.tsv",
    output:
        train="<results>/kg/transductive/train.tsv",
        valid="<results>/kg/transductive/valid.tsv",
        test="<results>/kg/transductive/test.tsv",
        record="<results>/provenance/kg/split_transductive.json",
    log:
        "<results>/logs/kg/split_transductive.log",
    benchmark:
        "<results>/benchmarks/kg/split_transductive.jsonl"
    conda:
        "../envs/kg.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        params=settings(
            "kg.transductive.shares",
            "kg.seed",
            "construction.preset",
            "construction.lost_train_labels",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --triples {input.triples:q} \
            --train {output.train:q} \
            --valid {output.valid:q} \
            --test {output.test:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule split_inductive:
    """Split triples by entities: each valid and test triple has an entity that train lacks."""
    input:
        code=code("kg/split_inductive.py"),
        triples="<results>/kg/all_triples.tsv",
    output:
        train="<results>/kg/inductive/train.tsv",
        valid="<results>/kg/inductive/valid.tsv",
        test="<results>/kg/inductive/test.tsv",
        record="<results>/provenance/kg/split_inductive.json",
    log:
        "<results>/logs/kg/split_inductive.log",
    benchmark:
        "<results>/benchmarks/kg/split_inductive.jsonl"
    conda:
        "../envs/kg.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        params=settings(
            "kg.inductive.shares",
            "kg.inductive.min_edges_left",
            "kg.inductive.max_attempts_per_drop",
            "kg.seed",
            "construction.preset",
            "construction.lost_entity",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --triples {input.triples:q} \
            --train {output.train:q} \
            --valid {output.valid:q} \
            --test {output.test:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule summarise_kg:
    """Counts of the graph and its splits, for Tables 5, A.3 and A.4."""
    input:
        code=code("kg/summarise_kg.py"),
        concepts="<results>/kg/concepts.parquet",
        triples="<results>/kg/triples.parquet",
        audit="<results>/kg/audit.json",
        relations=PLAN.value("kg.relations"),
        inductive=collect("<results>/kg/inductive/{split}.tsv", split=SPLITS),
        transductive=collect("<results>/kg/transductive/{split}.tsv", split=SPLITS),
    output:
        statistics="<results>/kg/statistics.json",
        record="<results>/provenance/kg/summarise_kg.json",
    log:
        "<results>/logs/kg/summarise_kg.log",
    benchmark:
        "<results>/benchmarks/kg/summarise_kg.jsonl"
    conda:
        "../envs/kg.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --concepts {input.concepts:q} \
            --triples {input.triples:q} \
            --audit {input.audit:q} \
            --relations {input.relations:q} \
            --inductive {input.inductive:q} \
            --transductive {input.transductive:q} \
            --statistics {output.statistics:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

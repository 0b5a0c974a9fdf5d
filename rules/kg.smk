"""Stage kg: the RRF tables of a UMLS release become concepts and triples, a transductive and an inductive split of them.

Reads the release; writes kg/. Where umls.install is snomed_subset, MetamorphoSys makes that release first.
"""


rule install_subset:
    """SNOMED CT (US) alone out of a UMLS release, by NLM's MetamorphoSys in batch mode."""
    input:
        code=ancient(code("kg/install_subset.py")),
        archive=ancient("resources/umls/umls-{umls_release}-full.zip"),
    output:
        tables=collect(
            "resources/umls/{{umls_release}}/snomed_subset/META/{table}.RRF",
            table=INSTALLED_TABLES,
        ),
    log:
        "<results>/logs/kg/install_subset/{umls_release}.log",
    benchmark:
        "<results>/benchmarks/kg/install_subset/{umls_release}.jsonl"
    conda:
        "../envs/kg_metamorphosys.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=720,
    params:
        folder=lambda wildcards, output: os.path.dirname(output.tables[0]),
        tables=INSTALLED_TABLES,
        params=lambda wildcards: canonical_json(
            {
                "release": wildcards.umls_release,
                "metamorphosys": PLAN.value("umls.metamorphosys"),
            }
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --archive {input.archive:q} \
            --tables {params.tables} \
            --folder {params.folder:q} \
            --temporary {resources.tmpdir:q} --memory-mb {resources.mem_mb} \
            --params {params.params:q} &>{log:q}
        """


rule compare_installs:
    """Counts of the full install and of the SNOMED CT subset of a release, side by side."""
    input:
        code=code("kg/compare_installs.py"),
        full=ancient(
            collect(
                "resources/umls/{{umls_release}}/full/META/{table}.RRF", table=INSTALLED_TABLES
            )
        ),
        subset=ancient(
            collect(
                "resources/umls/{{umls_release}}/snomed_subset/META/{table}.RRF",
                table=INSTALLED_TABLES,
            )
        ),
    output:
        table="<results>/kg/installs.{umls_release}.csv",
        record="<results>/provenance/kg/compare_installs/{umls_release}.json",
    log:
        "<results>/logs/kg/compare_installs/{umls_release}.log",
    benchmark:
        "<results>/benchmarks/kg/compare_installs/{umls_release}.jsonl"
    conda:
        "../envs/kg.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        full=lambda wildcards, input: os.path.dirname(input.full[0]),
        subset=lambda wildcards, input: os.path.dirname(input.subset[0]),
        params=settings("umls.vocabulary"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --full {params.full:q} \
            --subset {params.subset:q} \
            --table {output.table:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
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
            # no draw is made before the splits but the published shuffle
            *(["kg.seed"] if PLAN.value("construction.preset") == "published" else []),
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

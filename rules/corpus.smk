"""Stage corpus: linked sentences and the split knowledge graph become a benchmark, its statistics and its checks.

Reads linking/mentions, linking/kb, text/sentences, kg; writes corpus/{corpus}/, one folder per corpus of the config.
"""


rule align_sentences:
    """Give each linked sentence one pair of concepts: a fact of one split, or an NA candidate."""
    input:
        unpack(split_files),
        code=code("corpus/align_sentences.py"),
        raw=ancient(raw_digests()),
        mentions=collect("<results>/linking/mentions/{partition}.parquet", partition=PARTITIONS),
        concepts="<results>/kg/concepts.parquet",
    output:
        aligned="<results>/corpus/{corpus}/aligned.parquet",
        funnel="<results>/corpus/{corpus}/aligned.json",
        record="<results>/provenance/corpus/{corpus}/align_sentences.json",
    log:
        "<results>/logs/corpus/{corpus}/align_sentences.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/align_sentences.jsonl"
    wildcard_constraints:
        corpus="|".join(CORPORA),
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=240,
    params:
        params=corpus_settings(
            "seed",
            "negative_draws",
            "min_surface_chars",
            "type_constraint",
            "role_constraint",
            "strict_inductive",
            "inductive_negatives",
            switches=("role_flip", "stream_tails"),
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --mentions {input.mentions:q} \
            --train {input.train:q} --valid {input.valid:q} --test {input.test:q} \
            --concepts {input.concepts:q} \
            --output {output.aligned:q} --funnel {output.funnel:q} --tmp {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule build_corpus:
    """Sample, balance and filter the aligned sentences; write the corpus, its funnel and its statistics."""
    input:
        unpack(split_files),
        code=code("corpus/build_corpus.py"),
        raw=ancient(raw_digests()),
        aligned="<results>/corpus/{corpus}/aligned.parquet",
        funnel="<results>/corpus/{corpus}/aligned.json",
        sentences=collect("<results>/text/sentences/{partition}.parquet", partition=PARTITIONS),
        concepts="<results>/kg/concepts.parquet",
        triples="<results>/kg/triples.parquet",
        aliases="<results>/linking/kb/aliases.parquet",
    output:
        instances=collect(
            "<results>/corpus/{{corpus}}/{split}.{ending}",
            split=SPLITS,
            ending=["jsonl", "parquet"],
        ),
        relations="<results>/corpus/{corpus}/rel2id.json",
        funnel="<results>/corpus/{corpus}/funnel.csv",
        statistics="<results>/corpus/{corpus}/statistics.json",
        datasheet="<results>/corpus/{corpus}/datasheet.md",
        record="<results>/provenance/corpus/{corpus}/build_corpus.json",
    log:
        "<results>/logs/corpus/{corpus}/build_corpus.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/build_corpus.jsonl"
    wildcard_constraints:
        corpus="|".join(CORPORA),
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(16000),
        runtime=240,
    params:
        params=corpus_settings(
            "seed",
            "negatives_share",
            "positive_sample",
            "alias_filter",
            "mention_overlap_filter",
            "max_mention_freq",
            "min_relation_freq",
            "max_bag_size",
            "strict_inductive",
            "multi_label",
            switches=("bag_pruning", "relation_redraw"),
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {wildcards.corpus:q} \
            --aligned {input.aligned:q} --sentence-funnel {input.funnel:q} \
            --sentences {input.sentences:q} \
            --train {input.train:q} --valid {input.valid:q} --test {input.test:q} \
            --concepts {input.concepts:q} --triples {input.triples:q} --aliases {input.aliases:q} \
            --output "$(dirname {output.relations:q})" \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule check_corpus:
    """Check every promise of a corpus from its written files; training depends on it."""
    input:
        unpack(split_files),
        code=code("corpus/check_corpus.py"),
        raw=ancient(raw_digests()),
        instances=collect(
            "<results>/corpus/{{corpus}}/{split}.{ending}",
            split=SPLITS,
            ending=["jsonl", "parquet"],
        ),
        relations="<results>/corpus/{corpus}/rel2id.json",
        funnel="<results>/corpus/{corpus}/funnel.csv",
        statistics="<results>/corpus/{corpus}/statistics.json",
        concepts="<results>/kg/concepts.parquet",
        aliases="<results>/linking/kb/aliases.parquet",
    output:
        check="<results>/corpus/{corpus}/check.json",
        record="<results>/provenance/corpus/{corpus}/check_corpus.json",
    log:
        "<results>/logs/corpus/{corpus}/check_corpus.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/check_corpus.jsonl"
    wildcard_constraints:
        corpus="|".join(CORPORA),
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=60,
    params:
        params=corpus_settings(
            "split",
            "min_surface_chars",
            "alias_filter",
            "type_constraint",
            "role_constraint",
            "mention_overlap_filter",
            "max_mention_freq",
            "min_relation_freq",
            "max_bag_size",
            "strict_inductive",
            "inductive_negatives",
            "multi_label",
            switches=("role_flip", "bag_pruning"),
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --folder "$(dirname {input.relations:q})" \
            --train {input.train:q} --valid {input.valid:q} --test {input.test:q} \
            --concepts {input.concepts:q} --aliases {input.aliases:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --tmp {resources.tmpdir:q} \
            --output {output.check:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule measure_properties:
    """Counts behind Table 4: links, repeated sentences, unseen entities, leakage, types and roles of NA pairs."""
    input:
        unpack(split_files),
        code=code("corpus/measure_properties.py"),
        raw=ancient(raw_digests()),
        instances=collect("<results>/corpus/{{corpus}}/{split}.parquet", split=SPLITS),
        mentions=collect("<results>/linking/mentions/{partition}.parquet", partition=PARTITIONS),
        linking="<results>/linking/statistics.json",
        concepts="<results>/kg/concepts.parquet",
    output:
        properties="<results>/corpus/{corpus}/properties.json",
        record="<results>/provenance/corpus/{corpus}/measure_properties.json",
    log:
        "<results>/logs/corpus/{corpus}/measure_properties.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/measure_properties.jsonl"
    conda:
        "../envs/corpus.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=120,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --instances {input.instances:q} \
            --graph {input.train:q} {input.valid:q} {input.test:q} \
            --mentions {input.mentions:q} --linking {input.linking:q} \
            --concepts {input.concepts:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --output {output.properties:q} \
            --record {output.record:q} &>{log:q}
        """

"""Stage belb: what systems are asked to link, what they say, and how right they are.

The engines of the stage linking run in linking_belb.smk and the encoders of the stage training in training_belb.smk, on
files that are written and read here.
"""


wildcard_constraints:
    spans="gold|found",
    belb_system=one_of([*BELB.systems, *(system for system, _ in BELB.predictions), *BELB.tools]),


rule write_belb_aliases:
    """The names of a knowledge base as the stage linking reads them."""
    input:
        code=code("belb/write_belb_aliases.py"),
        names=belb_kb_names,
    output:
        aliases="<results>/belb/linking/{belb_kb}/aliases.parquet",
        record="<results>/provenance/belb/write_belb_aliases/{belb_kb}.json",
    log:
        "<results>/logs/belb/write_belb_aliases/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/write_belb_aliases/{belb_kb}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=60,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --names {input.names:q} \
            --aliases {output.aliases:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule group_belb_names:
    """Each distinct name of a knowledge base with the entities that have it, as the stage training reads them."""
    input:
        code=code("belb/group_belb_names.py"),
        names=belb_kb_names,
    output:
        grouped="<results>/belb/linking/{belb_kb}/grouped_names.parquet",
        record="<results>/provenance/belb/group_belb_names/{belb_kb}.json",
    log:
        "<results>/logs/belb/group_belb_names/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/group_belb_names/{belb_kb}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=60,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --names {input.names:q} \
            --grouped {output.grouped:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule list_belb_mentions:
    """The gold mentions of the splits train and dev of a corpus, from which encoders of names learn."""
    input:
        code=code("belb/list_belb_mentions.py"),
        corpus=belb_corpus_tables,
    output:
        mentions="<results>/belb/linking/gold/{belb_corpus}/labelled.parquet",
        record="<results>/provenance/belb/list_belb_mentions/{belb_corpus}.json",
    log:
        "<results>/logs/belb/list_belb_mentions/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/list_belb_mentions/{belb_corpus}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --mentions {output.mentions:q} \
            --record {output.record:q} &>{log:q}
        """


rule split_belb_passages:
    """The passages of a corpus as the sentences in which the stage linking finds mentions."""
    input:
        code=code("belb/split_belb_passages.py"),
        corpus=belb_corpus_tables,
    output:
        passages="<results>/belb/linking/found/{belb_corpus}/passages.parquet",
        record="<results>/provenance/belb/split_belb_passages/{belb_corpus}.json",
    log:
        "<results>/logs/belb/split_belb_passages/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/split_belb_passages/{belb_corpus}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --passages {output.passages:q} \
            --record {output.record:q} &>{log:q}
        """


rule list_belb_spans:
    """What systems are asked to link: the gold mentions of a corpus, or those that a dictionary finds."""
    input:
        code=code("belb/list_belb_spans.py"),
        corpus=belb_corpus_tables,
        passages=belb_found("passages"),
        detected=belb_found("detected"),
    output:
        spans="<results>/belb/linking/{spans}/{belb_corpus}/spans.parquet",
        texts="<results>/belb/linking/{spans}/{belb_corpus}/texts.parquet",
        sentences="<results>/belb/linking/{spans}/{belb_corpus}/sentences.parquet",
        record="<results>/provenance/belb/list_belb_spans/{spans}/{belb_corpus}.json",
    log:
        "<results>/logs/belb/list_belb_spans/{spans}/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/list_belb_spans/{spans}/{belb_corpus}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --passages {input.passages:q} \
            --detected {input.detected:q} \
            --spans {output.spans:q} \
            --texts {output.texts:q} \
            --sentences {output.sentences:q} \
            --record {output.record:q} &>{log:q}
        """


rule link_by_name:
    """Links of spans to the entities with equal names, or with the most similar ones."""
    input:
        code=code("belb/link_by_name.py"),
        spans="<results>/belb/linking/{spans}/{belb_corpus}/spans.parquet",
        names=belb_names,
    output:
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        record="<results>/provenance/belb/link_by_name/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/link_by_name/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/link_by_name/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("exact", "fuzzy")),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=720,
    params:
        params=lambda wildcards: canonical_json(
            belb_header(wildcards) | {"engine": BELB.systems[wildcards.belb_system]["engine"]}
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --spans {input.spans:q} \
            --names {input.names:q} \
            --predictions {output.predictions:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule read_belb_links:
    """What the stage linking made of the texts of spans."""
    input:
        code=code("belb/read_belb_links.py"),
        spans="<results>/belb/linking/{spans}/{belb_corpus}/spans.parquet",
        links="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/sentences.parquet",
        names=belb_preferred_names,
    output:
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        record="<results>/provenance/belb/read_belb_links/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/read_belb_links/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/read_belb_links/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("linking", "scispacy")),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        params=lambda wildcards: canonical_json(belb_header(wildcards)),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --spans {input.spans:q} \
            --links {input.links:q} \
            --names {input.names:q} \
            --predictions {output.predictions:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule read_belb_nearest:
    """The names nearest to the texts of spans as predictions."""
    input:
        code=code("belb/read_belb_nearest.py"),
        spans="<results>/belb/linking/{spans}/{belb_corpus}/spans.parquet",
        nearest="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/nearest.parquet",
    output:
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        record="<results>/provenance/belb/read_belb_nearest/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/read_belb_nearest/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/read_belb_nearest/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("dense")),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        params=lambda wildcards: canonical_json(belb_header(wildcards)),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --spans {input.spans:q} \
            --nearest {input.nearest:q} \
            --predictions {output.predictions:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule evaluate_predictions:
    """How right a system is on a corpus."""
    input:
        code=code("belb/evaluate_predictions.py"),
        corpus=belb_corpus_tables,
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        reference=belb_reference,
    output:
        metrics="<results>/belb/{spans}/{belb_corpus}/{belb_system}.json",
        record="<results>/provenance/belb/evaluate_predictions/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/evaluate_predictions/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/evaluate_predictions/{spans}/{belb_corpus}/{belb_system}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        ranks=BELB.ranks,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --predictions {input.predictions:q} \
            --reference {input.reference:q} \
            --ranks {params.ranks} \
            --metrics {output.metrics:q} \
            --record {output.record:q} &>{log:q}
        """


rule read_belb_predictions:
    """Predictions that were made elsewhere."""
    input:
        code=code("belb/read_belb_predictions.py"),
        corpus=belb_corpus_tables,
        released=lambda wildcards: belb_prediction(wildcards)["file"],
        identifiers=lambda wildcards: belb_prediction(wildcards).get("identifiers") or [],
        kb=belb_corpus_kb,
    output:
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        record="<results>/provenance/belb/read_belb_predictions/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/read_belb_predictions/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/read_belb_predictions/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        spans="gold",
        belb_system=one_of(sorted({system for system, _ in BELB.predictions})),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        kb=lambda wildcards, input: [os.path.dirname(input.kb[0])] if input.kb else [],
        params=lambda wildcards: canonical_json(
            {"kb": BELB.kb_of(wildcards.belb_corpus) or "", "system": wildcards.belb_system}
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --released {input.released:q} \
            --identifiers {input.identifiers:q} \
            --kb {params.kb:q} \
            --corpus {params.folder:q} \
            --predictions {output.predictions:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

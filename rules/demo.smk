"""Stage demo: the embedded release, made from a seed: no licence, no network.

Reads nothing; writes resources/demo/: META (RRF), baseline (MEDLINE), embeddings and a small encoder.
"""


rule generate_demo_release:
    """An invented UMLS release and MEDLINE baseline."""
    input:
        code=code("demo/generate_demo_release.py"),
    output:
        meta=expand(
            "resources/demo/META/{table}",
            table=[
                "MRCONSO.RRF",
                "MRREL.RRF",
                "MRSTY.RRF",
                "MRDEF.RRF",
                "MRDOC.RRF",
                "MRSAB.RRF",
                "SemGroups.txt",
            ],
        ),
        baseline=expand(
            "resources/demo/baseline/pubmed19n000{number}.xml.gz{ending}",
            number=range(1, 7),
            ending=["", ".md5"],
        ),
        text="resources/demo/text.tsv",
        record="<results>/provenance/demo/generate_demo_release.json",
    log:
        "<results>/logs/demo/generate_demo_release.log",
    benchmark:
        "<results>/benchmarks/demo/generate_demo_release.jsonl"
    conda:
        "../envs/demo.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --meta resources/demo/META \
            --baseline resources/demo/baseline \
            --text {output.text:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule generate_treatments:
    """A second release with the vocabulary and relations of config.may_treat.yaml, over the same text."""
    input:
        code=code("demo/generate_treatments.py"),
        meta=rules.generate_demo_release.output.meta,
        relations="experiments/relations.tsv",
    output:
        meta=expand(
            "resources/demo/treatments/META/{table}",
            table=[
                "MRCONSO.RRF",
                "MRREL.RRF",
                "MRSTY.RRF",
                "MRDEF.RRF",
                "MRDOC.RRF",
                "MRSAB.RRF",
                "SemGroups.txt",
            ],
        ),
        record="<results>/provenance/demo/generate_treatments.json",
    log:
        "<results>/logs/demo/generate_treatments.log",
    benchmark:
        "<results>/benchmarks/demo/generate_treatments.jsonl"
    conda:
        "../envs/demo.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        params="{}",
    shell:
        r"""
        python -P {input.code[0]:q} \
            --meta "$(dirname {input.meta[0]:q})" \
            --relations {input.relations:q} \
            --output "$(dirname {output.meta[0]:q})" \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule train_demo_embeddings:
    """Word vectors of the three embedding slots, from the release's own text."""
    input:
        code=code("demo/train_demo_embeddings.py"),
        text="resources/demo/text.tsv",
    output:
        biowordvec="resources/demo/embeddings/biowordvec.txt",
        biow2v="resources/demo/embeddings/biow2v.bin",
        glove="resources/demo/embeddings/glove.txt",
        record="<results>/provenance/demo/train_demo_embeddings.json",
    log:
        "<results>/logs/demo/train_demo_embeddings.log",
    benchmark:
        "<results>/benchmarks/demo/train_demo_embeddings.jsonl"
    conda:
        "../envs/demo.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=20,
    params:
        params="{}",
    shell:
        r"""
        OMP_NUM_THREADS={threads} python -P {input.code[0]:q} \
            --text {input.text:q} \
            --biowordvec {output.biowordvec:q} \
            --biow2v {output.biow2v:q} \
            --glove {output.glove:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule make_demo_encoder:
    """A small BERT with a vocabulary from the release's own text, pretrained on it for half a minute."""
    input:
        code=code("demo/make_demo_encoder.py"),
        text="resources/demo/text.tsv",
    output:
        files=expand(
            "resources/demo/encoder/{file}",
            file=[
                "config.json",
                "model.safetensors",
                "tokenizer.json",
                "tokenizer_config.json",
                "vocab.txt",
            ],
        ),
        record="<results>/provenance/demo/make_demo_encoder.json",
    log:
        "<results>/logs/demo/make_demo_encoder.log",
    benchmark:
        "<results>/benchmarks/demo/make_demo_encoder.jsonl"
    conda:
        "../envs/demo.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        params="{}",
    shell:
        r"""
        OMP_NUM_THREADS={threads} python -P {input.code[0]:q} \
            --text {input.text:q} \
            --folder resources/demo/encoder \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

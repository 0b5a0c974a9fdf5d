"""Stage acquire: word vectors, pretrained encoders and spaCy models; a run that starts from a released corpus needs some too."""


rule download_source:
    """Get word vectors or semantic groups, a row of experiments/sources.tsv; a file that is there is checked and kept."""
    input:
        code=ancient(code("acquire/download_source.py")),
        sources=ancient("experiments/sources.tsv"),
    output:
        file=update("resources/{download}"),
    log:
        "<results>/logs/acquire/download_source/{download}.log",
    benchmark:
        "<results>/benchmarks/acquire/download_source/{download}.jsonl"
    wildcard_constraints:
        download=one_of(PLAN.downloads()),
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=720,
    params:
        params=lambda wildcards: canonical_json({"source": PLAN.downloads()[wildcards.download]}),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --file {output.file:q} \
            --sources {input.sources:q} \
            --lock resources/sources.lock \
            --params {params.params:q} &>{log:q}
        """


rule download_encoder:
    """Get a pretrained encoder from the hub, a row of experiments/encoders.tsv; files that are there are checked."""
    input:
        code=ancient(code("acquire/download_encoder.py")),
    output:
        files=update(
            collect("resources/{{encoder_folder}}/{file}", file=[*HUB_FILES, "pytorch_model.bin"])
        ),
    log:
        "<results>/logs/acquire/download_encoder/{encoder_folder}.log",
    benchmark:
        "<results>/benchmarks/acquire/download_encoder/{encoder_folder}.jsonl"
    wildcard_constraints:
        encoder_folder=one_of(PLAN.downloaded_encoders("pytorch_model.bin")),
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=240,
    params:
        params=hub_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --files {output.files:q} \
            --lock resources/sources.lock \
            --params {params.params:q} &>{log:q}
        """


use rule download_encoder as download_encoder_safetensors with:
    output:
        files=update(
            collect("resources/{{encoder_folder}}/{file}", file=[*HUB_FILES, "model.safetensors"])
        ),
    wildcard_constraints:
        encoder_folder=one_of(PLAN.downloaded_encoders("model.safetensors")),


rule download_spacy_model:
    """Get a spaCy model by the published address of its archive and unpack it; one that is there is kept."""
    input:
        code=ancient(code("acquire/download_spacy_model.py")),
    output:
        meta=update("resources/spacy/{spacy_model}/meta.json"),
    log:
        "<results>/logs/acquire/download_spacy_model/{spacy_model}.log",
    benchmark:
        "<results>/benchmarks/acquire/download_spacy_model/{spacy_model}.jsonl"
    wildcard_constraints:
        spacy_model=one_of(PLAN.spacy_downloads()),
    localrule: True
    conda:
        "../envs/acquire.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=240,
    params:
        params=spacy_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --meta {output.meta:q} \
            --lock resources/sources.lock \
            --params {params.params:q} &>{log:q}
        """

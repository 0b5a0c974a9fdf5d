"""BELB at the stage training: encoders of names, the vectors of a knowledge base's names, and the nearest of them.

What they read is written by rules of belb_systems.smk, which also read what they write.
"""


wildcard_constraints:
    belb_trained_on=one_of([PRETRAINED, *BELB_NAMES, *BELB.corpora]),
    belb_encoded=one_of([*BELB_NAMES, *BELB.corpora]),


# save_every and `exec`: see train_run.
rule train_belb_encoder:
    """An encoder of names: as it is published, trained on a knowledge base, or on a corpus; it resumes as train_run does."""
    input:
        code=code("training/train_name_encoder.py"),
        pretrained=belb_pretrained,
        learned_from=belb_learned_from,
    output:
        config="<results>/belb/encoders/{belb_system}/{belb_trained_on}/config.json",
        model="<results>/belb/encoders/{belb_system}/{belb_trained_on}/model.safetensors",
        vocabulary="<results>/belb/encoders/{belb_system}/{belb_trained_on}/vocabulary.json",
        history="<results>/belb/encoders/{belb_system}/{belb_trained_on}/history.jsonl",
        record="<results>/provenance/training/train_belb_encoder/{belb_system}/{belb_trained_on}.json",
    log:
        "<results>/logs/training/train_belb_encoder/{belb_system}/{belb_trained_on}.log",
    benchmark:
        "<results>/benchmarks/training/train_belb_encoder/{belb_system}/{belb_trained_on}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("dense")),
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * (1 + attempt),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
        save_every=max(1, round(60 * PLAN.value("training.save_every_minutes"))),
    params:
        encoder=lambda wildcards, input: os.path.dirname(input.pretrained[0]),
        learned_from=belb_learning_options,
        folder=subpath(output.config, parent=True),
        params=belb_training_settings,
    shell:
        r"""
        exec python -P {input.code[0]:q} \
            --encoder {params.encoder:q} \
            {params.learned_from:q} \
            --save-every {resources.save_every} \
            --folder {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule encode_belb_names:
    """A vector for each name of a knowledge base, by an encoder."""
    input:
        code=code("training/encode_names.py"),
        encoder=belb_encoder,
        names=lambda wildcards: "{}/belb/linking/{}/grouped_names.parquet".format(
            RESULTS, BELB.names_of_dense(wildcards.belb_system, wildcards.belb_encoded)
        ),
    output:
        vectors="<results>/belb/vectors/{belb_system}/{belb_encoded}/vectors.npy",
        rows="<results>/belb/vectors/{belb_system}/{belb_encoded}/rows.npy",
        index="<results>/belb/vectors/{belb_system}/{belb_encoded}/index.json",
        record="<results>/provenance/training/encode_belb_names/{belb_system}/{belb_encoded}.json",
    log:
        "<results>/logs/training/encode_belb_names/{belb_system}/{belb_encoded}.log",
    benchmark:
        "<results>/benchmarks/training/encode_belb_names/{belb_system}/{belb_encoded}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("dense")),
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=memory(8000),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
    params:
        run=lambda wildcards, input: os.path.dirname(input.encoder[0]),
        params=belb_encoding_settings(),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --run {params.run:q} \
            --names {input.names:q} \
            --vectors {output.vectors:q} \
            --rows {output.rows:q} \
            --index {output.index:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule search_belb_names:
    """The names nearest to the distinct texts of spans."""
    input:
        code=code("training/search_names.py"),
        encoder=belb_encoder,
        names=belb_kb_file("grouped_names.parquet"),
        index=belb_vectors("index.json"),
        # index.json has their digests
        vectors=ancient(belb_vectors("vectors.npy")),
        rows=ancient(belb_vectors("rows.npy")),
        texts="<results>/belb/linking/{spans}/{belb_corpus}/texts.parquet",
    output:
        nearest="<results>/belb/linking/{spans}/{belb_corpus}/{belb_system}/nearest.parquet",
        record="<results>/provenance/training/search_belb_names/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/training/search_belb_names/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/training/search_belb_names/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("dense")),
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=memory(8000),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
    params:
        run=lambda wildcards, input: os.path.dirname(input.encoder[0]),
        params=belb_encoding_settings("max_candidates"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --run {params.run:q} \
            --names {input.names:q} \
            --vectors {input.vectors:q} \
            --rows {input.rows:q} \
            --texts {input.texts:q} \
            --nearest {output.nearest:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

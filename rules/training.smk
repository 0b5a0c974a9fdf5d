"""Stage training: each row of experiments/models.tsv is trained on its corpus with each seed.

Reads corpus/{corpus}, word vectors and pretrained encoders; writes training/index (token arrays, private) and
runs/{run}: config.json, model.safetensors, vocabulary.json, history.jsonl.
"""

# check.json is ancient: what is indexed are corpora that were accepted, but an edit of the checker trains nothing again.


rule index_words:
    """Token arrays of a corpus and the vectors of its words, for one embedding."""
    input:
        code=code("training/index_words.py"),
        raw=ancient(raw_digests()),
        splits=collect("<results>/corpus/{{corpus}}/{split}.parquet", split=SPLITS),
        rel2id="<results>/corpus/{corpus}/rel2id.json",
        check=ancient("<results>/corpus/{corpus}/check.json"),
        concepts=type_names,
        embedding=lambda wildcards: PLAN.value(f"embeddings.{wildcards.embedding}.path"),
    output:
        arrays=collect(
            "<results>/training/index/{{corpus}}/words.{{embedding}}{{encoding}}/{split}.{part}.npy",
            split=["train", "valid"],
            part=["tokens", "rows"],
        ),
        vectors="<results>/training/index/{corpus}/words.{embedding}{encoding}/vectors.npy",
        vocabulary="<results>/training/index/{corpus}/words.{embedding}{encoding}/vocabulary.json",
        index="<results>/training/index/{corpus}/words.{embedding}{encoding}/index.json",
        record="<results>/provenance/training/index/{corpus}/words.{embedding}{encoding}.json",
    log:
        "<results>/logs/training/index/{corpus}/words.{embedding}{encoding}.log",
    benchmark:
        "<results>/benchmarks/training/index/{corpus}/words.{embedding}{encoding}.jsonl"
    wildcard_constraints:
        embedding="|".join(map(re.escape, EMBEDDINGS)) or "none",
        encoding=ENCODINGS,
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        folder=subpath(output.index, parent=True),
        concepts=concepts_option,
        params=embedding_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --train {input.splits[0]:q} --valid {input.splits[1]:q} --test {input.splits[2]:q} \
            --rel2id {input.rel2id:q} \
            --embedding {input.embedding:q} {params.concepts:q} \
            --folder {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule index_wordpieces:
    """Token arrays of a corpus with entity markers, for one pretrained encoder."""
    input:
        code=code("training/index_wordpieces.py"),
        raw=ancient(raw_digests()),
        splits=collect("<results>/corpus/{{corpus}}/{split}.parquet", split=["train", "valid"]),
        rel2id="<results>/corpus/{corpus}/rel2id.json",
        check=ancient("<results>/corpus/{corpus}/check.json"),
        concepts=type_names,
        tokenizer=lambda wildcards: encoder_files(wildcards.encoder, "tokenizer"),
    output:
        arrays=collect(
            "<results>/training/index/{{corpus}}/wordpieces.{{encoder}}{{encoding}}/{split}.{part}.npy",
            split=["train", "valid"],
            part=["tokens", "rows"],
        ),
        vocabulary="<results>/training/index/{corpus}/wordpieces.{encoder}{encoding}/vocabulary.json",
        index="<results>/training/index/{corpus}/wordpieces.{encoder}{encoding}/index.json",
        record="<results>/provenance/training/index/{corpus}/wordpieces.{encoder}{encoding}.json",
    log:
        "<results>/logs/training/index/{corpus}/wordpieces.{encoder}{encoding}.log",
    benchmark:
        "<results>/benchmarks/training/index/{corpus}/wordpieces.{encoder}{encoding}.jsonl"
    wildcard_constraints:
        encoder="|".join(map(re.escape, PLAN.encoders)),
        encoding=ENCODINGS,
    conda:
        "../envs/training.yaml"
    threads: 4
    resources:
        mem_mb=memory(8000),
        runtime=120,
    params:
        encoder=lambda wildcards, input: os.path.dirname(input.tokenizer[0]),
        folder=subpath(output.index, parent=True),
        concepts=concepts_option,
        params=wordpiece_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --train {input.splits[0]:q} --valid {input.splits[1]:q} \
            --rel2id {input.rel2id:q} \
            --encoder {params.encoder:q} {params.concepts:q} \
            --threads {threads} \
            --folder {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


# save_every is a resource because resources, unlike params, make no job run again. Attempts are spent on time limits
# more than on memory, so memory grows slowly. `exec`: a shell between Snakemake and Python would die of the SIGTERM of
# a time limit at once, and the job be cleared away while Python still saves.
rule train_run:
    """One model on one corpus with one seed; stopped by SIGTERM it goes on at the next attempt."""
    input:
        code=code("training/train_run.py"),
        raw=ancient(raw_digests()),
        index=index_files,
        rel2id=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/rel2id.json",
        encoder=lambda wildcards: (
            encoder_files(run_of(wildcards)["row"]["pretrained"], "weights")
            if run_of(wildcards)["row"]["encoder"] == "bert"
            else []
        ),
        types=type_files,
    output:
        config="<results>/runs/{run}/config.json",
        model="<results>/runs/{run}/model.safetensors",
        vocabulary="<results>/runs/{run}/vocabulary.json",
        history="<results>/runs/{run}/history.jsonl",
        record="<results>/provenance/training/{run}.json",
    log:
        "<results>/logs/training/{run}.log",
    benchmark:
        "<results>/benchmarks/training/{run}.jsonl"
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * (1 + attempt),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
        save_every=max(1, round(60 * PLAN.value("training.save_every_minutes"))),
    params:
        index=lambda wildcards, input: os.path.dirname(input.index[0]),
        encoder=lambda wildcards, input: [
            word for path in input.encoder[:1] for word in ("--encoder", os.path.dirname(path))
        ],
        types=lambda wildcards, input: [
            word
            for option, path in zip(("--instances", "--concepts"), input.types)
            for word in (option, path)
        ],
        folder=subpath(output.config, parent=True),
        params=run_settings,
    shell:
        r"""
        exec python -P {input.code[0]:q} \
            --index {params.index:q} \
            --rel2id {input.rel2id:q} {params.encoder:q} {params.types:q} \
            --save-every {resources.save_every} \
            --folder {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

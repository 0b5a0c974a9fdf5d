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
        splits=collect("<results>/corpus/{{corpus}}/{split}.parquet", split=SPLITS),
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
            --train {input.splits[0]:q} --valid {input.splits[1]:q} --test {input.splits[2]:q} \
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


rule train_cells:
    """A batch of cells of the grid of Table A.1, each trained and scored on the validation split."""
    input:
        code=code("training/train_cells.py"),
        raw=ancient(raw_digests()),
        index=lambda wildcards: grid_files([wildcards.part]),
        rel2id=f"<results>/corpus/{table_corpus('table_a1')}/rel2id.json",
    output:
        cells="<results>/grid/cells/{part}.json",
        record="<results>/provenance/training/grid/{part}.json",
    log:
        "<results>/logs/training/grid/{part}.log",
    benchmark:
        "<results>/benchmarks/training/grid/{part}.jsonl"
    wildcard_constraints:
        part="|".join(map(re.escape, GRID)) or "none",
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * (1 + attempt),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
        save_every=max(1, round(60 * PLAN.value("training.save_every_minutes"))),
    params:
        index=lambda wildcards: grid_index(wildcards.part),
        state=f"{RESULTS}/grid/cells/.{{part}}",
        params=lambda wildcards: grid_settings(GRID[wildcards.part]),
    shell:
        r"""
        exec python -P {input.code[0]:q} \
            --index {params.index:q} \
            --rel2id {input.rel2id:q} \
            --state {params.state:q} --save-every {resources.save_every} \
            --output {output.cells:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule choose_cells:
    """The best cell of the grid for each encoder, level and pooling, by validation AUC."""
    input:
        code=code("training/choose_cells.py"),
        raw=ancient(raw_digests()),
        cells=collect("<results>/grid/cells/{part}.json", part=GRID),
    output:
        best="<results>/grid/best.tsv",
        record="<results>/provenance/training/choose_cells.json",
    log:
        "<results>/logs/training/choose_cells.log",
    benchmark:
        "<results>/benchmarks/training/choose_cells.jsonl"
    conda:
        "../envs/training.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --cells {input.cells:q} \
            --output {output.best:q} \
            --record {output.record:q} &>{log:q}
        """


rule score_cells:
    """The chosen cells of one encoder and level, trained once more to the same weights, on the test split."""
    input:
        code=code("training/score_cells.py"),
        raw=ancient(raw_digests()),
        best="<results>/grid/best.tsv",
        index=lambda wildcards: grid_files(parts_of_choice(wildcards.choice)),
        rel2id=f"<results>/corpus/{table_corpus('table_a1')}/rel2id.json",
        test=f"<results>/corpus/{table_corpus('table_a1')}/test.parquet",
    output:
        cells="<results>/grid/test/{choice}.json",
        record="<results>/provenance/training/grid/test/{choice}.json",
    log:
        "<results>/logs/training/grid/test/{choice}.log",
    benchmark:
        "<results>/benchmarks/training/grid/test/{choice}.jsonl"
    wildcard_constraints:
        choice="|".join(GRID_CHOICES) or "none",
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * (1 + attempt),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
        save_every=max(1, round(60 * PLAN.value("training.save_every_minutes"))),
    params:
        indexes=lambda wildcards: sorted(
            {grid_index(part) for part in parts_of_choice(wildcards.choice)}
        ),
        state=f"{RESULTS}/grid/test/.{{choice}}",
        params=lambda wildcards: grid_settings(
            training
            for part in parts_of_choice(wildcards.choice)
            for training in GRID[part]
            if training["cell"].startswith(f"{wildcards.choice}_")
        ),
    shell:
        r"""
        exec python -P {input.code[0]:q} \
            --best {input.best:q} \
            --indexes {params.indexes:q} \
            --rel2id {input.rel2id:q} \
            --test {input.test:q} \
            --state {params.state:q} --save-every {resources.save_every} \
            --output {output.cells:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


# Nothing asks for it: name its output to have it.
rule repeat_run:
    """The determinism report of a run: trained once more with its seed, are weights and metrics the same?"""
    input:
        code=code("training/repeat_run.py"),
        raw=ancient(raw_digests()),
        index=index_files,
        rel2id=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/rel2id.json",
        encoder=lambda wildcards: (
            encoder_files(run_of(wildcards)["row"]["pretrained"], "weights")
            if run_of(wildcards)["row"]["encoder"] == "bert"
            else []
        ),
        types=type_files,
        config="<results>/runs/{run}/config.json",
        model="<results>/runs/{run}/model.safetensors",
        vocabulary="<results>/runs/{run}/vocabulary.json",
        history="<results>/runs/{run}/history.jsonl",
    output:
        report="<results>/determinism/{run}.json",
        record="<results>/provenance/training/repeat_run/{run}.json",
    log:
        "<results>/logs/training/repeat_run/{run}.log",
    benchmark:
        "<results>/benchmarks/training/repeat_run/{run}.jsonl"
    conda:
        "../envs/training.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * (1 + attempt),
        runtime=720,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
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
        run=subpath(input.config, parent=True),
        params=run_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --index {params.index:q} \
            --rel2id {input.rel2id:q} {params.encoder:q} {params.types:q} \
            --run {params.run:q} \
            --output {output.report:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

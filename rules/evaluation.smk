"""Stage evaluation: the pairs of validation and test scored by each run.

Reads runs/{run} and corpus/{corpus}; writes evaluation/{run}/{pooling}: metrics, curve and scores.
"""


rule evaluate_sent_run:
    """A model trained on sentences: both poolings from one pass of its encoder."""
    input:
        code=code("evaluation/evaluate_run.py"),
        config="<results>/runs/{run}/config.json",
        model="<results>/runs/{run}/model.safetensors",
        vocabulary="<results>/runs/{run}/vocabulary.json",
        valid=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/valid.parquet",
        test=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/test.parquet",
    output:
        metrics="<results>/evaluation/{run}/avg/metrics.json",
        curve="<results>/evaluation/{run}/avg/curve.parquet",
        scores="<results>/evaluation/{run}/avg/scores.parquet",
        scores_valid="<results>/evaluation/{run}/avg/scores_valid.parquet",
        one_metrics="<results>/evaluation/{run}/one/metrics.json",
        one_curve="<results>/evaluation/{run}/one/curve.parquet",
        one_scores="<results>/evaluation/{run}/one/scores.parquet",
        one_scores_valid="<results>/evaluation/{run}/one/scores_valid.parquet",
        record="<results>/provenance/evaluation/{run}/evaluate_sent_run.json",
    log:
        "<results>/logs/evaluation/{run}/evaluate_sent_run.log",
    benchmark:
        "<results>/benchmarks/evaluation/{run}/evaluate_sent_run.jsonl"
    wildcard_constraints:
        run="|".join(re.escape(run) for run in RUNS if RUNS[run]["row"]["level"] == "sent")
        or "none",
    conda:
        "../envs/evaluation.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=memory(8000),
        runtime=120,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
    params:
        run=subpath(input.config, parent=True),
        folder=subpath(output.metrics, ancestor=2),
        params=settings(
            "evaluation.precision_at",
            "evaluation.fixed_threshold",
            "evaluation.common_triple_sentences",
            "training.device",
            "training.threads",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --run {params.run:q} \
            --valid {input.valid:q} --test {input.test:q} \
            --poolings avg one \
            --output {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule evaluate_bag_run:
    """A model trained on bags, with the pooling it was trained with."""
    input:
        code=code("evaluation/evaluate_run.py"),
        config="<results>/runs/{run}/config.json",
        model="<results>/runs/{run}/model.safetensors",
        vocabulary="<results>/runs/{run}/vocabulary.json",
        valid=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/valid.parquet",
        test=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/test.parquet",
    output:
        metrics="<results>/evaluation/{run}/{pooling}/metrics.json",
        curve="<results>/evaluation/{run}/{pooling}/curve.parquet",
        scores="<results>/evaluation/{run}/{pooling}/scores.parquet",
        scores_valid="<results>/evaluation/{run}/{pooling}/scores_valid.parquet",
        record="<results>/provenance/evaluation/{run}/{pooling}/evaluate_bag_run.json",
    log:
        "<results>/logs/evaluation/{run}/{pooling}/evaluate_bag_run.log",
    benchmark:
        "<results>/benchmarks/evaluation/{run}/{pooling}/evaluate_bag_run.jsonl"
    wildcard_constraints:
        run="|".join(re.escape(run) for run in RUNS if RUNS[run]["row"]["level"] == "bag") or "none",
    conda:
        "../envs/evaluation.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=memory(8000),
        runtime=120,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
    params:
        run=subpath(input.config, parent=True),
        folder=subpath(output.metrics, ancestor=2),
        params=settings(
            "evaluation.precision_at",
            "evaluation.fixed_threshold",
            "evaluation.common_triple_sentences",
            "training.device",
            "training.threads",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --run {params.run:q} \
            --valid {input.valid:q} --test {input.test:q} \
            --poolings {wildcards.pooling:q} \
            --output {params.folder:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule compare_runs:
    """A paired bootstrap over the test pairs: whether two rows of Table 7 differ."""
    input:
        code=code("evaluation/compare_runs.py"),
        raw=ancient(raw_digests()),
        scores=[
            path
            for path in evaluated("table7", "scores.parquet")
            if path.startswith(f"{RESULTS}/evaluation/{table_corpus('table7')}.")
        ],
        instances=f"<results>/corpus/{table_corpus('table7')}/test.parquet",
    output:
        differences="<results>/evaluation/differences.csv",
        record="<results>/provenance/evaluation/compare_runs.json",
    log:
        "<results>/logs/evaluation/compare_runs.log",
    benchmark:
        "<results>/benchmarks/evaluation/compare_runs.jsonl"
    conda:
        "../envs/evaluation.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=240,
    params:
        params=settings("evaluation.bootstrap_resamples", "evaluation.bootstrap_seed"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --scores {input.scores:q} \
            --instances {input.instances:q} \
            --output {output.differences:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule sample_bags:
    """Some pairs of the test split, with what the model makes of each of their sentences."""
    input:
        code=code("evaluation/sample_bags.py"),
        config="<results>/runs/{run}/config.json",
        model="<results>/runs/{run}/model.safetensors",
        vocabulary="<results>/runs/{run}/vocabulary.json",
        test=lambda wildcards: f"{RESULTS}/corpus/{run_of(wildcards)['corpus']}/test.parquet",
    output:
        bags="<results>/evaluation/{run}/{pooling}/bags.parquet",
        record="<results>/provenance/evaluation/{run}/{pooling}/sample_bags.json",
    log:
        "<results>/logs/evaluation/{run}/{pooling}/sample_bags.log",
    benchmark:
        "<results>/benchmarks/evaluation/{run}/{pooling}/sample_bags.jsonl"
    conda:
        "../envs/evaluation.yaml"
    threads: PLAN.value("training.threads")
    resources:
        mem_mb=memory(8000),
        runtime=30,
        gpu=0 if PLAN.value("training.device") == "cpu" else 1,
    params:
        run=subpath(input.config, parent=True),
        params=settings(
            "experiments.bags.pairs",
            "experiments.bags.sentences",
            "experiments.bags.example",
            "training.device",
            "training.threads",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --run {params.run:q} \
            --test {input.test:q} \
            --pooling {wildcards.pooling:q} \
            --output {output.bags:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

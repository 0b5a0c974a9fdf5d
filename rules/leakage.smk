"""Stage leakage: facts of training that come back in validation and test, under whatever name (paper, Table 2).

Reads corpus/{corpus}, ours and those of rules/leakage_prior.smk; writes leakage/{corpus}.json.
"""


rule audit_leakage:
    """Facts and pairs of a corpus that its validation and test share with training, as concepts."""
    input:
        code=code("leakage/audit_leakage.py"),
        raw=ancient(raw_digests()),
        splits=collect("<results>/corpus/{{corpus}}/{split}.parquet", split=SPLITS),
        check=ancient("<results>/corpus/{corpus}/check.json"),
        names=audited_names,
        relations=PLAN.value("kg.relations"),
    output:
        audit="<results>/leakage/{corpus}.json",
        record="<results>/provenance/leakage/{corpus}/audit_leakage.json",
    log:
        "<results>/logs/leakage/{corpus}/audit_leakage.log",
    benchmark:
        "<results>/benchmarks/leakage/{corpus}/audit_leakage.jsonl"
    conda:
        "../envs/leakage.yaml"
    threads: 2
    resources:
        mem_mb=memory(16000),
        runtime=60,
    params:
        benchmark=benchmark_name,
        identifiers=lambda wildcards, input: (
            ["surface", "--names", *input.names] if input.names else ["cui"]
        ),
        params=audit_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --benchmark {params.benchmark:q} \
            --train {input.splits[0]:q} --valid {input.splits[1]:q} --test {input.splits[2]:q} \
            --identifiers {params.identifiers:q} \
            --inverses {input.relations:q} \
            --output {output.audit:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

"""BELB at the stage reporting: the tables of section belb."""


wildcard_constraints:
    belb_table=one_of(BELB_TABLE_NAMES),


rule render_belb_table:
    """A table of BELB: systems on corpora, or counts of corpora."""
    input:
        code=code("reporting/render_belb_table.py"),
        metrics=belb_metrics("gold"),
        found=belb_metrics("found"),
        corpora=collect("resources/belb/corpora/{corpus}/statistics.json", corpus=BELB.corpora),
        groups=collect("<results>/belb/semantic_groups/{corpus}.json", corpus=BELB_WITH_TYPES[:1]),
        registry=belb_corpora.REGISTRY,
        sources="experiments/sources.tsv",
        expected=f"{PLAN.value('experiments.expected')}/{{belb_table}}.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/{belb_table}.rst",
    output:
        csv="<results>/tables/{belb_table}.csv",
        md="<results>/tables/{belb_table}.md",
        tex="<results>/tables/{belb_table}.tex",
        record="<results>/provenance/reporting/render_{belb_table}.json",
    log:
        "<results>/logs/reporting/render_{belb_table}.log",
    benchmark:
        "<results>/benchmarks/reporting/render_{belb_table}.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --table {wildcards.belb_table} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --metrics {input.metrics:q} \
            --found {input.found:q} \
            --corpora {input.corpora:q} \
            --groups {input.groups:q} \
            --registry {input.registry:q} \
            --sources {input.sources:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """

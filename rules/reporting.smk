"""Reporting: metrics, statistics and the paper's numbers in; tables, figures, deviations, comparison and report out."""


rule render_table5:
    """Table 5: triples of the two splits of the knowledge graph."""
    input:
        code=code("reporting/render_table5.py"),
        expected=f"{PLAN.value('experiments.expected')}/table5.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table5.rst",
        graph="<results>/kg/statistics.json",
    output:
        csv="<results>/tables/table5.csv",
        md="<results>/tables/table5.md",
        tex="<results>/tables/table5.tex",
        record="<results>/provenance/reporting/render_table5.json",
    log:
        "<results>/logs/reporting/render_table5.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table5.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --graph {input.graph:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table6:
    """Table 6: summary of the corpus."""
    input:
        code=code("reporting/render_table6.py"),
        expected=f"{PLAN.value('experiments.expected')}/table6.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table6.rst",
        corpus=f"<results>/corpus/{table_corpus('table6')}/statistics.json",
    output:
        csv="<results>/tables/table6.csv",
        md="<results>/tables/table6.md",
        tex="<results>/tables/table6.tex",
        record="<results>/provenance/reporting/render_table6.json",
    log:
        "<results>/logs/reporting/render_table6.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table6.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --corpus {input.corpus:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table7:
    """Table 7: all baselines, mean and sd over seeds."""
    input:
        code=code("reporting/render_table7.py"),
        expected=f"{PLAN.value('experiments.expected')}/table7.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table7.rst",
        metrics=evaluated("table7", "metrics.json"),
        models=PLAN.value("experiments.models"),
    output:
        csv="<results>/tables/table7.csv",
        md="<results>/tables/table7.md",
        tex="<results>/tables/table7.tex",
        record="<results>/provenance/reporting/render_table7.json",
    log:
        "<results>/logs/reporting/render_table7.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table7.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --metrics {input.metrics:q} \
            --models {input.models:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table_a2:
    """Table A.2: mentions pruned for their frequency."""
    input:
        code=code("reporting/render_table_a2.py"),
        expected=f"{PLAN.value('experiments.expected')}/table_a2.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table_a2.rst",
        corpus=f"<results>/corpus/{table_corpus('table_a2')}/statistics.json",
    output:
        csv="<results>/tables/table_a2.csv",
        md="<results>/tables/table_a2.md",
        tex="<results>/tables/table_a2.tex",
        record="<results>/provenance/reporting/render_table_a2.json",
    log:
        "<results>/logs/reporting/render_table_a2.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table_a2.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --corpus {input.corpus:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table_a3:
    """Table A.3: relations and their inverses."""
    input:
        code=code("reporting/render_table_a3.py"),
        expected=f"{PLAN.value('experiments.expected')}/table_a3.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table_a3.rst",
        graph="<results>/kg/statistics.json",
        corpus=f"<results>/corpus/{table_corpus('table_a3')}/statistics.json",
        relations=PLAN.value("kg.relations"),
    output:
        csv="<results>/tables/table_a3.csv",
        md="<results>/tables/table_a3.md",
        tex="<results>/tables/table_a3.tex",
        record="<results>/provenance/reporting/render_table_a3.json",
    log:
        "<results>/logs/reporting/render_table_a3.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table_a3.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --graph {input.graph:q} \
            --corpus {input.corpus:q} \
            --relations {input.relations:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table_a4:
    """Table A.4: semantic types."""
    input:
        code=code("reporting/render_table_a4.py"),
        expected=f"{PLAN.value('experiments.expected')}/table_a4.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table_a4.rst",
        corpus=f"<results>/corpus/{table_corpus('table_a4')}/statistics.json",
    output:
        csv="<results>/tables/table_a4.csv",
        md="<results>/tables/table_a4.md",
        tex="<results>/tables/table_a4.tex",
        record="<results>/provenance/reporting/render_table_a4.json",
    log:
        "<results>/logs/reporting/render_table_a4.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table_a4.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --corpus {input.corpus:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule draw_figure4:
    """Figure 4: precision-recall curves of the BERT baselines."""
    input:
        code=code("reporting/draw_figure4.py"),
        curves=evaluated("table7", "curve.parquet", encoder="bert"),
        models=PLAN.value("experiments.models"),
        table7="<results>/tables/table7.csv",
    output:
        pdf="<results>/figures/figure4.pdf",
        svg="<results>/figures/figure4.svg",
        png="<results>/figures/figure4.png",
        record="<results>/provenance/reporting/draw_figure4.json",
    log:
        "<results>/logs/reporting/draw_figure4.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure4.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --curves {input.curves:q} \
            --models {input.models:q} \
            --table7 {input.table7:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
            --record {output.record:q} &>{log:q}
        """

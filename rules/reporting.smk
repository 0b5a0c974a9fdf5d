"""Reporting: metrics, statistics and the paper's numbers in; tables, figures, deviations, comparison and report out."""


rule render_table1:
    """Table 1: the landscape of benchmarks."""
    input:
        code=code("reporting/render_table1.py"),
        raw=ancient(raw_digests()),
        expected=f"{PLAN.value('experiments.expected')}/table1.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table1.rst",
        properties=f"<results>/corpus/{table_corpus('table1')}/properties.json",
        statistics=f"<results>/corpus/{table_corpus('table1')}/statistics.json",
        audits=collect("<results>/leakage/{corpus}.json", corpus=REBUILT),
    output:
        csv=report("<results>/tables/table1.csv", caption="../report/table1.rst", category="Tables"),
        md="<results>/tables/table1.md",
        tex="<results>/tables/table1.tex",
        record="<results>/provenance/reporting/render_table1.json",
    log:
        "<results>/logs/reporting/render_table1.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table1.jsonl"
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
            --properties {input.properties:q} \
            --statistics {input.statistics:q} \
            --audits {input.audits:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table2:
    """Table 2: train-test leakage by benchmark."""
    input:
        code=code("reporting/render_table2.py"),
        raw=ancient(raw_digests()),
        audits=collect("<results>/leakage/{corpus}.json", corpus=CORPORA + PRIOR_CORPORA),
        expected=f"{PLAN.value('experiments.expected')}/table2.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table2.rst",
    output:
        csv=report("<results>/tables/table2.csv", caption="../report/table2.rst", category="Tables"),
        md="<results>/tables/table2.md",
        tex="<results>/tables/table2.tex",
        record="<results>/provenance/reporting/render_table2.json",
    log:
        "<results>/logs/reporting/render_table2.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table2.jsonl"
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
            --audits {input.audits:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table3:
    """Table 3: models of prior works before and after taking out the overlap of their benchmarks."""
    input:
        code=code("reporting/render_table3.py"),
        raw=ancient(raw_digests()),
        metrics=evaluated("table3", "metrics.json"),
        models=PLAN.value("experiments.models"),
        expected=f"{PLAN.value('experiments.expected')}/table3.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table3.rst",
    output:
        csv=report("<results>/tables/table3.csv", caption="../report/table3.rst", category="Tables"),
        md="<results>/tables/table3.md",
        tex="<results>/tables/table3.tex",
        record="<results>/provenance/reporting/render_table3.json",
    log:
        "<results>/logs/reporting/render_table3.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table3.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        filtered=sorted(CLEANED),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --metrics {input.metrics:q} \
            --models {input.models:q} \
            --filtered {params.filtered:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table4:
    """Table 4: properties of the construction."""
    input:
        code=code("reporting/render_table4.py"),
        expected=f"{PLAN.value('experiments.expected')}/table4.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table4.rst",
        properties=f"<results>/corpus/{table_corpus('table4')}/properties.json",
    output:
        csv=report("<results>/tables/table4.csv", caption="../report/table4.rst", category="Tables"),
        md="<results>/tables/table4.md",
        tex="<results>/tables/table4.tex",
        record="<results>/provenance/reporting/render_table4.json",
    log:
        "<results>/logs/reporting/render_table4.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table4.jsonl"
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
            --properties {input.properties:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table5:
    """Table 5: triples of the two splits of the knowledge graph."""
    input:
        code=code("reporting/render_table5.py"),
        expected=f"{PLAN.value('experiments.expected')}/table5.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table5.rst",
        graph="<results>/kg/statistics.json",
    output:
        csv=report("<results>/tables/table5.csv", caption="../report/table5.rst", category="Tables"),
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
        csv=report("<results>/tables/table6.csv", caption="../report/table6.rst", category="Tables"),
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
        csv=report("<results>/tables/table7.csv", caption="../report/table7.rst", category="Tables"),
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


rule render_table8:
    """Table 8: relations by category, bag poolings."""
    input:
        code=code("reporting/render_table8.py"),
        raw=ancient(raw_digests()),
        metrics=evaluated("table8", "metrics.json"),
        models=PLAN.value("experiments.models"),
        concepts="<results>/kg/concepts.parquet",
        triples="<results>/kg/triples.parquet",
        splits=collect(
            "<results>/kg/{kind}/{split}.tsv",
            kind=table_split("table8"),
            split=SPLITS,
        ),
        expected=f"{PLAN.value('experiments.expected')}/table8.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table8.rst",
    output:
        csv=report("<results>/tables/table8.csv", caption="../report/table8.rst", category="Tables"),
        md="<results>/tables/table8.md",
        tex="<results>/tables/table8.tex",
        record="<results>/provenance/reporting/render_table8.json",
    log:
        "<results>/logs/reporting/render_table8.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table8.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=10,
    params:
        params=settings("experiments.relation_categories"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --metrics {input.metrics:q} \
            --models {input.models:q} \
            --concepts {input.concepts:q} \
            --triples {input.triples:q} \
            --splits {input.splits:q} \
            --params {params.params:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table9:
    """Table 9: sentence-level metrics on common and rare triples."""
    input:
        code=code("reporting/render_table9.py"),
        metrics=evaluated("table9", "metrics.json", strategy="avg"),
        models=PLAN.value("experiments.models"),
        expected=f"{PLAN.value('experiments.expected')}/table9.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table9.rst",
    output:
        csv=report("<results>/tables/table9.csv", caption="../report/table9.rst", category="Tables"),
        md="<results>/tables/table9.md",
        tex="<results>/tables/table9.tex",
        record="<results>/provenance/reporting/render_table9.json",
    log:
        "<results>/logs/reporting/render_table9.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table9.jsonl"
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


rule render_table10:
    """Table 10: the inductive and the transductive corpus."""
    input:
        code=code("reporting/render_table10.py"),
        raw=ancient(raw_digests()),
        metrics=evaluated("table10", "metrics.json", strategy="avg"),
        expected=f"{PLAN.value('experiments.expected')}/table10.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table10.rst",
    output:
        csv=report(
            "<results>/tables/table10.csv", caption="../report/table10.rst", category="Tables"
        ),
        md="<results>/tables/table10.md",
        tex="<results>/tables/table10.tex",
        record="<results>/provenance/reporting/render_table10.json",
    log:
        "<results>/logs/reporting/render_table10.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table10.jsonl"
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
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table11:
    """Table 11: pretrained encoders; one that cannot be had says why."""
    input:
        code=code("reporting/render_table11.py"),
        expected=f"{PLAN.value('experiments.expected')}/table11.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table11.rst",
        metrics=evaluated("table11", "metrics.json", strategy="avg"),
        models=PLAN.value("experiments.models"),
    output:
        csv=report(
            "<results>/tables/table11.csv", caption="../report/table11.rst", category="Tables"
        ),
        md="<results>/tables/table11.md",
        tex="<results>/tables/table11.tex",
        record="<results>/provenance/reporting/render_table11.json",
    log:
        "<results>/logs/reporting/render_table11.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table11.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        params=encoder_states,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            --metrics {input.metrics:q} \
            --models {input.models:q} \
            --params {params.params:q} \
            --csv {output.csv:q} \
            --md {output.md:q} \
            --tex {output.tex:q} \
            --record {output.record:q} &>{log:q}
        """


rule render_table_a1:
    """Table A.1: the best cells of the grid."""
    input:
        code=code("reporting/render_table_a1.py"),
        raw=ancient(raw_digests()),
        expected=f"{PLAN.value('experiments.expected')}/table_a1.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table_a1.rst",
        best=["<results>/grid/best.tsv"] if GRID else [],
        scores=collect("<results>/grid/test/{choice}.json", choice=GRID_CHOICES),
    output:
        csv=report(
            "<results>/tables/table_a1.csv", caption="../report/table_a1.rst", category="Tables"
        ),
        md="<results>/tables/table_a1.md",
        tex="<results>/tables/table_a1.tex",
        record="<results>/provenance/reporting/render_table_a1.json",
    log:
        "<results>/logs/reporting/render_table_a1.log",
    benchmark:
        "<results>/benchmarks/reporting/render_table_a1.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        best=lambda wildcards, input: [word for path in input.best for word in ("--best", path)],
    shell:
        r"""
        python -P {input.code[0]:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --caption {input.caption:q} \
            {params.best:q} --scores {input.scores:q} \
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
        csv=report(
            "<results>/tables/table_a2.csv", caption="../report/table_a2.rst", category="Tables"
        ),
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
        raw=ancient(raw_digests()),
        expected=f"{PLAN.value('experiments.expected')}/table_a3.tsv",
        schema="schemas/expected.schema.yaml",
        caption="report/table_a3.rst",
        graph="<results>/kg/statistics.json",
        corpus=f"<results>/corpus/{table_corpus('table_a3')}/statistics.json",
        relations=PLAN.value("kg.relations"),
    output:
        csv=report(
            "<results>/tables/table_a3.csv", caption="../report/table_a3.rst", category="Tables"
        ),
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
        csv=report(
            "<results>/tables/table_a4.csv", caption="../report/table_a4.rst", category="Tables"
        ),
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


rule draw_figure1:
    """Figure 1: an example bag with a model's marks."""
    input:
        code=code("reporting/draw_figure1.py"),
        bags=bag_files(),
        concepts=[] if PLAN.starts_at_corpus else "<results>/kg/concepts.parquet",
        models=PLAN.value("experiments.models"),
    output:
        pdf="<results>/figures/figure1.pdf",
        svg=report(
            "<results>/figures/figure1.svg", caption="../report/figure1.rst", category="Figures"
        ),
        png="<results>/figures/figure1.png",
        record="<results>/provenance/reporting/draw_figure1.json",
    log:
        "<results>/logs/reporting/draw_figure1.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure1.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        params=settings("experiments.bags.example"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --bags {input.bags:q} \
            --concepts {input.concepts:q} \
            --models {input.models:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule draw_figure2:
    """Figure 2: semantic groups and types of the release."""
    input:
        code=code("reporting/draw_figure2.py"),
        digests=ancient(rrf_digests("MRSTY", "SemGroups")),
        concepts="<results>/kg/concepts.parquet",
        mrsty=[] if PLAN.starts_at_corpus else ancient(rrf("MRSTY")),
        semgroups=[] if PLAN.starts_at_corpus else ancient(rrf("SemGroups")),
    output:
        pdf="<results>/figures/figure2.pdf",
        svg=report(
            "<results>/figures/figure2.svg", caption="../report/figure2.rst", category="Figures"
        ),
        png="<results>/figures/figure2.png",
        record="<results>/provenance/reporting/draw_figure2.json",
    log:
        "<results>/logs/reporting/draw_figure2.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure2.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        digests=contents(*rrf_digests("MRSTY", "SemGroups")),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --concepts {input.concepts:q} \
            --mrsty {input.mrsty:q} \
            --semgroups {input.semgroups:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
            --record {output.record:q} &>{log:q}
        """


rule draw_figure3:
    """Figure 3: entities per semantic type and instances per relation."""
    input:
        code=code("reporting/draw_figure3.py"),
        corpus=f"<results>/corpus/{table_corpus('table6')}/statistics.json",
    output:
        pdf="<results>/figures/figure3.pdf",
        svg=report(
            "<results>/figures/figure3.svg", caption="../report/figure3.rst", category="Figures"
        ),
        png="<results>/figures/figure3.png",
        record="<results>/provenance/reporting/draw_figure3.json",
    log:
        "<results>/logs/reporting/draw_figure3.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure3.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {input.corpus:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
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
        svg=report(
            "<results>/figures/figure4.svg", caption="../report/figure4.rst", category="Figures"
        ),
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


rule draw_figure5:
    """Figure 5: precision-recall curves of the input encodings."""
    input:
        code=code("reporting/draw_figure5.py"),
        curves=evaluated("figure5", "curve.parquet", "avg"),
        metrics=evaluated("figure5", "metrics.json", "avg"),
        models=PLAN.value("experiments.models"),
    output:
        pdf="<results>/figures/figure5.pdf",
        svg=report(
            "<results>/figures/figure5.svg", caption="../report/figure5.rst", category="Figures"
        ),
        png="<results>/figures/figure5.png",
        record="<results>/provenance/reporting/draw_figure5.json",
    log:
        "<results>/logs/reporting/draw_figure5.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure5.jsonl"
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
            --metrics {input.metrics:q} \
            --models {input.models:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
            --record {output.record:q} &>{log:q}
        """


rule draw_figure_a1:
    """Figure A.1: share of the entities per semantic group."""
    input:
        code=code("reporting/draw_figure_a1.py"),
        corpus=f"<results>/corpus/{table_corpus('table6')}/statistics.json",
    output:
        pdf="<results>/figures/figure_a1.pdf",
        svg=report(
            "<results>/figures/figure_a1.svg",
            caption="../report/figure_a1.rst",
            category="Figures",
        ),
        png="<results>/figures/figure_a1.png",
        record="<results>/provenance/reporting/draw_figure_a1.json",
    log:
        "<results>/logs/reporting/draw_figure_a1.log",
    benchmark:
        "<results>/benchmarks/reporting/draw_figure_a1.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {input.corpus:q} \
            --pdf {output.pdf:q} \
            --svg {output.svg:q} \
            --png {output.png:q} \
            --record {output.record:q} &>{log:q}
        """


rule write_deviations:
    """Every construction switch: both sides, the one in force, its effect on the statistics."""
    input:
        code=code("reporting/write_deviations.py"),
        raw=ancient(raw_digests()),
        text="<results>/text/statistics.json",
        graph="<results>/kg/statistics.json",
        corpora=collect("<results>/corpus/{corpus}/statistics.json", corpus=CORPORA),
    output:
        page="<results>/deviations.md",
        record="<results>/provenance/reporting/write_deviations.json",
    log:
        "<results>/logs/reporting/write_deviations.log",
    benchmark:
        "<results>/benchmarks/reporting/write_deviations.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        params=settings(
            "construction.preset",
            "construction.stream_tails",
            "construction.inline_markup",
            "construction.other_abstracts",
            "construction.one_type_per_cui",
            "construction.ro_per_row",
            "construction.csv_quotes",
            "construction.repeated_rel",
            "construction.lost_train_labels",
            "construction.lost_entity",
            "construction.role_flip",
            "construction.relation_redraw",
            "construction.bag_pruning",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --text {input.text:q} \
            --graph {input.graph:q} \
            --corpora {input.corpora:q} \
            --params {params.params:q} \
            --out {output.page:q} \
            --record {output.record:q} &>{log:q}
        """


rule measure_effect:
    """The statistics with one switch on its other side, from a run in a copy of this one (on demand: target effects)."""
    input:
        code=code("reporting/measure_effect.py"),
        text="<results>/text/statistics.json",
        graph="<results>/kg/statistics.json",
        corpora=collect("<results>/corpus/{corpus}/statistics.json", corpus=CORPORA),
    output:
        effect="<results>/effects/{switch}.json",
        record="<results>/provenance/reporting/measure_effect.{switch}.json",
    log:
        "<results>/logs/reporting/measure_effect.{switch}.log",
    localrule: True
    # it starts Snakemake, so it has the Python and the cores of this one
    handover: True
    params:
        params=whole_configuration,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --results "$(dirname "$(dirname {input.text:q})")" \
            --switch {wildcards.switch:q} \
            --cores {threads} \
            --output {output.effect:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule write_effects:
    """What each construction switch does to the statistics, measured switch by switch (on demand: target effects)."""
    input:
        code=code("reporting/write_effects.py"),
        text="<results>/text/statistics.json",
        graph="<results>/kg/statistics.json",
        corpora=collect("<results>/corpus/{corpus}/statistics.json", corpus=CORPORA),
        effects=collect("<results>/effects/{switch}.json", switch=SWITCHES),
    output:
        page="<results>/effects.md",
        record="<results>/provenance/reporting/write_effects.json",
    log:
        "<results>/logs/reporting/write_effects.log",
    benchmark:
        "<results>/benchmarks/reporting/write_effects.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        corpus=table_corpus("table6"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --text {input.text:q} \
            --graph {input.graph:q} \
            --corpora {input.corpora:q} \
            --corpus {params.corpus:q} \
            --effects {input.effects:q} \
            --out {output.page:q} \
            --record {output.record:q} &>{log:q}
        """


rule verify_against_paper:
    """Every printed cell of the paper beside ours; judged only where inputs are the paper's."""
    input:
        code=code("reporting/verify_against_paper.py"),
        raw=ancient(raw_digests()),
        tables=collect("<results>/tables/{table}.csv", table=TABLE_NAMES),
        expected=collect(
            "{folder}/{table}.tsv", folder=PLAN.value("experiments.expected"), table=TABLE_NAMES
        ),
        schema="schemas/expected.schema.yaml",
        relations=PLAN.value("kg.relations"),
        models=PLAN.value("experiments.models"),
        paper_models="experiments/paper/models.tsv",
        paper_relations="experiments/paper/relations.tsv",
        figure5=evaluated("figure5", "metrics.json", strategy="avg"),
        # its values decide (params), not its comments and the order of its keys
        paper=ancient("config.yaml"),
    output:
        json="<results>/verify.json",
        md="<results>/verify.md",
        record="<results>/provenance/reporting/verify_against_paper.json",
    log:
        "<results>/logs/reporting/verify_against_paper.log",
    benchmark:
        "<results>/benchmarks/reporting/verify_against_paper.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        corpus=table_corpus("table7"),
        own_corpora=own_corpora,
        paper_rows=subpath(input.paper_models, parent=True),
        paper=paper_settings,
        params=settings(
            "name",
            "umls",
            "medline",
            "text",
            "linking",
            "kg",
            "corpus",
            "corpora",
            "training",
            "evaluation",
            "experiments",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --tables {input.tables:q} \
            --expected {input.expected:q} \
            --schema {input.schema:q} \
            --relations {input.relations:q} \
            --paper {input.paper:q} \
            --corpus {params.corpus:q} --own-corpora {params.own_corpora:q} \
            --models {input.models:q} --paper-rows {params.paper_rows:q} \
            --figure5 {input.figure5:q} \
            --params {params.params:q} \
            --json {output.json:q} \
            --md {output.md:q} \
            --record {output.record:q} &>{log:q}
        """


rule write_report:
    """One self-contained page: tables, figures, funnels, verdicts, deviations, provenance."""
    input:
        code=code("reporting/write_report.py"),
        raw=ancient(raw_digests()),
        tables=collect("<results>/tables/{table}.csv", table=TABLE_NAMES + BELB_TABLE_NAMES),
        figures=collect("<results>/figures/{figure}.svg", figure=FIGURE_NAMES),
        configs=collect("<results>/runs/{run}/config.json", run=RUNS),
        curves=evaluated("table7", "curve.parquet"),
        models=PLAN.value("experiments.models"),
        bags=bag_files(),
        differences="<results>/evaluation/differences.csv",
        graph_funnel="<results>/kg/funnel.csv",
        corpus_funnels=collect("<results>/corpus/{corpus}/funnel.csv", corpus=CORPORA),
        text="<results>/text/statistics.json",
        verification="<results>/verify.json",
        captions=collect(
            "report/{name}.rst",
            name=["workflow", *FIGURE_NAMES, *TABLE_NAMES, *BELB_TABLE_NAMES],
        ),
        records=[
            "<results>/provenance/kg/build_kg.json",
            *collect("<results>/provenance/corpus/{corpus}/build_corpus.json", corpus=CORPORA),
            *collect("<results>/provenance/training/{run}.json", run=RUNS),
            *collect("<results>/provenance/reporting/draw_{figure}.json", figure=FIGURE_NAMES),
        ],
    output:
        page="<results>/report.html",
        record="<results>/provenance/reporting/write_report.json",
    log:
        "<results>/logs/reporting/write_report.log",
    benchmark:
        "<results>/benchmarks/reporting/write_report.jsonl"
    conda:
        "../envs/reporting.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        options=lambda wildcards: NotKept(PLAN.options),
        params=settings(
            "name",
            "seeds",
            "umls",
            "medline",
            "text",
            "linking",
            "kg",
            "corpus",
            "corpora",
            "embeddings",
            "encoders",
            "training",
            "evaluation",
            "experiments",
            "construction.preset",
            "construction.stream_tails",
            "construction.inline_markup",
            "construction.other_abstracts",
            "construction.one_type_per_cui",
            "construction.ro_per_row",
            "construction.csv_quotes",
            "construction.repeated_rel",
            "construction.lost_train_labels",
            "construction.lost_entity",
            "construction.role_flip",
            "construction.relation_redraw",
            "construction.bag_pruning",
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --tables {input.tables:q} \
            --figures {input.figures:q} \
            --configs {input.configs:q} \
            --curves {input.curves:q} \
            --models {input.models:q} \
            --bags {input.bags:q} \
            --differences {input.differences:q} \
            --graph-funnel {input.graph_funnel:q} \
            --corpus-funnels {input.corpus_funnels:q} \
            --text {input.text:q} \
            --verification {input.verification:q} \
            --captions {input.captions:q} \
            --records {input.records:q} \
            --snakemake-options={params.options:q} \
            --params {params.params:q} \
            --out {output.page:q} \
            --record {output.record:q} &>{log:q}
        """

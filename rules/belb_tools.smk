"""Stage belb: tools of others that a user has installed (config belb.tools), none by default.

experiments/belb_tools.tsv says of some how they are installed and called.
"""


wildcard_constraints:
    belb_tool=one_of(BELB.tools),
    tool_file=one_of(TOOL_FILES.values()),


rule export_belb_corpus:
    """A corpus as a tool reads it."""
    input:
        code=code("belb/export_belb_corpus.py"),
        corpus=belb_corpus_tables,
    output:
        exported="<results>/belb/linking/tools/{belb_corpus}/input.{tool_file}",
        record="<results>/provenance/belb/export_belb_corpus/{belb_corpus}.{tool_file}.json",
    log:
        "<results>/logs/belb/export_belb_corpus/{belb_corpus}.{tool_file}.log",
    benchmark:
        "<results>/benchmarks/belb/export_belb_corpus/{belb_corpus}.{tool_file}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        format=lambda wildcards: {file: name for name, file in TOOL_FILES.items()}[
            wildcards.tool_file
        ],
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --format {params.format} \
            --exported {output.exported:q} \
            --record {output.record:q} &>{log:q}
        """


rule run_belb_tool:
    """What a tool makes of a corpus, by the command of its user."""
    input:
        code=code("belb/run_belb_tool.py"),
        exported="<results>/belb/linking/tools/{belb_corpus}/input.{tool_file}",
        corpus=belb_corpus_tables,
        kb=belb_corpus_kb,
    output:
        written="<results>/belb/linking/tools/{belb_corpus}/{belb_tool}/output.{tool_file}",
        record="<results>/provenance/belb/run_belb_tool/{belb_corpus}/{belb_tool}.{tool_file}.json",
    log:
        "<results>/logs/belb/run_belb_tool/{belb_corpus}/{belb_tool}.{tool_file}.log",
    benchmark:
        "<results>/benchmarks/belb/run_belb_tool/{belb_corpus}/{belb_tool}.{tool_file}.jsonl"
    conda:
        "../envs/belb_tools.yaml"
    threads: lambda wildcards: BELB.tools[wildcards.belb_tool]["threads"]
    resources:
        mem_mb=lambda wildcards: BELB.tools[wildcards.belb_tool]["mem_mb"],
        runtime=2880,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        kb=lambda wildcards, input: [os.path.dirname(input.kb[0])] if input.kb else [],
        # the table says what to do where a tool is missing: its words decide no output
        tools=f"{workflow.basedir}/experiments/belb_tools.tsv",
        params=lambda wildcards: canonical_json(
            {
                "tool": wildcards.belb_tool,
                "command": BELB.tools[wildcards.belb_tool]["command"],
            }
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --input {input.exported:q} \
            --corpus {params.folder:q} \
            --kb {params.kb:q} \
            --tools {params.tools:q} \
            --temporary {resources.tmpdir:q} \
            --output {output.written:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule read_belb_tool:
    """What a tool says about the gold mentions of a corpus."""
    input:
        code=code("belb/read_belb_tool.py"),
        registry=belb_corpora.REGISTRY,
        corpus=belb_corpus_tables,
        written=belb_tool_output,
        kb=belb_corpus_kb,
    output:
        predictions="<results>/belb/gold/{belb_corpus}/{belb_tool}.jsonl.gz",
        report="<results>/belb/gold/{belb_corpus}/{belb_tool}.tool.json",
        record="<results>/provenance/belb/read_belb_tool/{belb_corpus}/{belb_tool}.json",
    log:
        "<results>/logs/belb/read_belb_tool/{belb_corpus}/{belb_tool}.log",
    benchmark:
        "<results>/benchmarks/belb/read_belb_tool/{belb_corpus}/{belb_tool}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        kb=lambda wildcards, input: [os.path.dirname(input.kb[0])] if input.kb else [],
        params=belb_tool_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --written {input.written:q} \
            --registry {input.registry:q} \
            --corpus {params.folder:q} \
            --kb {params.kb:q} \
            --predictions {output.predictions:q} \
            --report {output.report:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

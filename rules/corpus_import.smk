"""Stage corpus where a run starts from released corpora (start_from: corpus): instead of acquire, text, linking, kg.

Reads the folder that corpora.<id>.import names; writes corpus/{corpus}/ and what is not at hand (import.json).
"""


rule import_corpus:
    """A released corpus, from its OpenNRE files or the hub's Parquet, checked row by row."""
    input:
        code=code("corpus/import_corpus.py"),
        files=imported_files,
    output:
        instances=collect(
            "<results>/corpus/{{corpus}}/{split}.{ending}",
            split=SPLITS,
            ending=["jsonl", "parquet"],
        ),
        relations="<results>/corpus/{corpus}/rel2id.json",
        statistics="<results>/corpus/{corpus}/statistics.json",
        check="<results>/corpus/{corpus}/check.json",
        imported="<results>/corpus/{corpus}/import.json",
        record="<results>/provenance/corpus/{corpus}/import_corpus.json",
    log:
        "<results>/logs/corpus/{corpus}/import_corpus.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/import_corpus.jsonl"
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=60,
    params:
        params=corpus_settings(
            "split",
            "min_surface_chars",
            "alias_filter",
            "type_constraint",
            "role_constraint",
            "mention_overlap_filter",
            "max_mention_freq",
            "min_relation_freq",
            "max_bag_size",
            "strict_inductive",
            "inductive_negatives",
            "multi_label",
            switches=("role_flip", "bag_pruning"),
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --files {input.files:q} \
            --output "$(dirname {output.relations:q})" \
            --threads {threads} --memory-mb {resources.mem_mb} --tmp {resources.tmpdir:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


onstart:
    print(
        "start_from: corpus. Not at hand without the release: Tables 1, 3, 4, 5, 8, A.2, A.3, A.4, Figures 2, 3, A.1, "
        "deviations.md, report.html; in Table 6 the semantic types, in Figure 5 the encodings CT and OT. "
        "corpus/<id>/import.json says why.",
        file=sys.stderr,
    )

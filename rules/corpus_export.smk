"""Stage corpus, towards others: a corpus as it was released, with card, metadata and checksums; an archive of it.

Reads corpus/{corpus}; writes export/{corpus}/ and export/{corpus}.tar.gz. Targets export and bundle.
"""


rule export_corpus:
    """The released OpenNRE files, Parquet with a dataset card, Croissant metadata and checksums."""
    input:
        code=code("corpus/export_corpus.py"),
        raw=ancient(raw_digests()),
        instances=collect(
            "<results>/corpus/{{corpus}}/{split}.{ending}",
            split=SPLITS,
            ending=["jsonl", "parquet"],
        ),
        relations="<results>/corpus/{corpus}/rel2id.json",
        check="<results>/corpus/{corpus}/check.json",
    # the OpenNRE files carry the id of the corpus in their names, which only the script can give: SHA256SUMS, written
    # last, stands for them
    output:
        parquet=collect(
            "<results>/export/{{corpus}}/data/{part}.parquet", part=["train", "validation", "test"]
        ),
        described=collect(
            "<results>/export/{{corpus}}/{file}",
            file=["README.md", "terms.json", "croissant.json"],
        ),
        sums="<results>/export/{corpus}/SHA256SUMS",
        record="<results>/provenance/corpus/{corpus}/export_corpus.json",
    log:
        "<results>/logs/corpus/{corpus}/export_corpus.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/export_corpus.jsonl"
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        params=export_settings,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {wildcards.corpus:q} \
            --folder "$(dirname {input.relations:q})" \
            --relations {input.relations:q} \
            --check {input.check:q} \
            --output "$(dirname {output.sums:q})" \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """


rule bundle_corpus:
    """One archive of an export; refused for what is derived from the UMLS, unless export.may_redistribute says you may."""
    input:
        code=code("corpus/bundle_corpus.py"),
        sums="<results>/export/{corpus}/SHA256SUMS",
    output:
        archive="<results>/export/{corpus}.tar.gz",
        record="<results>/provenance/corpus/{corpus}/bundle_corpus.json",
    log:
        "<results>/logs/corpus/{corpus}/bundle_corpus.log",
    benchmark:
        "<results>/benchmarks/corpus/{corpus}/bundle_corpus.jsonl"
    conda:
        "../envs/corpus.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=60,
    params:
        params=settings("export.may_redistribute"),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --sums {input.sums:q} \
            --output {output.archive:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

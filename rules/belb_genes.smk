"""Stage belb: what tells genes with one name apart, the species of a mention and names that say which gene is meant.

Its steps stand before a system (disambiguated names) or after any (species filter).
"""


rule disambiguate_names:
    """The names of a knowledge base, each of one entity alone."""
    input:
        code=code("belb/disambiguate_names.py"),
        words=belb_words,
        tables=lambda wildcards: [
            f"resources/belb/kbs/{wildcards.belb_kb}/{table}.parquet"
            for table in ("names", "foreign")
        ],
    output:
        names="<results>/belb/linking/{belb_kb}.disambiguated/names.parquet",
        record="<results>/provenance/belb/disambiguate_names/{belb_kb}.json",
    log:
        "<results>/logs/belb/disambiguate_names/{belb_kb}.log",
    benchmark:
        "<results>/benchmarks/belb/disambiguate_names/{belb_kb}.jsonl"
    wildcard_constraints:
        belb_kb=one_of(BELB.kbs),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(8000),
        runtime=240,
    shell:
        r"""
        python -P {input.code[0]:q} \
            --names {input.tables[0]:q} \
            --words {input.words:q} \
            --disambiguated {output.names:q} \
            --threads {threads} --memory-mb {resources.mem_mb} --temporary {resources.tmpdir:q} \
            --record {output.record:q} &>{log:q}
        """


rule find_species:
    """The species that the documents of a corpus mention."""
    input:
        code=code("belb/find_species.py"),
        corpus=belb_corpus_tables,
        words=belb_words,
        taxonomy=belb_taxonomy,
    output:
        species="<results>/belb/linking/species/{belb_corpus}.parquet",
        record="<results>/provenance/belb/find_species/{belb_corpus}.json",
    log:
        "<results>/logs/belb/find_species/{belb_corpus}.log",
    benchmark:
        "<results>/benchmarks/belb/find_species/{belb_corpus}.jsonl"
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --words {input.words:q} \
            --taxonomy {input.taxonomy:q} \
            --species {output.species:q} \
            --record {output.record:q} &>{log:q}
        """


rule filter_by_species:
    """A system's predictions without the entities of other species than that of their mention."""
    input:
        code=code("belb/filter_by_species.py"),
        corpus=belb_corpus_tables,
        species="<results>/belb/linking/species/{belb_corpus}.parquet",
        words=belb_words,
        predictions=belb_filtered,
        kb=belb_species_of,
    output:
        predictions="<results>/belb/{spans}/{belb_corpus}/{belb_system}.jsonl.gz",
        assigned="<results>/belb/{spans}/{belb_corpus}/{belb_system}.species.tsv",
        record="<results>/provenance/belb/filter_by_species/{spans}/{belb_corpus}/{belb_system}.json",
    log:
        "<results>/logs/belb/filter_by_species/{spans}/{belb_corpus}/{belb_system}.log",
    benchmark:
        "<results>/benchmarks/belb/filter_by_species/{spans}/{belb_corpus}/{belb_system}.jsonl"
    wildcard_constraints:
        belb_system=one_of(BELB.by_engine("species_filter")),
    conda:
        "../envs/belb.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        folder=lambda wildcards, input: os.path.dirname(input.corpus[0]),
        params=lambda wildcards: canonical_json(
            {"system": wildcards.belb_system, "default": BELB.species["default"]}
        ),
    shell:
        r"""
        python -P {input.code[0]:q} \
            --corpus {params.folder:q} \
            --predictions {input.predictions:q} \
            --species {input.species:q} \
            --words {input.words:q} \
            --names {input.kb[0]:q} \
            --filtered {output.predictions:q} \
            --assigned {output.assigned:q} \
            --params {params.params:q} \
            --record {output.record:q} &>{log:q}
        """

"""Functions of the rules for BELB; no rule stands here."""


def belb_corpus_files(wildcards):
    """The released files of a corpus of BELB, and the tables that its configuration names."""
    return PLAN.belb_corpus_files(wildcards.belb_corpus)


def belb_corpus_kb(wildcards):
    """What the build of a corpus reads of its knowledge base; nothing where it has none."""
    kb = PLAN.belb_corpus(wildcards.belb_corpus)["kb"]
    tables = ("names", "history", "alternatives") if kb else ()
    return [f"resources/belb/kbs/{kb}/{table}.parquet" for table in tables]


def belb_corpus_options(wildcards, input):
    """Options of the build of a corpus that name files."""
    values = PLAN.belb_corpus(wildcards.belb_corpus)
    named = {
        f"--{name.replace('_', '-')}": values[name] for name in ("splits", "not_in_kb", "foreign")
    }
    named["--kb"] = os.path.dirname(input.kb[0]) if input.kb else None
    return [word for option, value in named.items() if value for word in (option, value)]


def belb_corpus_settings(wildcards):
    """Params of the build of a corpus: the steps of its pipeline."""
    values = PLAN.belb_corpus(wildcards.belb_corpus)
    return canonical_json({step: values[step] for step in belb_corpora.STEPS})


def belb_kb_files(wildcards):
    """The released files of a knowledge base of BELB."""
    return PLAN.belb_kb_files(wildcards.belb_kb)


def belb_foreign(wildcards):
    """The built knowledge base that the foreign identifiers of another one belong to: its names and its history."""
    foreign = PLAN.belb_foreign(wildcards.belb_kb)
    tables = ("names", "history") if foreign else ()
    return [f"resources/belb/kbs/{foreign}/{table}.parquet" for table in tables]


def belb_kb_settings(wildcards):
    """Params of the build of a knowledge base: how its files are read."""
    settings = PLAN.belb_kb(wildcards.belb_kb)
    own = {
        name: value
        for name, value in settings.items()
        if name not in ("folder", "foreign", "database")
    }
    return canonical_json({"kb": wildcards.belb_kb} | own)


def belb_corpus_tables(wildcards):
    """The tables of a corpus."""
    folder = f"resources/belb/corpora/{wildcards.belb_corpus}"
    return [f"{folder}/documents.parquet", f"{folder}/mentions.parquet"]


def belb_names_file(names):
    """names.parquet of a knowledge base as released, or disambiguated (`BelbPlan.names_of`)."""
    released = names in BELB.kbs
    folder = f"resources/belb/kbs/{names}" if released else f"{RESULTS}/belb/linking/{names}"
    return f"{folder}/names.parquet"


def belb_kb_names(wildcards):
    """The names of the wildcard's knowledge base."""
    return belb_names_file(wildcards.belb_kb)


def belb_names(wildcards):
    """The names of the knowledge base of a corpus, as the wildcard's system sees them."""
    return belb_names_file(BELB.names_of(wildcards.belb_corpus, wildcards.belb_system))


def belb_words(wildcards):
    """The table of words for species; none without."""
    return BELB.species["words"] or []


def belb_taxonomy(wildcards):
    """The names of the NCBI Taxonomy that species are looked up in; none without."""
    return belb_names_file(BELB.species["kb"]) if BELB.species["kb"] else []


def belb_filtered(wildcards):
    """The predictions that the wildcard's system, a species filter, takes."""
    system = BELB.systems[wildcards.belb_system]["of"]
    return f"{RESULTS}/belb/{wildcards.spans}/{wildcards.belb_corpus}/{system}.jsonl.gz"


def belb_species_of(wildcards):
    """What says the species of an entity of a corpus' knowledge base."""
    kb = BELB.kb_of(wildcards.belb_corpus)
    return [f"resources/belb/kbs/{kb}/{table}.parquet" for table in ("names", "other_foreign")]


def belb_preferred_names(wildcards):
    """The names of the knowledge base, for an engine that prefers equal names; none for others."""
    ours = wildcards.belb_system in BELB.by_engine("linking")
    prefers = ours and BELB.linking_settings(wildcards.belb_system)["mode"] == "prefer_literal"
    return belb_names(wildcards) if prefers else []


def belb_header(wildcards):
    """Params of the header of a predictions file of a system that runs here."""
    header = {"corpus": wildcards.belb_corpus, "kb": BELB.kb_of(wildcards.belb_corpus)}
    return header | {"system": wildcards.belb_system}


def belb_found(*names):
    """An input function: files of the detected mentions where spans are found; none where they are given."""
    return lambda wildcards: [
        f"{RESULTS}/belb/linking/found/{wildcards.belb_corpus}/{name}.parquet"
        for name in names
        if wildcards.spans == "found"
    ]


def belb_prediction(wildcards):
    """The entry of belb.predictions of a system and a corpus."""
    return BELB.predictions[wildcards.belb_system, wildcards.belb_corpus]


def belb_reference(wildcards):
    """The predictions of the system that restricts the filtered figures of a corpus; none without."""
    system = BELB.reference_of(wildcards.belb_corpus)
    return [f"{RESULTS}/belb/gold/{wildcards.belb_corpus}/{system}.jsonl.gz"] if system else []


def belb_kb_file(name):
    """An input function: a file that was made of the names that the wildcard's system, or a detector, sees."""
    return lambda wildcards: "{}/belb/linking/{}/{}".format(
        RESULTS, BELB.names_of(wildcards.belb_corpus, wildcards.get("belb_system")), name
    )


def belb_linking(*names):
    """A params function: settings of the wildcard's system."""
    return lambda wildcards: canonical_json(
        {name: BELB.linking_settings(wildcards.belb_system)[name] for name in names}
    )


def belb_encoder_row(wildcards):
    """The row of the pretrained encoder of the wildcard's system."""
    return PLAN.encoders[BELB.systems[wildcards.belb_system]["encoder"]]


def belb_pretrained(wildcards):
    """The files of the pretrained encoder of the wildcard's system, those of its tokenizer first."""
    encoder = belb_encoder_row(wildcards)["encoder"]
    return [*PLAN.encoder_files(encoder, "tokenizer"), *PLAN.encoder_files(encoder, "weights")]


def belb_learned_from(wildcards):
    """What the encoder of the wildcard's system is trained on: `names`, `mentions`, or nothing."""
    system, about = wildcards.belb_system, wildcards.belb_trained_on
    training = BELB.dense_settings(system)["training"]
    names = f"{RESULTS}/belb/linking/{BELB.names_of_dense(system, about)}/grouped_names.parquet"
    mentions = f"{RESULTS}/belb/linking/gold/{about}/labelled.parquet"
    return {"none": [], "synonyms": [names], "corpus": [names, mentions]}[training]


def belb_learning_options(wildcards, input):
    """Options of the training of an encoder that name `belb_learned_from`."""
    pairs = zip(("--names", "--mentions"), input.learned_from)
    return [word for pair in pairs for word in pair]


def belb_training_settings(wildcards):
    """Params of the training of an encoder of names: those of its system, and section training."""
    allowed = belb_encoder_row(wildcards)["allow_unused_weights"] == "yes"
    names = ("threads", "device", "precision", "tokens_per_batch")
    return canonical_json(
        BELB.dense_settings(wildcards.belb_system)
        | {name: PLAN.value(f"training.{name}") for name in names}
        | ({"allow_unused_weights": True} if allowed else {})
    )


def belb_encoder(wildcards):
    """The run folder's files of the encoder whose vectors are wanted, or that links the wildcard's corpus."""
    system = wildcards.belb_system
    corpus = wildcards.get("belb_corpus")
    if corpus is not None:
        about = BELB.trained_on(system, corpus)
    else:
        about = BELB.encoder_of(system, wildcards.belb_encoded)
    folder = f"{RESULTS}/belb/encoders/{system}/{about}"
    return [f"{folder}/{name}" for name in ("config.json", "model.safetensors", "vocabulary.json")]


def belb_vectors(name):
    """An input function: a file of the vectors of the names among which the wildcard's corpus is linked."""
    return lambda wildcards: "{}/belb/vectors/{}/{}/{}".format(
        RESULTS,
        wildcards.belb_system,
        BELB.encoded_for(wildcards.belb_system, wildcards.belb_corpus),
        name,
    )


def belb_encoding_settings(*own):
    """A params function: what vectors depend on beside the encoder, and settings of the wildcard's system."""
    training = ("threads", "device", "tokens_per_batch")
    values = {name: PLAN.value(f"training.{name}") for name in training}
    return lambda wildcards: canonical_json(
        values | {name: BELB.linking_settings(wildcards.belb_system)[name] for name in own}
    )


def belb_metrics(kind):
    """The metrics of all systems on gold mentions, or on found ones."""
    return [
        f"{RESULTS}/belb/{spans}/{corpus}/{system}.json"
        for spans, corpus, system in BELB.measures()
        if spans == kind
    ]


def belb_tool_output(wildcards):
    """What the wildcard's tool wrote about a corpus."""
    name = TOOL_FILES[BELB.tools[wildcards.belb_tool]["format"]]
    folder = f"{RESULTS}/belb/linking/tools/{wildcards.belb_corpus}/{wildcards.belb_tool}"
    return f"{folder}/output.{name}"


def belb_tool_settings(wildcards):
    """Params of the reading of a tool's output."""
    tool, values = BELB.tools[wildcards.belb_tool], PLAN.belb_corpus(wildcards.belb_corpus)
    header = {"system": wildcards.belb_tool, "kb": BELB.kb_of(wildcards.belb_corpus) or ""}
    row = {"corpus": [values["format"], values["release"]]}
    return canonical_json(header | row | {name: tool[name] for name in ("format", "types")})

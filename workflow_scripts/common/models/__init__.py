"""Models of distantly supervised relation extraction, shared by training and evaluation.

What evaluation calls (module `scoring`):

    bundle = load_run(folder, device="cpu", threads=1)
        `folder`: a run folder (config.json, model.safetensors, vocabulary.json). Nothing else is read.
        `bundle.relations`: names of all relations by id, NA included; `bundle.na_id`; `bundle.config`: config.json.

    pairs, scores, relations = score_split(bundle, instances_parquet_path, pooling)
        `pairs`: list of (head, tail), sorted by code point; P of them.
        `scores`: float32 array (P, R - 1), every sentence of a pair used; columns in the order of `relations`.
        `relations`: names of the R - 1 relations other than NA, by relation id.
        `pooling`: "avg" | "one" | "att" ("att" only for a model trained with it, else UsageError).
        Independent of the order of the file, of batch size and of chunking to 1e-6.

    logits, attention = sentence_logits(bundle, sentences)
        The same one level below: one row per sentence, before pooling.

Modules: `tokenization` (text -> token ids), `arrays` (flat token arrays, padded batches), `encoders` (CNN, PCNN,
BiGRU), `convolution` (maxima of a convolution), `bert`, `classifier` (encoder + relation layer), `pooling` (AVG, ONE,
ATT), `inference` (sentences to logits), `run_folder` (what a run consists of), `scoring`.
"""

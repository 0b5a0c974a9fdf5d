"""Stage belb: the entity-linking benchmark BELB, its knowledge bases, corpora, protocol and systems."""

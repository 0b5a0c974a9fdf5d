"""Linking: sentences and the names of a UMLS release to mentions with concepts, scores and offsets."""

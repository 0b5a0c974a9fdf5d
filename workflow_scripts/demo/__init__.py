"""The embedded release: an invented UMLS release and MEDLINE baseline, word vectors and a small encoder."""

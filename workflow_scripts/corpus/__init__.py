"""Alignment of text and knowledge graph, negatives, filters: the benchmark, its statistics, its checker."""

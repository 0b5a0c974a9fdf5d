"""From RRF tables to a knowledge graph of facts and its splits (paper, sections 3 and A)."""

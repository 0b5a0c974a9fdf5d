"""Stage belb: the entity-linking benchmark BELB, of knowledge bases, corpora and what linkers make of them.

Reads released knowledge bases and corpora; writes resources/belb/ (both, for all runs) and <results>/belb/.
"""


wildcard_constraints:
    belb_kb=one_of(BELB.kbs),
    belb_corpus=one_of(BELB.corpora),

"""English function words: names of concepts that are one of these are no names (prior works, Table 2)."""

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can cannot could did do does doing done down during each either else ever few for from further had has have
    having he her here hers herself him himself his how i if in into is it its itself just may me might more most must
    my myself neither no nor not now of off on once one only or other others ought our ours ourselves out over own per
    same shall she should since so some still such than that the their theirs them themselves then there these they this
    those though through thus to too under until up upon us very via was we were what when where whether which while who
    whom whose why will with within without would yet you your yours yourself yourselves
    """.split()
)

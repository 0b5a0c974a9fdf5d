"""What a corpus promises, each promise as a query for its violations. Shares no code with what builds a corpus."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Promise:
    """One promise.

    Attributes
    ----------
    name, text : str
        A key, and the promise in words.
    query : str
        SQL over the tables of `check_corpus.open_tables`; every row is a violation.
    active : bool
        False where a switch takes the promise back.
    switch : str
        Which one, empty where the promise always holds.
    """

    name: str
    text: str
    query: str
    active: bool = True
    switch: str = ""


def promises(settings):
    """The promises of a corpus built with `settings` (check_corpus.Params)."""
    return [
        *_pair_promises(settings),
        *_fact_promises(),
        *_instance_promises(settings),
        *_negative_promises(settings),
        *_split_promises(settings),
    ]


_ALONE = """
    pairs_in_one_split pairs_not_inverted one_relation_per_pair one_pair_per_sentence names_at_offsets
    names_long_enough positives_inductive positives_strictly_inductive na_inductive names_in_one_split
    relations_everywhere bags_not_too_large
""".split()


def alone(settings):
    """The promises that can be checked from the instances alone."""
    return [promise for promise in promises(settings) if promise.name in _ALONE]


def _pair_promises(settings):
    # with several relations the instances of a sentence differ in nothing else
    columns = "DISTINCT * EXCLUDE (line, relation, rui)" if settings.multi_label else "*"
    instance = f"SELECT {columns} FROM instances"
    return [
        Promise(
            "pairs_in_one_split",
            "no pair of concepts is in two splits",
            """SELECT head, tail, string_agg(DISTINCT split, ' ' ORDER BY split) AS splits
               FROM instances GROUP BY head, tail HAVING count(DISTINCT split) > 1""",
        ),
        Promise(
            "pairs_not_inverted",
            "no pair is in another split the other way round, and no positive pair is anywhere the other way round",
            """SELECT a.split, a.head, a.tail, a.relation, b.split AS other_split, b.relation AS other_relation
               FROM pairs a JOIN pairs b ON a.head = b.tail AND a.tail = b.head
               WHERE a.split <> b.split OR a.relation <> 'NA'""",
        ),
        Promise(
            "one_relation_per_pair",
            "all instances of a pair have one relation",
            """SELECT head, tail, string_agg(DISTINCT relation, ' ' ORDER BY relation) AS relations
               FROM instances GROUP BY head, tail HAVING count(DISTINCT relation) > 1""",
            not settings.multi_label,
            "corpus.multi_label",
        ),
        Promise(
            "every_relation_of_a_pair",
            "a sentence has one instance for each relation of its pair",
            """SELECT split, sentence_id, relation, count(*) AS times FROM instances
               GROUP BY ALL HAVING count(*) > 1
               UNION ALL
               SELECT i.split, i.sentence_id, f.relation, 0
               FROM (SELECT DISTINCT split, sentence_id, head, tail FROM instances WHERE relation <> 'NA') i
               JOIN facts f USING (split, head, tail)
               WHERE f.relation IN (SELECT relation FROM instances) AND NOT EXISTS (SELECT 1 FROM instances j
                 WHERE j.sentence_id = i.sentence_id AND j.relation = f.relation)""",
            settings.multi_label,
            "corpus.multi_label",
        ),
        Promise(
            "one_pair_per_sentence",
            "a sentence is used for one pair" + ("" if settings.multi_label else ", once"),
            f"""SELECT 'sentence_id' AS what, sentence_id AS value, count(*) AS times
                FROM ({instance}) GROUP BY sentence_id HAVING count(*) > 1
                UNION ALL
                SELECT 'text', text, count(*) FROM ({instance}) GROUP BY text HAVING count(*) > 1""",
        ),
    ]


def _fact_promises():
    return [
        Promise(
            "positives_are_facts",
            "each positive is a fact of its own split",
            """SELECT i.split, i.line, i.head, i.relation, i.tail FROM instances i
               WHERE i.relation <> 'NA' AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.split = i.split
                 AND f.head = i.head AND f.relation = i.relation AND f.tail = i.tail)""",
        ),
        Promise(
            "facts_of_one_split",
            "no positive pair is related in another split or the other way round",
            """SELECT DISTINCT p.split, p.head, p.tail, f.split AS other_split, f.head AS fact_head, f.relation
               FROM pairs p JOIN facts f ON f.head = p.head AND f.tail = p.tail AND f.split <> p.split
               WHERE p.relation <> 'NA'
               UNION ALL
               SELECT DISTINCT p.split, p.head, p.tail, f.split, f.head, f.relation
               FROM pairs p JOIN facts f ON f.head = p.tail AND f.tail = p.head
               WHERE p.relation <> 'NA'""",
        ),
        Promise(
            "na_is_no_fact",
            "no NA pair is a fact of any split, in either direction",
            """SELECT DISTINCT p.split, p.head, p.tail, f.split AS fact_split, f.relation
               FROM pairs p JOIN facts f ON f.head = p.head AND f.tail = p.tail WHERE p.relation = 'NA'
               UNION ALL
               SELECT DISTINCT p.split, p.head, p.tail, f.split, f.relation
               FROM pairs p JOIN facts f ON f.head = p.tail AND f.tail = p.head WHERE p.relation = 'NA'""",
        ),
    ]


def _instance_promises(settings):
    return [
        Promise(
            "names_at_offsets",
            "text[pos] is the name, for head and tail",
            """SELECT split, line, role, name, start, "end" FROM mentions
               WHERE start < 0 OR "end" <= start OR substring(text, start + 1, "end" - start) IS DISTINCT FROM name""",
        ),
        Promise(
            "names_long_enough",
            f"names have at least {settings.min_surface_chars} characters",
            f"SELECT split, line, role, name FROM mentions WHERE length(name) < {settings.min_surface_chars}",
        ),
        Promise(
            "concepts_known",
            "head and tail are two typed concepts of the knowledge graph",
            """SELECT split, line, role, cui FROM mentions WHERE cui NOT IN (SELECT cui FROM concepts)
               UNION ALL SELECT split, line, 'both', head FROM instances WHERE head = tail""",
        ),
        Promise(
            "names_are_aliases",
            "both names, lower-cased, are names of their concepts",
            """SELECT m.split, m.line, m.role, m.cui, m.name FROM mentions m JOIN lowered l USING (name)
               WHERE NOT EXISTS (SELECT 1 FROM alias_names a WHERE a.cui = m.cui AND a.lower_name = l.lower_name)""",
            settings.alias_filter,
            "corpus.alias_filter",
        ),
        Promise(
            "mentions_not_too_frequent",
            f"no name occurs more than {settings.max_mention_freq} times in one semantic type of a split",
            f"""SELECT m.split, c.sty, l.lower_name, count(*) AS times
                FROM mentions m JOIN lowered l USING (name) JOIN concepts c USING (cui)
                GROUP BY ALL HAVING count(*) > {settings.max_mention_freq}""",
        ),
        Promise(
            "rows_behind_positives",
            "a positive names its MRREL row, an NA instance none",
            "SELECT split, line, head, relation, tail, rui FROM instances WHERE (relation = 'NA') <> (rui IS NULL)",
        ),
    ]


def _negative_promises(settings):
    fits = "EXISTS (SELECT 1 FROM type_pairs t WHERE t.head_type = {0}.sty AND t.tail_type = {1}.sty)"
    turned = settings.role_constraint and settings.role_flip == "published"
    typed = f"({fits.format('h', 't')} OR {fits.format('t', 'h')})" if turned else fits.format("h", "t")
    return [
        Promise(
            "na_types",
            "an NA pair has the semantic types of a fact" + (", in either order" if turned else ""),
            f"""SELECT p.split, p.head, p.tail, h.sty AS head_type, t.sty AS tail_type
                FROM pairs p JOIN concepts h ON h.cui = p.head JOIN concepts t ON t.cui = p.tail
                WHERE p.relation = 'NA' AND NOT {typed}""",
            settings.type_constraint,
            "corpus.type_constraint; construction.role_flip: published allows the other order",
        ),
        Promise(
            "na_roles",
            "the head of an NA pair is the head of a fact, the tail the tail of one",
            """SELECT p.split, p.head, p.tail FROM pairs p WHERE p.relation = 'NA'
               AND NOT (EXISTS (SELECT 1 FROM facts f WHERE f.head = p.head)
                 AND EXISTS (SELECT 1 FROM facts f WHERE f.tail = p.tail))""",
            settings.role_constraint,
            "corpus.role_constraint",
        ),
    ]


def _not_new(equals, both):
    """Pairs of valid and test, NA (=) or positive (<>), whose concepts stand in positives of the splits before."""
    query = """SELECT p.split, p.head, p.relation, p.tail FROM pairs p
               WHERE p.split = '{0}' AND p.relation {2} 'NA'
               AND (p.head IN (SELECT cui FROM positive_entities WHERE split IN ({1}))
                 {3} p.tail IN (SELECT cui FROM positive_entities WHERE split IN ({1})))"""
    parts = (("valid", "'train'"), ("test", "'train', 'valid'"))
    return " UNION ALL ".join(query.format(*part, equals, both) for part in parts)


def _split_promises(settings):
    inductive = settings.split == "inductive"
    limit = settings.max_bag_size
    return [
        Promise(
            "positives_inductive",
            "each valid positive has a concept absent from train positives, each test positive one absent from both",
            _not_new("<>", "AND"),
            inductive,
            "corpora.<id>.split: inductive",
        ),
        Promise(
            "positives_strictly_inductive",
            "no concept of a valid positive is in train positives, none of a test positive in those of either",
            _not_new("<>", "OR"),
            settings.strict_inductive,
            "corpus.strict_inductive",
        ),
        Promise(
            "na_inductive",
            "NA pairs of valid and test are as new to the positives of the splits before them as their facts are",
            _not_new("=", "OR" if settings.strict_inductive else "AND"),
            settings.inductive_negatives,
            "corpus.inductive_negatives",
        ),
        Promise(
            "names_in_one_split",
            "no pair of names, in either order, is in two splits",
            """SELECT a.split, b.split AS other_split, a.head_name, a.tail_name FROM name_pairs a JOIN name_pairs b
               ON a.head_name = b.head_name AND a.tail_name = b.tail_name AND a.split < b.split
               UNION
               SELECT a.split, b.split, a.head_name, a.tail_name FROM name_pairs a JOIN name_pairs b
               ON a.head_name = b.tail_name AND a.tail_name = b.head_name AND a.split < b.split""",
            settings.mention_overlap_filter,
            "corpus.mention_overlap_filter",
        ),
        Promise(
            "relations_everywhere",
            f"each relation, NA among them, has at least {settings.min_relation_freq} instances in each split",
            f"""SELECT relation, split, count(i.line) AS times
                FROM (SELECT DISTINCT relation FROM instances)
                CROSS JOIN (SELECT unnest(['train', 'valid', 'test']) AS split)
                LEFT JOIN instances i USING (relation, split)
                GROUP BY relation, split HAVING count(i.line) < {settings.min_relation_freq}""",
        ),
        Promise(
            "bags_not_too_large",
            f"no training bag has more than {limit} sentences",
            f"""SELECT head, tail, count(DISTINCT sentence_id) AS times FROM instances WHERE split = 'train'
                GROUP BY ALL HAVING count(DISTINCT sentence_id) > {limit or 0}""",
            settings.bag_pruning == "mended" and limit is not None,
            "construction.bag_pruning: mended with corpus.max_bag_size",
        ),
    ]

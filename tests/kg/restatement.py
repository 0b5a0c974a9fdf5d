"""The description of the filters and the splits, restated literally and slowly: what the fast code must equal."""

import collections
import random

import numpy as np

from workflow_scripts.common.keyed_random import key64, key64_array, uniform


def csv_names(pairs):
    """(cui, name) rows through a reader that knows quotes: a character at a time. A missing name is None."""
    text = "".join(f"{cui}\t{name}\n" for cui, name in pairs)
    records, record, field, state = [], [], "", "start"
    for char in text:
        if state == "quoted":
            if char == '"':
                state = "closing"
            else:
                field += char
        elif char in "\t\n":
            record.append(field)
            field, state = "", "start"
            if char == "\n":
                records.append(record)
                record = []
        elif char == '"' and state == "start":
            state = "quoted"
        elif char == '"' and state == "closing":
            field, state = field + '"', "quoted"
        else:
            field, state = field + char, "plain"
    if state in ("quoted", "closing"):
        records.append([*record, field])
    missing = {"", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "-NaN", "-nan", "<NA>", "#N/A", "#NA", "#N/A N/A"}
    return {record[0]: None if record[1] in missing else record[1] for record in records}


def active_names(conso_rows, settings):
    """Name by active concept."""
    found = collections.defaultdict(list)
    pairs = []
    for cui, _, ts, _, stt, _, ispref, _, _, _, _, sab, tty, _, name, _, suppress, _ in conso_rows:
        if stt == "PF" and sab == settings["vocabulary"] and tty == "PT" and suppress == "N":
            found[cui].append((ts != "P", ispref != "Y", name))
            pairs.append((cui, name))
    if settings["csv_quotes"] == "published":
        return csv_names(pairs)
    return {cui: min(names)[2] for cui, names in found.items()}


def types(sty_rows, semgroups, settings):
    """The kept types of each concept, in file order."""
    rows = [row for row in semgroups if row[0] in settings["groups"] and row[3] not in settings["excluded_types"]]
    kept = {row[2] for row in rows}
    found = collections.defaultdict(list)
    for cui, tui, *_ in sty_rows:
        if tui in kept:
            found[cui].append(tui)
    return found


def concepts(conso_rows, sty_rows, semgroups, settings):
    """(cui, name, tui, number of kept types), sorted."""
    names, kept = active_names(conso_rows, settings), types(sty_rows, semgroups, settings)
    choose = (lambda tuis: tuis[-1]) if settings["one_type_per_cui"] == "published" else min
    return sorted(
        (cui, name or "", choose(kept[cui]), len(set(kept[cui]))) for cui, name in names.items() if cui in kept
    )


def triples(conso_rows, rel_rows, sty_rows, semgroups, relations, settings):
    """The rows of the graph in MRREL order, as (head, relation, tail)."""
    seen, table = set(), []
    for tail, _, _, rel, head, _, _, rela, _, _, sab, _, _, _, suppress, _ in rel_rows:
        row = (head, rel, tail, rela)
        if sab == settings["vocabulary"] and suppress == "N" and row not in seen:
            seen.add(row)
            table.append(row)
    active, typed = active_names(conso_rows, settings), types(sty_rows, semgroups, settings)
    table = [row for row in table if row[0] in active and row[2] in active]
    classes = {row[3]: row[1] for row in table}
    table = [row for row in table if row[0] in typed and row[2] in typed]
    once = settings["repeated_rel"] == "mended"
    counted = {(head, rela, tail) for head, _, tail, rela in table} if once else [(h, r, t) for h, _, t, r in table]
    counts = collections.Counter(relation for _, relation, _ in counted)
    table = [row for row in table if counts[row[3]] > settings["min_relation_triples"]]
    table = [row for row in table if row[3] in relations]
    if settings["ro_per_row"] == "published":
        table = [row for row in table if classes[row[3]] == settings["relation_class"]]
    else:
        table = [row for row in table if row[1] == settings["relation_class"]]
    written = [(head, rela, tail) for head, _, tail, rela in table]
    return list(dict.fromkeys(written)) if once else written


def transductive(lines, draws, shares, lost_train_labels):
    """Train, valid, test (lists of triples) and the rows lost by label."""
    bounds = np.cumsum(np.array([shares["train"], shares["valid"], shares["test"]], dtype=np.float32))
    drawn = [[], [], []]
    for line, draw in zip(lines, draws, strict=True):
        drawn[0 if draw <= bounds[0] else 1 if draw <= bounds[1] else 2].append(line)
    known = {entity for head, _, tail in drawn[0] for entity in (head, tail)}
    labelled = [list(enumerate(part)) for part in drawn]
    train = labelled[0]
    stay = [train, [], []]
    for number in (1, 2):
        for label, (head, relation, tail) in labelled[number]:
            target = number if head in known and tail in known else 0
            stay[target].append((label, (head, relation, tail)))
    lost = []
    for first, second in ((0, 2), (0, 1), (1, 2)):
        others = {frozenset((head, tail)) for _, (head, _, tail) in stay[second]}
        shared = [(label, row) for label, row in stay[first] if frozenset((row[0], row[2])) in others]
        if lost_train_labels == "published" and first == 0:
            labels = {label for label, _ in shared}
            gone = [entry for entry in stay[0] if entry[0] in labels]
            lost += [row for label, row in gone if frozenset((row[0], row[2])) not in others]
            stay[0] = [entry for entry in stay[0] if entry[0] not in labels]
        else:
            stay[first] = [(label, row) for label, row in stay[first] if frozenset((row[0], row[2])) not in others]
    return [[row for _, row in part] for part in stay], lost


def keyed(lines, seed):
    """The draws of the mended transductive split."""
    return [uniform("transductive", seed, *line) for line in lines]


def may_leave(entity, lines, min_edges_left):
    """Whether an entity may be taken out of a graph given as a list of triples."""

    def neighbours(node):
        return {tail if head == node else head for head, _, tail in lines if node in (head, tail)}

    if any(len(neighbours(other)) <= 2 for other in neighbours(entity)):
        return False
    left = collections.Counter(relation for _, relation, _ in lines)
    for head, relation, tail in lines:
        if entity in (head, tail):
            if left[relation] < min_edges_left:
                return False
            left[relation] -= 1
    return True


def inductive(lines, n_drop, n_test, n_valid, min_edges_left, draw, attempts):
    """Train, valid, test and lost triples; `draw()` gives the next entity, `draw.remove(entity)` takes it off the list.

    None if `attempts` draws in a row are refused.
    """
    lines, parts = list(lines), [[], [], [], []]
    for dropped in range(n_drop):
        for _ in range(attempts):
            entity = draw()
            if may_leave(entity, lines, min_edges_left):
                break
        else:
            return None
        draw.remove(entity)
        part = 2 if dropped < n_test else 1 if dropped < n_test + n_valid else 3
        parts[part] += [line for line in lines if entity in (line[0], line[2])]
        lines = [line for line in lines if entity not in (line[0], line[2])]
    parts[0] = lines
    return parts


class PublishedDraws:
    """`random.choice` from the list of remaining entities in order of first appearance."""

    def __init__(self, lines, seed):
        self.left = list(dict.fromkeys(entity for head, _, tail in lines for entity in (head, tail)))
        self.random = random.Random(seed)

    def __call__(self):
        return self.random.choice(self.left)

    def remove(self, entity):
        self.left.remove(entity)


class KeyedDraws:
    """The k-th draw is hash(seed, k) modulo the length of the list, which starts sorted; the last one fills a gap."""

    def __init__(self, lines, seed):
        self.left = sorted({entity for head, _, tail in lines for entity in (head, tail)})
        self.key, self.drawn = key64("inductive", seed), 0

    def __call__(self):
        number = int(key64_array(self.key, np.array([self.drawn]))[0])
        self.drawn += 1
        return self.left[number % len(self.left)]

    def remove(self, entity):
        place = self.left.index(entity)
        last = self.left.pop()
        if place < len(self.left):
            self.left[place] = last

"""The definitions of this stage said again, slowly and literally: what the fast code must equal."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer


def literal_form(text):
    """Lower case; white space only where it stands between two letters or digits, and then one blank."""
    words, result = text.split(), ""
    for word in words:
        if result and result[-1].isalnum() and word[0].isalnum():
            result += " "
        result += word
    return "".join(character.lower() for character in result)


def dictionary_spans(text, names, min_chars):
    """Walk from the left; take the longest bounded name that starts at each place, and go on after it."""
    forms = {form for name in names if len(form := literal_form(name)) >= min_chars}
    spans, start = [], 0
    while start < len(text):
        for end in range(len(text), start, -1):
            outside = text[:start][-1:] + text[end:][:1]
            inside = text[start:end]
            if inside == inside.strip() and literal_form(inside) in forms and not any(map(str.isalnum, outside)):
                spans.append((start, end))
                start = end
                break
        else:
            start += 1
    return spans


def linked(surfaces, rows, *, min_df, threshold, no_definition_threshold, k, max_candidates, literal_first=False):
    """Candidates of each surface by comparing it with every name.

    `rows` are (cui, name, defined) in any order.
    """
    concepts = {}
    for cui, name, _ in rows:
        concepts.setdefault(name, set()).add(cui)
    names = sorted(concepts, key=lambda name: (min(concepts[name]), name))
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=min_df, dtype=np.float32)
    vectors = vectorizer.fit_transform(names).toarray().astype(np.float64)
    queries = vectorizer.transform(surfaces).toarray().astype(np.float64)
    defined = {cui for cui, _, has in rows if has}
    result = []
    for surface, query in zip(surfaces, queries, strict=True):
        scores = [round(min(float(np.dot(query, vector)), 1.0), 5) for vector in vectors]
        nearest = sorted(range(len(names)), key=lambda i: (-scores[i], i))[:k]
        best = {}
        for i in nearest:
            for cui in concepts[names[i]]:
                best[cui] = max(best.get(cui, 0.0), scores[i])
        good = {
            cui: score
            for cui, score in best.items()
            if score > threshold and (cui in defined or score >= no_definition_threshold)
        }
        if literal_first:
            same = sorted({cui for cui, name, _ in rows if literal_form(name) == literal_form(surface)})
            others = sorted((cui for cui in good if cui not in same), key=lambda cui: (-good[cui], cui))[
                :max_candidates
            ]
            result.append([(cui, 1.0) for cui in same] + [(cui, good[cui]) for cui in others])
        else:
            result.append([(cui, good[cui]) for cui in sorted(good, key=lambda cui: (-good[cui], cui))])
        del result[-1][max_candidates:]
    return result

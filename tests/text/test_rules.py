"""The rule engine: tokens and sentence ends on sentences of the kind that abstracts have."""

import random
import time

import pytest

from workflow_scripts.text import rule_tokens
from workflow_scripts.text.rule_sentences import split

pytestmark = pytest.mark.timeout(120)


def sentences(text):
    """Sentences as tokens joined by one space."""
    ((words, _, ends),) = split([text])
    begins = [0, *ends[:-1]]
    return [" ".join(words[begin:end]) for begin, end in zip(begins, ends, strict=False)] if ends else []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Beta-blockers (e.g. atenolol), 5 mg/kg i.v.", "Beta-blockers ( e.g. atenolol ) , 5 mg/kg i.v."),
        ("p<0.05, n=12 and 1,000 (95%CI: 1.2-3.4)", "p < 0.05 , n = 12 and 1,000 ( 95 % CI : 1.2-3.4 )"),
        ("Ca(2+) and 1,25(OH)2D3.", "Ca(2+) and 1,25(OH)2D3 ."),
        ("(S)-warfarin, [3H]thymidine, (+)-catechin", "(S)-warfarin , [3H]thymidine , (+)-catechin"),
        ("Na+/K+-ATPase; CD4+ cells", "Na+/K+-ATPase ; CD4+ cells"),
        ("Alzheimer's disease, 5'-AMP", "Alzheimer's disease , 5'-AMP"),
        ("N,N-dimethyl and this,that", "N,N-dimethyl and this , that"),
        ("(see (Fig. 2))", "( see ( Fig. 2 ) )"),
        ("10\u201320 \u00b5g; 37\u00b0C \u2265 5\u00d710", "10\u201320 \u00b5g ; 37 \u00b0 C \u2265 5 \u00d7 10"),
        ("e\u0301tude \U0001d6fc-catenin", "e\u0301tude \U0001d6fc-catenin"),
        ("see www.ClinicalTrials.gov, NCT1", "see www.ClinicalTrials.gov , NCT1"),
        ("what... no", "what ... no"),
        ('"quoted" \u201cthus\u201d', '" quoted " \u201c thus \u201d'),
        ("a_b __c", "a_b _ _ c"),
        ("", ""),
        ("   ", ""),
        ("\u00a0a\u2009b\n", "a b"),
    ],
)
def test_tokens(text, tokens):
    assert sentences(text) == ([tokens] if tokens else [])


@pytest.mark.parametrize(
    "parts",
    [
        ["It works.", "It does."],
        ["Is it so?", "No!", "Good."],
        ["The dose was 0.5 mg.", "Two died."],
        ["We saw E. coli vs. S. aureus in 3 of 5 (60 %) cases.", "No. 5 was lost."],
        ["Drugs (e.g. aspirin, i.e. Acetylsalicylic acid) help."],
        ["As in Fig. 3 and Smith et al. (2003) we saw it.", "The end."],
        ["It was shown by Smith et al.", "The second was not."],
        ["It was given i.v.", "Patients slept."],
        ["It was given i.v. twice."],
        ["They were made by Robert J. Smith in J. R. Tolkien's house.", "We agree."],
        ["They lack vitamin E.", "Rats were fed."],
        ["Of Group A.", "Response was good."],
        ["Cells died (P < 0.05).", "mRNA rose.", "p53 fell.", "miR-21 too."],
        ["We looked. then left."],
        ["1. Rats were fed.", "2. They grew.", "A. Mice too."],
        ["(Rats were fed; cats slept.)", "Then we stopped."],
        ["He said \u201cno.\u201d", "She left."],
        ["We used it (Sigma Chem. Co., St. Louis, MO).", "It helped."],
        ["It rose from 1.5 to 2.5.", "5 of 7 were lost.", ">90% were found.", "(A) is left."],
        ["All are here, no"],
        ["Costs rose in the U.S. market."],
        ["An open (bracket.", "The next one.", "Another."],
        ["\u4e2d\u6587\u3002", "\u6587\u5b57\u3002"],
        ["See www.a.org.", "Bye."],
        ["It was known.1,2", "Now it is not."],
        ["It is so...", "Or is it?"],
        ["pH 7.4 is ca. 5 units of approx. 7."],
    ],
)
def test_ends(parts):
    expected = [" ".join(sentences(part)) for part in parts]
    assert sentences(" ".join(parts)) == expected


def test_missing_blank():
    assert sentences("We saw 12 patients.Methods were old.") == ["We saw 12 patients .", "Methods were old ."]
    assert len(sentences("See ClinicalTrials.gov for more.")) == 1


def test_answer_does_not_depend_on_the_cache():
    draw = random.Random(5)
    chunks = ["e.g.", "p<0.05,", "(Ca(2+)", "U.S.A.", "beta-blocker.", "1,25(OH)2D3", "\u4e2d\u3002x", "Fig.2"]
    texts = [" ".join(draw.choices(chunks, k=30)) for _ in range(50)]
    first = list(split(texts))
    rule_tokens._cache.clear()
    assert list(split(reversed(texts))) == first[::-1]


def test_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(rule_tokens, "_CACHE_LIMIT", 100)
    list(split(" ".join(f"word{i}" for i in range(j, j + 500)) for j in range(0, 3000, 500)))
    assert len(rule_tokens._cache) <= 100
    list(split(["x" * 1000]))
    assert "x" * 1000 not in rule_tokens._cache


@pytest.mark.parametrize(
    "piece",
    ["a", "(", "a(", "(a)", "a-", "-", ".", "a.", "1,", "((a)", "\u0301", "[a+", "e\u0301'", "www.", "A.", "\u2032"],
)
def test_no_input_is_slow(piece):
    started = time.process_time()
    list(split([piece * 20_000]))
    assert time.process_time() - started < 5


def test_agrees_with_a_trained_model(shared_data):
    """Sentence ends on real abstracts: F1 of at least 0.985 against biosenter."""
    from workflow_scripts.text import engines
    from workflow_scripts.text.medline_xml import citations

    found = citations(shared_data / "medline/pubmed20n1015.xml.gz")
    texts = [section.text for item in found for section in item.sections if not section.other][:200]
    ours, theirs = (
        [{tokens.starts[end] for end in tokens.ends[:-1]} for tokens in engines.load(name)(texts)]
        for name in ("rule", "biosenter")
    )
    both = sum(len(a & b) for a, b in zip(ours, theirs, strict=True))
    assert 2 * both / (sum(map(len, ours)) + sum(map(len, theirs))) > 0.985

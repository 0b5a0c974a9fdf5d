"""The dictionary backend on real abstracts: the plain dictionary's figures, through sentences and tokens."""

import subprocess
import sys

import pytest

pytest.importorskip("ahocorasick_rs")


@pytest.fixture(scope="module")
def benchmark(repository):
    """The module of the command that makes the table."""
    sys.path.insert(0, str(repository / "benchmarks"))
    try:
        import linking_cdr
    finally:
        sys.path.pop(0)
    return linking_cdr


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("Training,Development,Test", (0.916, 0.949, 0.932)),
        ("Training,Development", (0.841, 0.689, 0.757)),
    ],
)
def test_dictionary_backend_equals_a_plain_dictionary(benchmark, shared_data, tmp_path, names, expected):
    tool = shared_data.parent / "tools" / "make_cdr_release.py"
    try:
        benchmark.make_release(tool, tmp_path, names)
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{tool}: {error}")
    text, gold = tmp_path / "text", tmp_path / "gold/mentions.tsv"
    batches = benchmark.make_text(tmp_path / "baseline", text)
    aliases = tmp_path / "aliases.parquet"
    detected = benchmark.detect(text, batches, aliases, tmp_path / "dictionary", "dictionary", None)
    surfaces = tmp_path / "dictionary/surfaces.parquet"
    mentions = benchmark.link(text, detected, surfaces, aliases, tmp_path / "linked", ("literal", "faithful", 1))
    result = benchmark.score(text, batches, mentions, gold, "Test", tmp_path / "scores.json")
    plain = benchmark.plain_dictionary(tmp_path, text, batches, "Test")
    for name, value in zip(("precision", "recall", "f1"), expected, strict=True):
        assert plain[name] == pytest.approx(value, abs=0.0006)
        assert result[name] == pytest.approx(value, abs=0.005)

"""The stage's commands one after the other, on small texts."""

import collections
import gzip
import importlib
import json
import operator

import pyarrow.parquet as pq
import pytest

from tests.linking import texts
from workflow_scripts.common import duck
from workflow_scripts.common.contracts.detected import DETECTED
from workflow_scripts.common.contracts.mentions import MENTIONS
from workflow_scripts.common.tables import check_file
from workflow_scripts.linking import join_mentions
from workflow_scripts.linking.tables import SURFACES

ALIASES = [
    ("C1", "aspirin", True),
    ("C2", "renal failure", False),
    ("C2", "kidney failure", False),
    ("C3", "Renal Failure", True),
    ("C4", "N-acetyl (R)", False),
    ("C5", "\u0130tch", True),
]
ABSTRACTS = {
    1: "Aspirin (\U0001f600) caused renal failure.\nNo mention here at all.",
    2: "N-acetyl (R) and aspirin, then \u0130tch in kidney failure.\nAspirin (\U0001f600) caused renal failure.",
    3: "A dead citation on aspirin alone.",
    4: "Failure renal after aspirins.",
}
DETECTION = {"detection": "dictionary", "model": None, "min_name_chars": 3, "retokenize": True}
INDEX = {"candidates": "tfidf", "ngram_min_df": 1, "vocabularies": None, "restriction_levels": None, "language": "ENG"}
LINKING = {"candidates": "tfidf", "mode": "faithful", "threshold": 0.7}
LINKING |= {"no_definition_threshold": 0.95, "k": 30, "max_candidates": 5}


def run_stage(
    run_command, folder, batches, partitions=2, kept=1, linking=LINKING, environment=None, threads=1, shards=1
):
    """Run detect .. join, with an environment as processes of their own; gives {partition: rows} and the statistics."""

    def run(script, *options, parameters=None):
        options = [*options, "--params", json.dumps(parameters)] if parameters else options
        if environment is None:
            module = importlib.import_module(f"workflow_scripts.linking.{script}")
            module.main(module.arguments().parse_args([str(option) for option in options]))
        else:
            done = run_command(f"linking/{script}.py", *options, environment=environment)
            assert done.returncode == 0, done.stderr

    texts.write_aliases(folder / "aliases.parquet", ALIASES)
    texts.write_text(folder, batches, partitions, dead={3})
    names = [f"{number:04d}.parquet" for number in range(1, len(batches) + 1)]
    detected = [folder / "detected" / name for name in names]
    for name, out in zip(names, detected, strict=True):
        options = ("--split", folder / "split" / name, "--aliases", folder / "aliases.parquet", "--detected", out)
        run("detect_mentions", *options, parameters=DETECTION)
        check_file(out, DETECTED)
    surfaces = [folder / f"surfaces/{shard:03d}.parquet" for shard in range(shards)]
    links = [folder / "links" / path.name for path in surfaces]
    run("collect_surfaces", "--detected", *detected, "--surfaces", *surfaces)
    index = folder / "index/index.json"
    options = ("--aliases", folder / "aliases.parquet", "--index", index, "--names", index.with_name("names.bin"))
    run("index_names", *options, parameters=INDEX)
    for path, out in zip(surfaces, links, strict=True):
        check_file(path, SURFACES)
        run("link_surfaces", "--index", index, "--surfaces", path, "--links", out, parameters=linking)
    outs = [folder / f"mentions/{partition:03d}.parquet" for partition in range(partitions)]
    options = ("--detected", *detected, "--links", *links, "--sentences", *sorted((folder / "sentences").iterdir()))
    options += ("--mentions", *outs, "--statistics", folder / "statistics.json", "--threads", threads)
    run("join_mentions", *options, parameters={"kept_candidates": kept, "stream_tails": "mended"})
    for out in outs:
        check_file(out, MENTIONS)
    rows = {out.stem: pq.read_table(out).to_pylist() for out in outs}
    return rows, json.loads((folder / "statistics.json").read_text())


def mentions_by_text(folder, rows):
    """{sentence: [(surface, cui, score, rank)]} after checking offsets."""
    sentences = {}
    for path in (folder / "sentences").iterdir():
        table = pq.read_table(path)
        sentences |= dict(zip(table["sentence_id"].to_pylist(), table["text"].to_pylist(), strict=True))
    found = collections.defaultdict(list)
    for partition, group in rows.items():
        for row in group:
            text = sentences[row["sentence_id"]]
            assert text[row["start"] : row["end"]] == row["surface"]
            assert texts.partition_of(row["sentence_id"], len(rows)) == int(partition)
            found[text].append((row["surface"], row["cui"], round(row["score"], 5), row["rank"]))
    return dict(found)


def test_mentions_of_live_sentences(run_command, tmp_path):
    rows, statistics = run_stage(run_command, tmp_path, [{1: ABSTRACTS[1], 3: ABSTRACTS[3]}, {2: ABSTRACTS[2]}])
    assert mentions_by_text(tmp_path, rows) == {
        "Aspirin ( \U0001f600 ) caused renal failure .": [("Aspirin", "C1", 1.0, 0), ("renal failure", "C2", 1.0, 0)],
        "N-acetyl ( R ) and aspirin , then \u0130tch in kidney failure .": [
            ("aspirin", "C1", 1.0, 0),
            ("\u0130tch", "C5", 1.0, 0),
            ("kidney failure", "C2", 1.0, 0),
        ],
    }
    assert statistics["sentences"] == 3
    assert (statistics["mentions"], statistics["linked_mentions"], statistics["candidates"]) == (6, 5, 5)
    assert statistics["linked_share"] == pytest.approx(5 / 6, abs=1e-6)
    assert (statistics["distinct_surfaces"], statistics["distinct_surfaces_linked"]) == (6, 5)
    assert statistics["sentences_with_two_linked_mentions"] == 2
    assert [b["mentions"] for b in statistics["score_histogram"]] == [0] * 19 + [5]


def test_prefer_literal_and_more_candidates(run_command, tmp_path):
    linking = LINKING | {"mode": "prefer_literal"}
    rows, statistics = run_stage(run_command, tmp_path, [ABSTRACTS], kept=2, linking=linking)
    found = mentions_by_text(tmp_path, rows)
    first = found["N-acetyl ( R ) and aspirin , then \u0130tch in kidney failure ."]
    assert first[0] == ("N-acetyl ( R )", "C4", 1.0, 0)
    second = found["Aspirin ( \U0001f600 ) caused renal failure ."]
    assert second[1:] == [("renal failure", "C2", 1.0, 0), ("renal failure", "C3", 1.0, 1)]
    assert statistics["candidates"] > statistics["linked_mentions"] == statistics["mentions"]


def test_batches_partitions_shards_threads_and_hash_seeds_do_not_matter(run_command, tmp_path):
    elsewhere = {"PYTHONHASHSEED": "7", "LC_ALL": "C"}
    layouts = [
        ([ABSTRACTS], 1, None, 1, 1),
        (
            [{4: ABSTRACTS[4]}, {2: ABSTRACTS[2], 3: ABSTRACTS[3]}, {1: ABSTRACTS[1]}],
            4,
            elsewhere,
            2,
            3,
        ),
    ]
    results = []
    for number, (batches, partitions, environment, threads, shards) in enumerate(layouts):
        folder, options = tmp_path / str(number), {"environment": environment, "threads": threads, "shards": shards}
        rows, statistics = run_stage(run_command, folder, batches, partitions, **options)
        results.append(([row for group in rows.values() for row in group], statistics))
    assert results[0] == results[1] and results[0][0]
    for name in ("index/index.json", "index/names.bin"):
        assert (tmp_path / "0" / name).read_bytes() == (tmp_path / "1" / name).read_bytes()
    for name in ("surfaces", "links"):
        one, three = (pq.read_table(tmp_path / number / name).to_pylist() for number in "01")
        order = operator.itemgetter("surface", "key" if name == "surfaces" else "rank")
        assert sorted(one, key=order) == sorted(three, key=order) and one
        assert sum(pq.read_metadata(path).num_rows > 0 for path in (tmp_path / "1" / name).iterdir()) > 1


def test_export_in_the_published_form(run_command, tmp_path):
    """One partition: sentences with two or more linked mentions in the order of their text, best concepts only."""
    rows, statistics = run_stage(run_command, tmp_path, [ABSTRACTS], partitions=1, kept=3)
    out = tmp_path / "exported/000.jsonl.gz"
    module = importlib.import_module("workflow_scripts.linking.export_mentions")
    options = ["--sentences", tmp_path / "sentences/000.parquet", "--mentions", tmp_path / "mentions/000.parquet"]
    module.main(module.arguments().parse_args([*map(str, options), "--exported", str(out)]))
    lines = [json.loads(line) for line in gzip.decompress(out.read_bytes()).decode().splitlines()]
    expected = {}
    for text, mentions in mentions_by_text(tmp_path, rows).items():
        best = [mention for mention in mentions if mention[3] == 0]
        if len(best) >= 2:
            place, spans = 0, []
            for surface, cui, score, _ in best:
                place = text.index(surface, place)
                spans.append([cui, f"{score:.2f}", [place, place + len(surface)]])
            expected[text] = {"text": text, "mentions": spans, "features": []}
    assert [line["text"] for line in lines] == sorted(expected)
    assert lines == [expected[text] for text in sorted(expected)]
    assert len(lines) == statistics["sentences_with_two_linked_mentions"] == 2


def test_fewer_partitions_leave_no_old_files(run_command, tmp_path):
    run_stage(run_command, tmp_path, [ABSTRACTS], partitions=4, shards=3)
    for path in (tmp_path / "sentences").iterdir():
        path.unlink()
    run_stage(run_command, tmp_path, [ABSTRACTS], partitions=2)
    assert sorted(path.name for path in (tmp_path / "mentions").iterdir()) == ["000.parquet", "001.parquet"]
    assert [path.name for path in (tmp_path / "surfaces").iterdir()] == ["000.parquet"]


def test_nothing_to_link(run_command, tmp_path):
    rows, statistics = run_stage(run_command, tmp_path, [{1: "Nothing known stands in this text ."}, {3: "Dead ."}])
    assert rows == {"000": [], "001": []}
    assert statistics["mentions"] == statistics["linked_share"] == statistics["score_below_one_share"] == 0
    rows, statistics = run_stage(run_command, tmp_path / "empty", [{}])
    assert rows == {"000": [], "001": []} and statistics["sentences"] == 0


def test_a_dictionary_needs_names(run_command, tmp_path):
    texts.write_text(tmp_path, [ABSTRACTS])
    options = ("--split", tmp_path / "split/0001.parquet", "--detected", tmp_path / "out.parquet", "--aliases")
    done = run_command("linking/detect_mentions.py", *options, "--params", json.dumps(DETECTION))
    assert done.returncode == 2 and "--aliases" in done.stderr and "Traceback" not in done.stderr


def test_another_table_is_refused(run_command, tmp_path):
    texts.write_aliases(tmp_path / "aliases.parquet", ALIASES)
    options = ("--detected", tmp_path / "aliases.parquet", "--surfaces", tmp_path / "surfaces.parquet")
    done = run_command("linking/collect_surfaces.py", *options)
    assert done.returncode == 3 and "linking/detected" in done.stderr


@pytest.mark.parametrize(
    ("kept", "block", "written"),
    [
        (0, 3, 0),
        (1, 3, 0),
        (3, 3, 0),
        (4, 3, 4),
        (6, 3, 4),
        (7, 3, 7),
        (500_000, 500_000, 0),
        (1_000_000, 500_000, 500_001),
    ],
)
def test_blocks_of_the_published_linker(kept, block, written):
    assert join_mentions.written_by_blocks(kept, block) == written


def published_writer(sentences, block):
    """The published loop: a buffer that is written when the running number is a multiple of the block."""
    written, buffer = [], []
    for number, sentence in enumerate(sentences):
        buffer.append(sentence)
        if number and number % block == 0:
            written, buffer = written + buffer, []
    return written


@pytest.mark.parametrize("block", [1, 2, 3, 5, 50])
def test_published_tails_are_lost_in_the_order_of_texts(run_command, tmp_path, block):
    lines = [
        f"{word} aspirin and renal failure {i} ." for i, word in enumerate("q b \u00e9 A z c \U0001f600 m".split())
    ]
    run_stage(run_command, tmp_path, [{1: "\n".join([*lines, "Only aspirin ."])}], partitions=4)
    outs = [tmp_path / f"published/{partition:03d}.parquet" for partition in range(4)]
    with duck.database(1, 500, tmp_path) as database:
        join_mentions.load(database, [tmp_path / "detected/0001.parquet"], [tmp_path / "links/000.parquet"], 1)
        sentences = sorted((tmp_path / "sentences").iterdir())
        statistics = join_mentions.join(database, sentences, outs, "published", block)
    found = mentions_by_text(tmp_path, {out.stem: pq.read_table(out).to_pylist() for out in outs})
    expected = published_writer(sorted(lines), block)
    assert {text for text, mentions in found.items() if len(mentions) >= 2} == set(expected)
    assert statistics["sentences_lost_by_stream_tails"] == len(lines) - len(expected)
    assert "Only aspirin ." in found

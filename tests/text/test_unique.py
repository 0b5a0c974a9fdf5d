"""unique_sentences against a literal restatement, and its independence of how the work is cut."""

import json
import random

import pyarrow.parquet as pq
import pytest

from workflow_scripts.common import duck
from workflow_scripts.common.contracts.sentences import OCCURRENCES, SENTENCES, SPLIT
from workflow_scripts.common.tables import check_file
from workflow_scripts.text import unique

pytestmark = pytest.mark.timeout(300)


def release(folder, make, seed, files=3, pmids=25, records=40):
    """Files with versions, repeats in and over files, deletions, repeated sentences; and the same as plain data.

    The data: for each file the records in order, ("citation", pmid, version, sections) or ("deletion", pmid, version).
    """
    draw = random.Random(seed)
    pool = [f"Sentence {i} has {'some ' * draw.randrange(6)}words." for i in range(30)]
    data, paths = [], []
    for number in range(files):
        entries, xml = [], []
        for _ in range(records):
            pmid, version = draw.randrange(1, pmids), draw.choice([1, 1, 1, 2, 3])
            if draw.random() < 0.12:
                entries.append(("deletion", pmid, version))
                xml.append(make.deletion((pmid, version)))
            else:
                count = draw.choice([0, 1, 1, 2, 12])
                sections = [" ".join(draw.choices(pool, k=draw.randrange(4))) for _ in range(count)]
                entries.append(("citation", pmid, version, sections))
                xml.append(make.citation(pmid, *sections, version=version))
        data.append(entries)
        paths.append(make.write(folder / f"n{number}.xml.gz", *xml))
    return paths, data


def living(data):
    """{pmid: sections} of the citations that live, told step by step."""
    stored = {}
    for entries in data:
        for entry in entries:
            if entry[0] == "deletion":
                stored.pop((entry[1], entry[2]), None)
            else:
                stored[entry[1], entry[2]] = entry[3]
    return {pmid: stored[pmid, max(v for p, v in stored if p == pmid)] for pmid in sorted({p for p, _ in stored})}


def places(sections_by_pmid, shortest=1, longest=999):
    """[(text, pmid, field, start, end)] of the sentences; each ends with " words."."""
    found = []
    for pmid, sections in sections_by_pmid.items():
        for field, text in enumerate(sections):
            start = 0
            for piece in text.split(".")[:-1]:
                start += len(piece) - len(piece.lstrip())
                end = start + len(piece.strip()) + 1
                if shortest <= len(piece.split()) + 1 <= longest:
                    found.append((" ".join(piece.split()) + " .", pmid, field, start, end))
                start = end
    return found


def rows(stage, table, partitions):
    names = [stage.folder / table / f"{partition:03d}.parquet" for partition in range(partitions)]
    assert sorted((stage.folder / table).glob("*")) == names
    return [row for name in names for row in pq.read_table(name).to_pylist()]


@pytest.mark.parametrize("seed", range(4))
def test_restatement(stage, tmp_path, make, seed):
    paths, data = release(tmp_path, make, seed)
    statistics = stage.all(paths, files_per_job=2, min_tokens=5, max_tokens=8, partitions=3)
    live = living(data)
    expected = places(live, 5, 8)
    assert expected
    first = {}
    for text, pmid, field, start, end in sorted(expected, key=lambda place: place[1:]):
        first.setdefault(text, (pmid, str(field), start, end))
    sentences, occurrences = rows(stage, "sentences", 3), rows(stage, "occurrences", 3)
    found = {row["text"]: (row["pmid"], row["field"], row["start"], row["end"]) for row in sentences}
    assert found == first and len(sentences) == len(first)
    texts = {row["sentence_id"]: row["text"] for row in sentences}
    every = [
        (texts[row["sentence_id"]], row["pmid"], int(row["field"]), row["start"], row["end"]) for row in occurrences
    ]
    assert sorted(every) == sorted(expected)
    assert all(row["n_tokens"] == len(row["text"].split()) for row in sentences)
    read = [entry for entries in data for entry in entries if entry[0] == "citation"]
    counts = {
        "citations_read": len(read),
        "citations": len(live),
        "abstracts": sum(any(text.strip() for text in sections) for sections in live.values()),
        "abstract_texts": sum(bool(text.strip()) for sections in live.values() for text in sections),
        "characters": sum(len(text.strip()) for sections in live.values() for text in sections),
        "sentences": len(places(live)),
        "too_short": len(places(live, 1, 4)),
        "too_long": len(places(live, 9)),
        "occurrences": len(expected),
        "unique_sentences": len(first),
    }
    assert {name: statistics[name] for name in counts} == counts
    assert statistics["deleted"] + statistics["superseded"] == len(read) - len(live) and statistics["deleted"]


def test_contracts_and_partitions(stage, tmp_path, make):
    paths, _ = release(tmp_path, make, 9)
    stage.all(paths, files_per_job=2, partitions=5)
    check_file(stage.folder / "split/0001.parquet", SPLIT)
    for partition in range(5):
        for table, contract in (("sentences", SENTENCES), ("occurrences", OCCURRENCES)):
            path = stage.folder / table / f"{partition:03d}.parquet"
            check_file(path, contract)
            for identity in pq.read_table(path, columns=["sentence_id"])["sentence_id"].to_pylist():
                assert int(identity[:2], 16) * 5 // 256 == partition


def test_fewer_partitions_leave_no_old_files(stage, tmp_path, make):
    paths, _ = release(tmp_path, make, 9)
    stage.all(paths, files_per_job=3, partitions=6)
    six = rows(stage, "sentences", 6)
    make.succeed(stage.unique(["0001"], partitions=2))
    assert rows(stage, "sentences", 2) == six


VARIANTS = [
    {"files_per_job": 1},
    {"files_per_job": 3, "threads": 2},
    {"files_per_job": 6},
    {"files_per_job": 6, "environment": {"PYTHONHASHSEED": "1", "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}},
    {"files_per_job": 3, "environment": {"PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"}},
]


def test_batches_of_another_grain_are_not_read(stage, tmp_path, make):
    """More files a job: what the batches of smaller jobs left behind, whole or broken, changes nothing."""
    paths, _ = release(tmp_path, make, seed=6)
    stage.all(paths, files_per_job=1)
    small = stage.written()
    (stage.folder / "split/0002.parquet").write_bytes(b"broken")
    stage.all(paths, files_per_job=3)
    assert sorted(path.name for path in (stage.folder / "split").iterdir()) == [f"000{i}.parquet" for i in (1, 2, 3)]
    assert stage.written() == small


def test_same_bytes_however_the_work_is_cut(run_command, tmp_path, make):
    paths, _ = release(tmp_path, make, 21, files=6, records=25)
    made = []
    for number, variant in enumerate(VARIANTS):
        stage = make.stage(run_command, tmp_path / f"out{number}")
        stage.all(paths, **variant)
        made.append(stage.written())
    assert len(made[0]) == 5 and all(other == made[0] for other in made[1:])


@pytest.mark.parametrize("order", [[1, 2], [2, 1]])
def test_later_version_wins_wherever_it_stands(stage, tmp_path, make, order):
    records = {
        1: make.citation(5, "The old text stands here."),
        2: make.citation(5, "The new text is here.", version=2),
    }
    paths = [make.write(tmp_path / f"n{i}.xml.gz", records[version]) for i, version in enumerate(order)]
    stage.all(paths, files_per_job=1)
    assert [row["text"] for row in rows(stage, "sentences", 2)] == ["The new text is here ."]


@pytest.mark.parametrize(
    ("later", "left"),
    [
        (["deletion"], []),
        (["deletion", "citation"], ["It came back again ."]),
        (["citation", "deletion"], []),
        (["deletion of version 2"], ["It was there first ."]),
    ],
)
def test_deletions(stage, tmp_path, make, later, left):
    record = {
        "deletion": make.deletion(5),
        "deletion of version 2": make.deletion((5, 2)),
        "citation": make.citation(5, "It came back again."),
    }
    paths = [
        make.write(tmp_path / "n0.xml.gz", make.citation(5, "It was there first."), make.citation(6, "I stay here."))
    ]
    paths += [make.write(tmp_path / f"n{i}.xml.gz", record[name]) for i, name in enumerate(later, 1)]
    stage.all(paths, files_per_job=1)
    assert sorted(row["text"] for row in rows(stage, "sentences", 2)) == sorted([*left, "I stay here ."])


def test_field_ten_comes_after_field_two(stage, tmp_path, make):
    sections = [f"Section {i} has its own words." for i in range(12)]
    sections[2] = sections[10] = "The same is said here twice."
    stage.all([make.write(tmp_path / "n.xml.gz", make.citation(5, *sections))], files_per_job=1)
    (row,) = [row for row in rows(stage, "sentences", 2) if row["text"].startswith("The same")]
    assert row["field"] == "2"
    fields = [r["field"] for r in rows(stage, "occurrences", 2) if r["sentence_id"] == row["sentence_id"]]
    assert fields == ["10", "2"]  # sorted as text


def test_nothing_left(stage, tmp_path, make):
    path = make.write(tmp_path / "n.xml.gz", make.citation(5, "Short one."))
    make.succeed(stage.extract([path]))
    make.succeed(stage.split())
    done = stage.unique(["0001"], min_tokens=5)
    assert done.returncode == 3 and "too_short 1" in done.stderr and "text.min_tokens" in done.stderr
    assert not list(stage.folder.glob("sentences/*"))


def test_published_tail_of_a_small_corpus(stage, tmp_path, make):
    paths, _ = release(tmp_path, make, 3)
    make.succeed(stage.extract(paths))
    make.succeed(stage.split())
    done = stage.unique(["0001"], stream_tails="published")
    assert done.returncode == 3 and "stream_tails" in done.stderr and "100,000" in done.stderr


@pytest.mark.parametrize("block", [1, 2, 7, 10, 33, 1000])
def test_published_tail(stage, tmp_path, make, block):
    """Sections after the last writing are lost, before versions and deletions are looked at."""
    paths, data = release(tmp_path, make, 4, records=25)
    for batch, path in enumerate(paths, 1):
        make.succeed(stage.extract([path], f"{batch:04d}", 1))
        make.succeed(stage.split(f"{batch:04d}"))
    total = sum(bool(text) for entries in data for entry in entries if entry[0] == "citation" for text in entry[3])
    kept = (total - 1) // block * block
    seen, cut = 0, []
    for entries in data:
        cut.append([])
        for entry in entries:
            if entry[0] == "citation":
                sections = []
                for text in entry[3]:
                    seen += bool(text)
                    sections.append(text if seen <= kept else "")
                entry = (*entry[:3], sections)
            cut[-1].append(entry)
    citations, split = (sorted(stage.folder.glob(f"{name}/*.parquet")) for name in ("citations", "split"))
    with duck.database(1, 500, tmp_path) as database:
        unique.find_live(database, citations)
        assert unique.lose_tail(database, split, block) == total - kept
        counts = unique.count_lengths(database, split, 1, 999)
    assert counts["sentences"] == len(places(living(cut)))


def test_unread_columns_are_named(stage, tmp_path, make):
    paths, _ = release(tmp_path, make, 3, files=1)
    make.succeed(stage.extract(paths))
    (stage.folder / "split").mkdir()
    (stage.folder / "split/0001.parquet").write_bytes((stage.folder / "citations/0001.parquet").read_bytes())
    done = stage.unique(["0001"])
    assert done.returncode == 3 and "text/split" in done.stderr


def test_real_file(stage, shared_data, make):
    statistics = stage.all(
        [shared_data / "medline/pubmed20n1015.xml.gz"], files_per_job=1, min_tokens=5, max_tokens=128
    )
    assert (statistics["citations_read"], statistics["abstract_texts_read"]) == (756, 1488)
    assert statistics["superseded"] == 2 and statistics["abstract_texts"] == 1486
    assert 6000 < statistics["unique_sentences"] <= statistics["occurrences"] < 7000
    sentences = rows(stage, "sentences", 2)
    keys = {row["sentence_id"] for row in sentences}
    assert len(keys) == len(sentences) == statistics["unique_sentences"]
    old = superseded(stage)
    abstracts = {
        (row["pmid"], row["field"]): row["text"]
        for row in pq.read_table(stage.folder / "abstracts/0001.parquet").to_pylist()
        if (row["pmid"], row["version"]) not in old
    }
    for row in sentences:
        own = abstracts[row["pmid"], row["field"]][row["start"] : row["end"]]
        assert own.replace(" ", "") == row["text"].replace(" ", "")
    assert json.loads((stage.folder / "statistics.json").read_text()) == statistics


def superseded(stage):
    """(pmid, version) of the citations of the first batch that have a later version."""
    pairs = {
        (row["pmid"], row["version"]) for row in pq.read_table(stage.folder / "citations/0001.parquet").to_pylist()
    }
    return {(p, v) for p, v in pairs if any(q == p and w > v for q, w in pairs)}

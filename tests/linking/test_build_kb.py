"""Which names make the linker's knowledge base."""

import json
import random

import pyarrow.parquet as pq
import pytest

from workflow_scripts.common.contracts.aliases import ALIASES
from workflow_scripts.common.tables import check_file
from workflow_scripts.linking import build_kb

ALL = {"vocabularies": None, "restriction_levels": [0, 1, 2, 9], "language": "ENG"}


def atom(cui, name, ts="P", stt="PF", ispref="Y", lat="ENG", sab="SNOMEDCT_US", srl="9", suppress="N"):
    """A row of MRCONSO."""
    cells = [cui, lat, ts, "L1", stt, "S1", ispref, "A1", "", "", "", sab, "PT", "1", name, srl, suppress, ""]
    return "|".join(cells) + "|\n"


def definition(cui, suppress="N"):
    """A row of MRDEF."""
    return f'{cui}|A1|AT1||MSH|What it is, "quoted|{suppress}||\n'


@pytest.fixture
def build(run_command, tmp_path):
    """Run build_kb on rows, as a process where an environment or a failure is wanted; gives it and the table's rows."""

    def run(atoms, definitions=(), raw=None, environment=None, fails=False, **settings):
        mrconso, mrdef, out = tmp_path / "MRCONSO.RRF", tmp_path / "MRDEF.RRF", tmp_path / "aliases.parquet"
        mrconso.write_bytes(raw if raw is not None else "".join(atoms).encode())
        mrdef.write_text("".join(definitions), encoding="utf-8")
        options = ["--mrconso", mrconso, "--mrdef", mrdef, "--aliases", out, "--params", json.dumps(ALL | settings)]
        if environment is None and raw is None and not fails:
            build_kb.main(build_kb.arguments().parse_args([str(option) for option in options]))
            done = None
        else:
            done = run_command("linking/build_kb.py", *options, environment=environment)
            if done.returncode:
                assert not out.exists()
                return done, None
        check_file(out, ALIASES)
        return done, [tuple(row.values()) for row in pq.read_table(out).to_pylist()]

    return run


def test_names_filters_and_definitions(build):
    atoms = [
        atom("C2", 'cold "virus', ts="S"),
        atom("C2", "NA"),
        atom("C2", "NA", ts="S"),
        atom("C2", "Kälte", lat="GER"),
        atom("C2", "old cold", suppress="O"),
        atom("C2", "secret", srl="3"),
        atom("C2", "  ", ts="S"),
        atom("C1", "None \U0001f600", sab="MSH", srl="0"),
        atom("C3", "only suppressed", suppress="Y"),
    ]
    _, rows = build(atoms, [definition("C1", "Y"), definition("C2"), definition("C2"), definition("C9")])
    assert rows == [
        ("C1", "None \U0001f600", True, False),
        ("C2", "NA", True, True),
        ("C2", 'cold "virus', False, True),
    ]


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"restriction_levels": None}, ["a", "b", "c"]),
        ({"restriction_levels": [3]}, ["c"]),
        ({"vocabularies": ["MSH", "OTHER"]}, ["b"]),
        ({"language": "SPA"}, ["d"]),
    ],
)
def test_choices(build, settings, names):
    atoms = [atom("C1", "a"), atom("C1", "b", sab="MSH"), atom("C1", "c", srl="3"), atom("C1", "d", lat="SPA")]
    assert [row[1] for row in build(atoms, **settings)[1]] == names


@pytest.mark.parametrize(
    ("atoms", "preferred"),
    [
        ([("b", "P", "PF", "Y"), ("a", "P", "PF", "N"), ("c", "S", "PF", "Y")], "b"),
        ([("b", "S", "PF", "Y"), ("a", "P", "VO", "N")], "a"),
        ([("b", "P", "VO", "Y"), ("a", "P", "VO", "N"), ("c", "P", "PF", "N")], "c"),
        ([("b", "S", "VO", "N"), ("B", "S", "VO", "N"), ("é", "S", "VO", "N")], "B"),
        ([("b", "S", "VO", "N"), ("a", "S", "VO", "N"), ("b", "P", "PF", "Y")], "b"),
    ],
)
def test_preferred_name_in_any_row_order(build, atoms, preferred):
    for seed in range(3):
        rows = random.Random(seed).sample(atoms, len(atoms))
        found = build([atom("C1", name, ts, stt, ispref) for name, ts, stt, ispref in rows])[1]
        assert [row[1] for row in found if row[2]] == [preferred]
        assert len(found) == len({name for name, *_ in atoms})


def test_bytes_do_not_depend_on_rows_threads_or_hash_seed(build, tmp_path):
    atoms = [atom(f"C{i % 40:02d}", f"name {i % 97}", ts="PS"[i % 2]) for i in range(400)]
    bytes_ = set()
    for seed in (0, 1):
        build(random.Random(seed).sample(atoms, len(atoms)), environment={"PYTHONHASHSEED": str(seed), "LC_ALL": "C"})
        bytes_.add((tmp_path / "aliases.parquet").read_bytes())
    assert len(bytes_) == 1


def test_no_name_left_shows_the_funnel(build):
    done, _ = build([atom("C1", "a", lat="GER"), atom("C1", "b", suppress="O")], fails=True)
    assert done.returncode == 3
    for words in ("MRCONSO.RRF", "2 rows", "1 not of language ENG", "1 suppressed", "linking.kb.language"):
        assert words in done.stderr


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ((atom("C1", "a") + "C2|ENG|P|\n").encode(), ["line 2", "3 columns", "18 columns of MRCONSO"]),
        ((atom("C1", "a") * 2 + atom("C2", "b|c")).encode(), ["line 3", "19 columns", "18 columns of MRCONSO"]),
        (atom("C1", "a").encode() + atom("C2", "é").encode("latin-1"), ["line 2", "0xe9", "UTF-8"]),
    ],
)
def test_broken_files_are_named_with_the_line(build, raw, words):
    done, _ = build((), raw=raw)
    assert done.returncode == 3 and "Traceback" not in done.stderr
    for word in ["MRCONSO.RRF", *words]:
        assert word in done.stderr

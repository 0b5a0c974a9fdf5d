"""Snakemake's sentences taken apart: written ones, and the ones that Snakemake 9 really says of a tiny workflow."""

import itertools
import os
import shutil
import time

import pytest

from tests.planning.made_up import job
from workflow_scripts.common.errors import UsageError
from workflow_scripts.planning.dry_run import dry_run
from workflow_scripts.planning.outlook import skippable
from workflow_scripts.planning.reasons import causes, file_name, job_causes, params_changes

FRAME = "Union of exclusive params before and now across all output: "


def texts(reason):
    return [str(cause) for cause in causes(reason)]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("Missing output files: a/b.txt, c.txt", ["new output: a/b.txt", "new output: c.txt"]),
        (
            "Updated input files: workflow_scripts/kg/build_kg.py, /x/workflow_scripts/common/rrf.py, data/a.py",
            [
                "code changed: workflow_scripts/kg/build_kg.py",
                "code changed: workflow_scripts/common/rrf.py",
                "input changed: data/a.py",
            ],
        ),
        (
            "Code has changed since last execution; Software environment definition has changed since last execution",
            ["command changed", "environment changed"],
        ),
        ("Forced execution", ["forced"]),
        ("Something that nobody wrote before", ["other: Something that nobody wrote before"]),
        ("", []),
    ],
)
def test_sentences(reason, expected):
    assert texts(reason) == expected


def test_any_combination_of_parts():
    parts = {
        "Missing output files: m": ["new output: m"],
        "Updated input files: u (ancient)": ["input changed: u"],
        "Input files updated by another job: o": ["after: o"],
        "Set of input files has changed since last execution": ["inputs added or removed"],
        f"Params have changed since last execution: {FRAME}before: '{{\"k\": 1}}' now: '{{\"k\": 2}}' ": [
            "params changed: k 1 -> 2"
        ],
    }
    for chosen in itertools.permutations(parts, 3):
        assert texts("; ".join(chosen)) == [text for part in chosen for text in parts[part]]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("""'{"a":1,"b":{"c":[1,2]}}'""", """'{"a":1,"b":{"c":[1,3]}}'""", ["b.c [1, 2] -> [1, 3]"]),
        ("""'{"a":1}'""", """'{"b":1}'""", ["a 1 -> (absent)", "b (absent) -> 1"]),
        ("""'{"a": " now: "}'""", """'{"a": "; x now: y"}'""", ["a  now:  -> ; x now: y"]),
        ("'x','y'", "<nothing exclusive>", ["x, y -> (absent)"]),
        ("<nothing exclusive>", "['p', 3]", ["""(absent) -> ["p", 3]"""]),
        ("'old'", "'new'", ["old -> new"]),
        # two JSON params: those that share keys belong together
        ("""'{"k":1}','{"x":1,"y":2}'""", """'{"x":1,"y":3}','{"k":2}'""", ["k 1 -> 2", "y 2 -> 3"]),
        ("""'{"o":{}}'""", """'{"o":{"lr":2}}'""", ["o.lr (absent) -> 2"]),
    ],
)
def test_changed_params(before, now, expected):
    assert params_changes(f"{FRAME}before: {before} now: {now} ") == expected


def test_params_that_are_not_understood_are_shown_as_they_are():
    assert params_changes("no literals before: <object> now: <other>") == ["no literals before: <object> now: <other>"]


def test_details_come_from_the_job():
    reason = "Set of input files has changed since last execution"
    changed = job(1, "x", reason=reason, added=("new.txt",), removed=("workflow_scripts/old.py",))
    assert [str(cause) for cause in job_causes(changed)] == [
        "input added: new.txt",
        "input removed: workflow_scripts/old.py",
    ]
    software = "Software environment definition has changed since last execution"
    assert str(job_causes(job(1, "x", reason=software, environment="kg.yaml"))[0]) == "environment changed: kg.yaml"


def test_flags_are_no_part_of_a_name():
    assert file_name("a b (x).txt (update)") == "a b (x).txt"
    assert file_name("plain") == "plain"


def planned(folder):
    found = dry_run(["--cores", "1"])
    return {(item.rule, item.wildcards.get("item")): item for item in found.jobs if item.stage}, found


def make_newer(path):
    later = time.time() + 5
    os.utime(path, (later, later))


def test_nothing_to_do_is_an_empty_plan(tiny):
    assert planned(tiny)[0] == {}


def test_new_workflow_gives_every_job_with_what_it_asks_for(tiny):
    shutil.rmtree(tiny / "results")
    jobs, found = planned(tiny)
    assert sorted(map(str, jobs)) == sorted(
        map(str, [("fingerprint_item", x) for x in "ab"] + [("make_part", x) for x in "ab"] + [("join_parts", None)])
    )
    part = jobs["make_part", "a"]
    assert (part.stage, part.memory_mb, part.gpus, part.minutes) == ("text", 300, 1, 7)
    assert part.benchmark == "results/tiny/benchmarks/text/make_part/a.jsonl"
    assert jobs["fingerprint_item", "a"].checkpoint and not part.checkpoint
    assert found.settings["executor"] == "local" and found.settings["cores"] == 1


def test_changed_param_of_a_job_behind_a_checkpoint_is_seen_too(tiny):
    config = (tiny / "config.yaml").read_text()
    (tiny / "config.yaml").write_text(config.replace('"lr": 0.1', '"lr": 0.2'))
    make_newer(tiny / "a.dat")
    jobs, found = planned(tiny)
    assert set(jobs) == {("fingerprint_item", "a"), ("make_part", "a"), ("join_parts", None)}
    own = [str(cause) for cause in job_causes(jobs["join_parts", None]) if cause.kind != "after"]
    assert own == ["params changed: row.lr 0.1 -> 0.2"]
    makers = {name: item for item in found.jobs for name in item.output}
    assert skippable(found.jobs, makers) == {jobs["make_part", "a"].id}


def test_code_and_command_and_inputs(tiny):
    (tiny / "workflow_scripts" / "join.py").write_text("print(2)\n")
    make_newer(tiny / "workflow_scripts" / "join.py")
    jobs, _ = planned(tiny)
    assert [str(cause) for cause in job_causes(jobs["join_parts", None])] == ["code changed: workflow_scripts/join.py"]
    config, snakefile = tiny / "config.yaml", tiny / "Snakefile"
    config.write_text(config.read_text().replace("[a, b]", "[a]"))
    snakefile.write_text(snakefile.read_text().replace("cat {input.parts}", "cat  {input.parts}"))
    shutil.copystat(tiny / "a.dat", tiny / "workflow_scripts" / "join.py")
    os.utime(tiny / "workflow_scripts" / "join.py", (1, 1))
    jobs, _ = planned(tiny)
    assert set(jobs) == {("join_parts", None)}
    found = {str(cause) for cause in job_causes(jobs["join_parts", None])}
    assert found == {"input removed: results/tiny/b.part", "command changed"}


def test_checkpoint_that_may_spare_everything(tiny):
    make_newer(tiny / "b.dat")
    jobs, found = planned(tiny)
    makers = {name: item for item in found.jobs for name in item.output}
    spared = skippable(found.jobs, makers)
    assert {key for key, item in jobs.items() if item.id in spared} == {("make_part", "b"), ("join_parts", None)}


def test_a_plan_that_fails_says_why(tiny):
    (tiny / "a.dat").unlink()
    shutil.rmtree(tiny / "results")
    (tiny / "mine.yaml").write_text("cores: 1\n")
    for arguments in (["--cores", "1"], ["--profile", "mine.yaml"]):
        with pytest.raises(UsageError, match="a.dat"):
            dry_run(arguments)
    (tiny / "Snakefile").write_text("raise ValueError('odd')\n")
    with pytest.raises(UsageError, match="odd"):
        dry_run(["--profile", "mine.yaml"])

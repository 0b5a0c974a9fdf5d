"""Costs from benchmark files and defaults, wall time, and the table of defaults that is tracked."""

import itertools
import json
import math
import random

import pytest

from tests.planning.made_up import job, plan_of
from workflow_scripts.common.errors import UsageError
from workflow_scripts.planning.costs import COLUMNS, Costs, read_benchmarks, read_defaults
from workflow_scripts.planning.outlook import outlook
from workflow_scripts.planning.plan import lines
from workflow_scripts.planning.schedule import Task, makespan


def write_benchmark(root, run, path, seconds, cpu=None, **more):
    file = root / run / "benchmarks" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"s": seconds, "cpu_time": seconds if cpu is None else cpu, **more}) + "\n")


def write_defaults(path, *rows):
    lines_ = ["\t".join(COLUMNS), *["\t".join(map(str, row)) for row in rows]]
    path.write_text("\n".join(lines_) + "\n")
    return read_defaults(path)


def train(number, run, **changes):
    path = f"results/mine/benchmarks/training/{run}.jsonl"
    return job(number, "train_run", "training", wildcards={"run": run}, benchmark=path, **changes)


@pytest.fixture
def defaults(tmp_path):
    return write_defaults(
        tmp_path / "costs.tsv",
        ("train_run", r"\.bert_", "full", "gpu", "job", 90, 1, "authors"),
        ("train_run", r"\.bert_", "full", "cpu", "job", 4800, 4, "guess"),
        ("train_run", "", "full", "any", "job", 60, 1, "guess"),
        ("read", "", "full", "any", "medline_file", 2, 0.5, "guess"),
        ("*", "", "demo", "any", "job", 0.1, 1, "demo"),
        ("*", "", "full", "any", "job", 7, 1, "small"),
    )


def test_defaults_by_device_model_and_files(defaults):
    jobs = [
        train(1, "i.bert_sent.s1", gpus=1),
        train(2, "i.bert_sent.s2"),
        train(3, "i.cnn_sent.s1"),
        job(4, "read", wildcards={"batch": "0002"}),
        job(5, "other"),
    ]
    costs = Costs(jobs, [], defaults, False, {"0001": 20, "0002": 3})
    assert [costs.of(item).minutes for item in jobs] == [90, 4800, 60, 6, 7]
    assert {costs.of(item).measured for item in jobs} == {0}
    assert Costs(jobs, [], defaults, True, {}).of(jobs[0]).minutes == 0.1


def test_median_by_rule_and_kind_of_model_from_this_run_first(tmp_path, defaults):
    results = tmp_path / "results"
    for run, seconds in [("i.bert_x.s1", 600), ("i.bert_x.s2", 1200), ("t.bert_y.s1", 6000), ("i.cnn_x.s1", 60)]:
        write_benchmark(results, "mine", f"training/{run}.jsonl", seconds, cpu=seconds / 2)
    write_benchmark(results, "other", "training/i.bert_x.s3.jsonl", 1)
    write_benchmark(results, "other", "text/read/0001.jsonl", 120)
    write_benchmark(results, "demo", "text/read/0001.jsonl", 1)
    jobs = [train(1, "i.bert_z.s9", gpus=1), train(2, "i.cnn_z.s9")]
    jobs.append(job(3, "read", wildcards={"batch": "0007"}, benchmark="results/mine/benchmarks/text/read/0007.jsonl"))
    benchmarks = read_benchmarks(results)
    for order in itertools.permutations(benchmarks, len(benchmarks)):
        costs = Costs(jobs, order, defaults, False, {"0007": 20})
        bert, cnn, read = map(costs.of, jobs)
        assert (bert.minutes, bert.cores, bert.measured, bert.source) == (20, 0.5, 3, "measured in mine")
        assert (cnn.minutes, cnn.measured) == (1, 1)
        # another run of the same size counts where this one has none; the demo does not
        assert (read.minutes, read.measured, read.source) == (2, 1, "measured in other")
        if order[0] != benchmarks[0]:
            break


def test_extended_benchmarks_are_known_by_their_rule(tmp_path, defaults):
    results = tmp_path / "results"
    write_benchmark(results, "mine", "x/odd.jsonl", 300, rule_name="other", threads=2)
    write_benchmark(results, "mine", "text/other.jsonl", 3000, rule_name="something_else")
    cost = Costs([job(1, "other")], read_benchmarks(results), defaults, False, {}).of(job(1, "other"))
    assert (cost.minutes, cost.measured) == (5, 1)


def test_broken_benchmarks_are_left_out(tmp_path):
    write_benchmark(tmp_path, "mine", "a/good.jsonl", 3, cpu="NA")
    for name, text in [("empty", ""), ("words", "x\n"), ("other", '{"t": 1}\n'), ("none", '{"s": null}\n')]:
        (tmp_path / "mine/benchmarks/a" / f"{name}.jsonl").write_text(text)
    found = read_benchmarks(tmp_path)
    assert [item.path for item in found] == ["a/good.jsonl"]
    assert math.isnan(found[0].cpu_seconds)


@pytest.mark.parametrize(
    "row",
    [
        ("x", "", "big", "any", "job", 1, 1, "s"),
        ("x", "", "any", "any", "day", 1, 1, "s"),
        ("x", "", "any", "any", "job", "long", 1, "s"),
        ("x", "(", "any", "any", "job", 1, 1, "s"),
    ],
)
def test_bad_defaults_name_their_line(tmp_path, row):
    with pytest.raises(UsageError, match="line 3"):
        write_defaults(tmp_path / "costs.tsv", ("y", "", "any", "any", "job", 1, 1, "s"), row)


def test_the_tracked_table_prices_every_rule(repository):
    rows = read_defaults(repository / "experiments" / "costs.tsv")
    rules = {name for name in (row.rule for row in rows) if name != "*"}
    text = "".join(path.read_text() for path in (repository / "rules").glob("*.smk"))
    for rule in rules:
        assert f" {rule}:\n" in text, f"experiments/costs.tsv has a row of {rule}, which is no rule"
    assert all(row.source for row in rows)
    for release in ("demo", "full"):
        assert any(row.fits("a_new_rule", "x", release, "cpu") for row in rows)


def test_makespan_of_known_plans():
    def task(number, minutes, needs=(), cores=1, gpus=0):
        return Task(number, minutes, cores, gpus, frozenset(needs))

    chain = [task(1, 2), task(2, 3, [1]), task(3, 4, [2])]
    assert makespan(chain, cores=8) == 9
    wide = [task(number, 5) for number in range(6)]
    assert [makespan(wide, cores=cores) for cores in (1, 2, 3, 4, 6)] == [30, 15, 10, 10, 5]
    assert makespan(wide, jobs=4) == 10
    assert makespan([task(n, 5, gpus=1) for n in range(4)], cores=8, gpus=1) == 20
    # more cores than there are: runs alone
    assert makespan([task(1, 3, cores=16), task(2, 3)], cores=2) == 6
    assert makespan([], cores=1) == 0
    with pytest.raises(ValueError, match="circle"):
        makespan([task(1, 1, [2]), task(2, 1, [1])], cores=1)


def test_makespan_stays_between_its_bounds_whatever_the_order():
    for seed in range(30):
        dice = random.Random(seed)
        tasks = []
        for number in range(25):
            needs = frozenset(dice.sample(range(number), min(number, dice.randrange(3))))
            tasks.append(Task(number, dice.randint(1, 9), dice.randint(1, 3), dice.randrange(2), needs))
        ways = {}
        for item in tasks:
            ways[item.id] = item.minutes + max((ways[other] for other in item.needs), default=0)
        found = makespan(tasks, cores=3, gpus=1)
        work = sum(item.minutes * item.cores for item in tasks) / 3
        assert max(max(ways.values()), work) <= found <= sum(item.minutes for item in tasks)
        dice.shuffle(tasks)
        assert makespan(tasks, cores=3, gpus=1) == found


def test_outlook_sums_and_words(tmp_path, defaults):
    after = "Input files updated by another job: {}"
    jobs = [
        job(1, "fingerprint_x", "acquire", reason="Updated input files: big.gz", checkpoint=True),
        job(2, "part", "text", needs=["big.gz"], reason=after.format(1)),
        job(3, "join", "corpus", needs=[2], reason=after.format(2), own_reason="Updated input files: t.tsv"),
        train(4, "i.bert_x.s1", needs=[3], reason=after.format(3), gpus=1),
        job(5, "all", needs=[4], log=(), benchmark=None),
    ]
    found = outlook(plan_of(*jobs, gpus=1), Costs(jobs, [], defaults, False, {}))
    assert [(row.stage, row.rule, row.skippable) for row in found.rows] == [
        ("acquire", "fingerprint_x", 0),
        ("text", "part", 1),
        ("corpus", "join", 0),
        ("training", "train_run", 0),
    ]
    assert (found.jobs, found.skippable, found.checkpoints) == (4, 1, 1)
    assert found.cpu_hours == pytest.approx((7 * 3 + 90) / 60)
    assert found.gpu_hours == pytest.approx(1.5)
    assert found.wall_hours == pytest.approx((7 * 3 + 90) / 60)
    # without the part that may be spared the join starts at once
    assert found.sure_wall_hours == pytest.approx((7 + 90) / 60)
    text = "\n".join(lines(found, "mine"))
    for words in ("1 (1 maybe)", "input changed: big.gz", "input changed: t.tsv", "after join", "2 cores and 1 GPU"):
        assert words in text
    assert "authors" in text and "0% of the CPU-hours rest on measurements" in text


def test_nothing_to_be_done(defaults):
    found = outlook(plan_of(job(1, "all", log=(), benchmark=None)), Costs([], [], defaults, False, {}))
    assert lines(found, "mine") == ["Run mine: nothing to be done, every requested file is up to date."]

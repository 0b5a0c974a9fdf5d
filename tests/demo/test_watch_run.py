"""Progress by stage from Snakemake's own messages."""

import re
import time

import pytest

from workflow_scripts.demo.watch_run import Board, show, stages_of_rules

MESSAGES = """\
Job stats:
job            count
-----------  -------
build_kg           1
train_run          3
all                1
total              5

rule build_kg:
Finished jobid: 4 (Rule: build_kg)
1 of 5 steps (20%) done
localrule train_run:
rule train_run:
Finished jobid: 3 (Rule: train_run)
2 of 6 steps (33%) done
"""


@pytest.fixture
def board():
    board = Board({"build_kg": "kg", "train_run": "training"})
    for second, line in enumerate(MESSAGES.splitlines()):
        board.read(line, float(second))
    return board


def test_counts(board):
    assert dict(board.planned) == {"build_kg": 1, "train_run": 3}
    assert board.finished == {"build_kg": 1, "train_run": 1} and board.running["train_run"] == 1
    assert board.total == 6


def test_time_left_is_jobs_left_times_their_own_mean(board):
    # train_run: one finished after 2 s, two left
    assert board.seconds_left(cores=1) == pytest.approx(4.0)
    assert board.seconds_left(cores=2) == pytest.approx(2.0)


def test_no_time_is_guessed_before_a_job_has_finished(capsys):
    board = Board({"build_kg": "kg"})
    for line in MESSAGES.partition("Finished")[0].splitlines():
        board.read(line, 0.0)
    assert board.seconds_left(cores=1) is None
    show(board, time.monotonic(), 1, interactive=False, height=0)
    assert re.fullmatch(r"0/1 jobs, \d+ s so far(; running: \w+)?\n", capsys.readouterr().out)


def test_one_line_per_stage(board):
    lines = list(board.lines())
    assert [line.split()[0] for line in lines] == ["kg", "training"]
    assert "1/1" in lines[0] and "1/3" in lines[1] and "1 running" in lines[1]


def test_nothing_to_do():
    board = Board({})
    board.read("Nothing to be done (all requested files are present and up to date).", 0.0)
    assert board.nothing_to_do


def test_every_rule_of_the_project_has_a_stage(repository, monkeypatch):
    monkeypatch.chdir(repository)
    stages = stages_of_rules(repository / "rules")
    assert stages["build_kg"] == "kg" and stages["fingerprint_medline"] == "acquire"
    assert list(dict.fromkeys(stages.values()))[0] == "demo"

"""Copies of finished trees in which one thing is changed, and what then has to run."""

import collections
import os
import pathlib
import shutil
import subprocess

import yaml

from tests.e2e.conftest import snakemake
from tests.e2e.watched import jobs

# Jobs of each rule in the demo, and the rules that read what it writes: said here a second time, by hand.
# `rule:prior` are its jobs for the rebuilt benchmarks of prior works, which do not depend on the corpora.
JOBS = """
    fingerprint_names     1  build_kb build_kg build_prior_kb
    fingerprint_graph     1  build_kg build_prior_kb
    build_prior_kb        1  match_names build_prior_corpus remove_overlap audit_leakage:prior prove_audit type_surfaces
    match_names           4  build_prior_corpus
    build_prior_corpus    2  remove_overlap audit_leakage:prior index_wordpieces:prior train_run:prior
    build_prior_corpus    2  evaluate_bag_run:prior
    remove_overlap        2  audit_leakage:prior prove_audit index_wordpieces:prior train_run:prior
    remove_overlap        2  evaluate_bag_run:prior
    type_surfaces         1  train_run:prior
    index_wordpieces:prior 4 train_run:prior
    train_run:prior       4  evaluate_bag_run:prior write_report
    evaluate_bag_run:prior 4 render_table3
    audit_leakage:prior   4  render_table1 render_table2
    audit_leakage         2  render_table1 render_table2
    prove_audit           2
    fingerprint_medline   2  collect_medline_digests
    collect_medline_digests 1 extract_abstracts
    extract_abstracts     2  split_sentences unique_sentences
    split_sentences       2  unique_sentences detect_mentions
    unique_sentences      1  join_mentions build_corpus write_deviations write_report match_names build_prior_corpus
    build_kb              1  detect_mentions index_names build_corpus check_corpus
    index_names           1  link_surfaces
    detect_mentions       2  collect_surfaces join_mentions
    collect_surfaces      1  link_surfaces
    link_surfaces         1  join_mentions
    join_mentions         1  align_sentences measure_properties
    build_kg              1  render_table8 measure_properties type_surfaces
    build_kg              1  split_inductive split_transductive summarise_kg build_corpus align_sentences check_corpus
    split_inductive       1  render_table8 measure_properties summarise_kg align_sentences build_corpus check_corpus
    split_transductive    1  summarise_kg align_sentences build_corpus check_corpus
    summarise_kg          1  render_table5 render_table_a3 write_deviations
    align_sentences       2  build_corpus
    build_corpus          2  check_corpus index_words index_wordpieces train_run evaluate_bag_run evaluate_sent_run
    build_corpus          2  measure_properties compare_runs render_table1 audit_leakage
    build_corpus          2  render_table6 render_table_a2 render_table_a3 render_table_a4 write_deviations write_report
    check_corpus          2
    build_corpus          2  train_cells score_cells
    index_words           3  train_run train_cells score_cells
    train_cells           1  choose_cells
    choose_cells          1  score_cells render_table_a1
    score_cells           2  render_table_a1
    index_wordpieces      6  train_run
    train_run            21  evaluate_bag_run evaluate_sent_run write_report
    evaluate_bag_run     12  compare_runs render_table7 render_table8 render_table9 draw_figure4
    evaluate_sent_run     9  compare_runs render_table7 render_table9 render_table10 render_table11 draw_figure4
    measure_properties    1  render_table1 render_table4
    render_table1         1  verify_against_paper write_report
    render_table2         1  verify_against_paper write_report
    render_table3         1  verify_against_paper write_report
    render_table4         1  verify_against_paper write_report
    render_table5         1  verify_against_paper write_report
    render_table6         1  verify_against_paper write_report
    render_table7         1  draw_figure4 verify_against_paper write_report
    render_table8         1  verify_against_paper write_report
    render_table9         1  verify_against_paper write_report
    render_table10        1  verify_against_paper write_report
    compare_runs          1  write_report
    render_table11        1  verify_against_paper write_report
    render_table_a1       1  verify_against_paper write_report
    render_table_a2       1  verify_against_paper write_report
    render_table_a3       1  verify_against_paper write_report
    render_table_a4       1  verify_against_paper write_report
    build_kg              1  draw_figure1 draw_figure2
    build_corpus          2  sample_bags draw_figure3 draw_figure_a1
    train_run            21  sample_bags
    evaluate_bag_run     12  write_report
    evaluate_sent_run     9  draw_figure5 write_report
    sample_bags           1  draw_figure1 write_report
    draw_figure1          1  write_report
    draw_figure2          1  write_report
    draw_figure3          1  write_report
    draw_figure4          1  write_report
    draw_figure5          1  write_report
    draw_figure_a1        1  write_report
    verify_against_paper  1  write_report
    write_deviations      1
    write_report          1
"""
NODES, READERS = {}, collections.defaultdict(list)
for line in JOBS.strip().splitlines():
    name, count, *readers = line.split()
    NODES[name] = int(count)
    READERS[name] += readers


def counted(nodes):
    """Counts by rule of some nodes of `JOBS`."""
    total = collections.Counter()
    for node in nodes:
        total[node.partition(":")[0]] += NODES[node]
    return dict(total)


COUNTS = counted(NODES)


def nodes_below(*nodes):
    """These nodes and all that depend on them."""
    found, waiting = set(), list(nodes)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += READERS[name]
    return found


def below(*nodes):
    """Jobs of these nodes and of all that depend on them, counted by rule."""
    return counted(nodes_below(*nodes))


def above(node):
    """Jobs of a node and of all that it depends on, counted by rule."""
    return counted(name for name in NODES if node in nodes_below(name))


def by_rule(counted):
    """Counts by rule of counts by (rule, wildcards)."""
    total = collections.Counter()
    for (rule, _), number in counted.items():
        total[rule] += number
    return dict(total)


class Tree:
    """A checkout with results, the options of its runs, and ways to change it."""

    def __init__(self, folder, *options):
        self.folder, self.options = pathlib.Path(folder), options

    def copy(self, target):
        """A real copy with all time stamps."""
        subprocess.run(["cp", "-a", "--reflink=auto", self.folder, target], check=True, timeout=120)
        return Tree(target, *self.options)

    def clone(self, target):
        """A fresh clone of the sources, and copies of results, inputs and Snakemake's metadata."""
        git = ["git", "-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "core.excludesFile="]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "sources"]):
            if command[0] != "init" or not (self.folder / ".git").exists():
                subprocess.run([*git, *command], cwd=self.folder, timeout=60, capture_output=True)
        subprocess.run([*git, "clone", "-q", self.folder, target], check=True, timeout=60)
        for name in ("results", "resources", ".snakemake/metadata"):
            shutil.copytree(self.folder / name, target / name, dirs_exist_ok=True)
        return Tree(target, *self.options)

    def sources(self):
        """Files that a person edits."""
        for path in sorted(self.folder.rglob("*")):
            top = path.relative_to(self.folder).parts[0]
            if top not in {"results", "resources", "inputs", ".snakemake", ".git"} and path.is_file():
                yield path

    def edit(self, name, old, new):
        """Replace a text that stands once in a file."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def add(self, name, text):
        """Add a text to the end of a file, which may be new."""
        with open(self.folder / name, "a", encoding="utf-8") as stream:
            stream.write(text)

    def turn_round(self, name):
        """Write a configuration file anew with the keys of all its mappings in the opposite order."""
        path = self.folder / name
        turned = _turned(yaml.safe_load(path.read_text(encoding="utf-8")))
        path.write_text(yaml.safe_dump(turned, sort_keys=False), encoding="utf-8")

    def plan(self, *arguments):
        """Jobs that the next run would begin with, counted by (rule, wildcards)."""
        result = snakemake(self.folder, *self.options, "--cores", 2, "-n", *arguments)
        assert result.returncode == 0, result.stdout[-4000:]
        planned = jobs(result.stdout)
        assert bool(planned) != ("Nothing to be done" in result.stdout)
        return planned

    def run(self, *arguments):
        """Jobs that a run executes, counted by (rule, wildcards)."""
        result = snakemake(self.folder, *self.options, "--cores", 2, *arguments)
        assert result.returncode == 0, result.stdout[-6000:]
        return jobs(result.stdout)

    def accept(self, *arguments):
        """`--touch`: take what is there for current."""
        result = snakemake(self.folder, *self.options, "--cores", 1, "--touch", *arguments)
        assert result.returncode == 0, result.stdout[-4000:]


def _turned(value):
    if isinstance(value, dict):
        return {key: _turned(inner) for key, inner in reversed(value.items())}
    return value


def touch(*paths):
    """Give files the time stamp of now."""
    for path in paths:
        os.utime(path)


def wildcards(counted, *rules):
    """(rule, wildcards) pairs of some rules."""
    return {(rule, text) for rule, text in counted if rule in rules}

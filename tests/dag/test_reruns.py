"""What runs again after a change: the exact jobs of the next run of a finished tree. README, "Partial reruns"."""

import collections
import gzip
import re
import shutil

import pytest

from tests.dag.trees import COUNTS, Tree, above, below, by_rule, touch, wildcards
from tests.e2e.conftest import OWN, OWN_CONFIG, snakemake, write_medline
from tests.e2e.watched import WatchedRun, finished_jobs, jobs

TABLES = [name for name in COUNTS if name.startswith("render_table")]
TABLE7 = {"render_table7": 1, "draw_figure4": 1, "verify_against_paper": 1, "write_report": 1}
# a row of models.tsv changes, whatever it is
OF_MODELS = TABLE7 | {"compare_runs": 1, "draw_figure1": 1, "draw_figure5": 1}
OF_MODELS |= {f"render_table{number}": 1 for number in (3, 8, 9, 11)}
PRIOR_RUNS = ["train_run:prior", "evaluate_bag_run:prior"]
ONE_CORPUS = {"build_corpus": 1, "check_corpus": 1, "write_deviations": 1, "write_report": 1}
# the run of Table 10 on the transductive corpus, and those on the inductive one
TRANSDUCTIVE = ONE_CORPUS | dict.fromkeys(
    ["index_wordpieces", "train_run", "evaluate_sent_run", "audit_leakage", "render_table2", "render_table10"], 1
)
TRANSDUCTIVE |= {"verify_against_paper": 1}
INDUCTIVE = ONE_CORPUS | {"audit_leakage": 1, "index_wordpieces": 5, "train_run": 20}
INDUCTIVE |= {"evaluate_sent_run": 8, "evaluate_bag_run": 12}
LINKING = "results/own/linking/statistics.json"
GRAPH_AND_NAMES = ["results/own/kg/concepts.parquet", "results/own/linking/kb/aliases.parquet"]
BY_BATCH = ["fingerprint_medline", "extract_abstracts", "split_sentences", "detect_mentions"]
ALL_BATCHES = ["collect_medline_digests", "unique_sentences", "collect_surfaces", "link_surfaces", "join_mentions"]
FILE = "inputs/baseline/pubmed19n000{}.xml.gz"
CORPUS_JOBS = {"align_sentences": 2, "build_corpus": 2, "check_corpus": 2}
GRAPH_JOBS = {"split_inductive": 1, "split_transductive": 1} | CORPUS_JOBS
LINKING_JOBS = {"detect_mentions": 2, "collect_surfaces": 1, "index_names": 1, "link_surfaces": 1, "join_mentions": 1}
LINKING_JOBS |= CORPUS_JOBS
NEW_FIGURE = '''

rule draw_figure9:
    """A figure of one's own."""
    input:
        code=code("reporting/draw_figure9.py"),
        graph="<results>/kg/statistics.json",
    output:
        svg="<results>/figures/figure9.svg",
    shell:
        "python -P {input.code[0]:q} {input.graph:q} {output.svg:q}"
'''


@pytest.fixture
def demo(finished_demo, tmp_path):
    """A copy of the finished demo."""
    yield (tree := Tree(finished_demo).copy(tmp_path / "demo"))
    shutil.rmtree(tree.folder)


@pytest.fixture
def own(finished_own, tmp_path):
    """A copy of the tree whose corpora were built from a release and a baseline that no rule makes."""
    yield (tree := Tree(finished_own, *OWN).copy(tmp_path / "own"))
    shutil.rmtree(tree.folder)


def test_nothing_changed(finished_demo):
    assert Tree(finished_demo).plan() == {}


def test_a_fresh_clone_with_results_and_metadata(demo, tmp_path):
    clone = demo.clone(tmp_path / "clone")
    assert not (clone.folder / ".snakemake" / "log").exists()
    assert clone.plan() == {}
    shutil.rmtree(clone.folder)


def test_time_stamps_of_all_sources(demo):
    sources = list(demo.sources())
    assert len(sources) > 200
    touch(*sources)
    assert demo.plan() == {}


def test_a_comment_in_a_helper_is_accepted_by_touch(demo):
    demo.add("workflow_scripts/reporting/latex.py", "# a comment\n")
    assert by_rule(demo.plan()) == below(*TABLES)
    demo.accept()
    assert demo.plan() == {}


def test_keys_in_another_order(demo):
    for name in ("config.yaml", "profiles/demo/config.yaml"):
        before = (demo.folder / name).read_text(encoding="utf-8")
        demo.turn_round(name)
        assert (demo.folder / name).read_text(encoding="utf-8") != before
    assert demo.plan() == {}


@pytest.mark.parametrize("cores", [1, 7])
def test_another_number_of_cores(demo, cores):
    assert (
        demo.plan("--cores", cores, "--set-threads", "unique_sentences=5", "--set-resources", "build_kg:mem_mb=9") == {}
    )


CODE = {
    "of one stage": ("workflow_scripts/linking/forms.py", below("detect_mentions", "collect_surfaces", "index_names")),
    "of two stages": ("workflow_scripts/common/metrics.py", below("train_run", "train_cells", *PRIOR_RUNS)),
    "of five rules of three stages": (
        "workflow_scripts/common/contracts/aliases.py",
        below("build_kb", "detect_mentions", "index_names", "build_corpus", "check_corpus"),
    ),
    "of one rule": ("workflow_scripts/corpus/promises.py", {"check_corpus": 2}),
    "of a table": ("workflow_scripts/reporting/render_table5.py", below("render_table5")),
    "of no rule": ("workflow_scripts/planning/costs.py", {}),
    "of a rules file": ("rules/kg.smk", {}),
}


@pytest.mark.parametrize("case", CODE)
def test_a_change_of_code(demo, case):
    name, expected = CODE[case]
    demo.add(name, "\nADDED = 1\n")
    assert by_rule(demo.plan()) == expected


def test_the_command_of_a_rule(demo):
    demo.edit("rules/kg.smk", "--audit {output.audit:q} \\\n", "--audit {output.audit:q}  \\\n")
    # of the runs on rebuilt benchmarks only AMIL's two read the semantic types of the graph
    assert by_rule(demo.plan()) == below("build_kg") | {"train_run": 23, "evaluate_bag_run": 14}


def test_one_hyper_parameter_of_one_model(demo):
    row = next(line for line in models(demo) if line.startswith("pcnn_bag_att\t"))
    cells = row.split("\t")
    column = models(demo)[0].split("\t").index("position_size")
    demo.edit("experiments/models.tsv", row, "\t".join([*cells[:column], "6", *cells[column + 1 :]]))
    planned = demo.plan()
    assert by_rule(planned) == {"train_run": 1, "evaluate_bag_run": 1} | OF_MODELS
    assert ("train_run", "run=inductive.pcnn_bag_att.s1") in planned


def test_one_more_model(demo):
    row = next(line for line in models(demo) if line.startswith("gru_sent\t"))
    demo.add("experiments/models.tsv", row.replace("gru_sent\tGRU\t", "my_gru\tMine\t", 1) + "\n")
    planned = demo.plan()
    assert by_rule(planned) == {"train_run": 1, "evaluate_sent_run": 1} | OF_MODELS
    assert ("train_run", "run=inductive.my_gru.s1") in planned


def test_one_model_less(demo):
    row = next(line for line in models(demo) if line.startswith("gru_sent\t"))
    demo.edit("experiments/models.tsv", row + "\n", "")
    assert by_rule(demo.plan()) == OF_MODELS


def models(tree):
    return (tree.folder / "experiments/models.tsv").read_text(encoding="utf-8").splitlines()


CONFIG = {
    "seeds: [1, 2]": {
        # bags are shown with the marks of the first seed
        name: number
        for name, number in below("train_run", "train_cells", *PRIOR_RUNS).items()
        if name not in ("sample_bags", "draw_figure1")
    },
    "training: {overrides: {gru: {epochs: 9}}}": {
        "compare_runs": 1,
        "train_run": 4,
        "evaluate_bag_run": 3,
        "evaluate_sent_run": 1,
    }
    | TABLE7,
    "training: {save_every_minutes: 1}": {"verify_against_paper": 1, "write_report": 1},
    "evaluation: {precision_at: [9, 100, 200, 300, 1000, 2000]}": below(
        "evaluate_bag_run", "evaluate_sent_run", *PRIOR_RUNS[1:]
    ),
    "construction: {switches: {role_flip: published}}": below("align_sentences"),
    "construction: {switches: {relation_redraw: published}}": below("build_corpus"),
    "construction: {switches: {lost_train_labels: published}}": TRANSDUCTIVE
    | {"split_transductive": 1, "align_sentences": 1}
    | below("summarise_kg"),
    "corpora: {transductive: {max_bag_size: 50}}": TRANSDUCTIVE,
    "linking: {threshold: 0.6}": below("link_surfaces"),
    "kg: {inductive: {min_edges_left: 90}}": below("split_inductive") | INDUCTIVE | {"align_sentences": 1},
    "kg: {seed: 1}": below("split_inductive", "split_transductive"),
    "text: {min_tokens: 6}": below("unique_sentences"),
}


@pytest.mark.parametrize("overlay", CONFIG)
def test_one_value_of_the_configuration(finished_demo, tmp_path, overlay):
    (tmp_path / "overlay.yaml").write_text(overlay + "\n")
    changed = Tree(finished_demo, "--configfile", "profiles/demo/config.yaml", tmp_path / "overlay.yaml")
    assert by_rule(changed.plan()) == CONFIG[overlay]


def test_a_new_figure(demo):
    demo.add("rules/reporting.smk", NEW_FIGURE)
    demo.add("workflow_scripts/reporting/draw_figure9.py", "import sys\n")
    figure = "results/demo/figures/figure9.svg"
    assert demo.plan("--", "all", figure) == {("draw_figure9", ""): 1}
    assert demo.plan() == {}


@pytest.mark.parametrize(("table", "expected"), [("table7", TABLE7), ("table5", below("render_table5"))])
def test_a_number_of_the_paper(demo, table, expected):
    path = demo.folder / "experiments" / "expected" / f"{table}.tsv"
    text = path.read_text(encoding="utf-8")
    number = re.search(r"\d+", text)[0]
    path.write_text(text.replace(number, f"{number}1", 1), encoding="utf-8")
    assert by_rule(demo.plan()) == expected


def test_a_caption(demo):
    demo.add("report/table6.rst", "\nMore.\n")
    assert by_rule(demo.plan()) == below("render_table6")


def test_an_environment_file_of_jobs_that_ran_outside_of_it(demo):
    """Of jobs that ran inside: tests/envs/test_conda.py."""
    demo.add("envs/kg.yaml", "# a comment\n")
    assert demo.plan() == {}


def test_a_lost_output(demo):
    (demo.folder / "results/demo/tables/table_a4.tex").unlink()
    assert by_rule(demo.plan()) == below("render_table_a4")


def test_big_inputs_with_the_same_bytes(own):
    """Only their digests are made again, and they say that nothing else is to do."""
    touched = [own.folder / FILE.format(2), own.folder / "inputs/META/MRREL.RRF"]
    assert all(path.stat().st_size > 1_000_000 for path in touched)
    touch(*touched, own.folder / "inputs/META/MRDEF.RRF")
    digests = {("fingerprint_medline", "batch=0001"): 1, ("collect_medline_digests", ""): 1}
    assert own.run("corpus") == digests | {("fingerprint_graph", ""): 1}
    assert own.plan("corpus") == {}


def test_a_comment_in_the_code_of_a_digest(own):
    own.add("workflow_scripts/acquire/nlm_md5.py", "# a comment\n")
    checks = ["collect_medline_digests", "fingerprint_names", "fingerprint_graph"]
    assert by_rule(own.run("corpus")) == dict.fromkeys(checks, 1) | {"fingerprint_medline": 2}
    assert own.plan("corpus") == {}


def drop_first_citation(path):
    xml = gzip.decompress(path.read_bytes())
    first = re.search(rb"<PubmedArticle>.*?</PubmedArticle>\n?", xml, re.S)[0]
    write_medline(path, xml.replace(first, b"", 1))


def test_one_medline_file_with_other_bytes(own):
    drop_first_citation(own.folder / FILE.format(5))
    digests = {("fingerprint_medline", "batch=0002"): 1, ("collect_medline_digests", ""): 1}
    assert own.plan("corpus") == digests, "the rest is planned once it is made"
    ran = own.run("--", LINKING)
    assert wildcards(ran, *BY_BATCH) == {(rule, "batch=0002") for rule in BY_BATCH}
    assert by_rule(ran) == dict.fromkeys([*BY_BATCH, *ALL_BATCHES], 1)
    assert by_rule(own.plan("corpus")) == {"align_sentences": 2, "build_corpus": 2, "check_corpus": 2}
    assert own.plan("--", LINKING) == {}


def test_what_is_below_waits_for_slow_digests(own):
    """The graph is built anew while the digests are made; the corpora come after both, once."""
    own.edit("workflow_scripts/acquire/fingerprint_medline.py", "    lines = []\n", "    sleep(20)\n    lines = []\n")
    own.edit("workflow_scripts/acquire/fingerprint_medline.py", "from pathlib", "from time import sleep\nfrom pathlib")
    own.add("workflow_scripts/kg/facts.py", "# a comment\n")
    drop_first_citation(own.folder / FILE.format(5))
    graph = {"build_kg": 1} | GRAPH_JOBS
    ran = dict.fromkeys([*BY_BATCH, *ALL_BATCHES], 1) | graph | {"fingerprint_medline": 2}
    assert by_rule(own.run("corpus")) == ran
    assert own.plan("corpus") == {}


def test_medline_files_that_are_added(own):
    """They fill the last batch and begin a new one; the first stays as it is."""
    for number in (7, 8, 9):
        xml = gzip.decompress((own.folder / FILE.format(number - 6)).read_bytes())
        write_medline(own.folder / FILE.format(number), re.sub(rb"(<PMID[^>]*>)3", rb"\g<1>4", xml))
    ran = own.run("--", LINKING)
    assert wildcards(ran, *BY_BATCH) == {(rule, f"batch={n}") for rule in BY_BATCH for n in ("0002", "0003")}
    assert by_rule(ran) == dict.fromkeys(BY_BATCH, 2) | dict.fromkeys(ALL_BATCHES, 1)
    assert own.plan("--", LINKING) == {}


# name of the case: (table, text in its first row, another text) of each change, and what runs
RELEASES = {
    "an alias": (
        [("MRCONSO", "|N|A", "|Y|A")],
        dict.fromkeys(["fingerprint_names", "build_kb", "build_kg"], 1) | GRAPH_JOBS | LINKING_JOBS,
    ),
    "a relation": ([("MRREL", "|R1", "|R2")], {"fingerprint_graph": 1, "build_kg": 1} | GRAPH_JOBS),
}


def change(tree, table, old, new):
    """Change the first row of a table that has a text."""
    path = tree.folder / "inputs/META" / f"{table}.RRF"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text


@pytest.mark.parametrize("case", RELEASES)
def test_a_changed_release(own, case):
    changes, expected = RELEASES[case]
    for table, old, new in changes:
        change(own, table, old, new)
    assert by_rule(own.run("corpus")) == expected
    assert own.plan("corpus") == {}


def test_another_folder_with_the_same_release(own):
    """The set of the files that jobs read is another one, whatever is in them."""
    (own.folder / "inputs/META").rename(own.folder / "inputs/2020AA")
    (own.folder / "own.yaml").write_text(OWN_CONFIG.replace("inputs/META", "inputs/2020AA"))
    at_once = ["fingerprint_names", "fingerprint_graph", "build_kb", "build_kg"]
    assert by_rule(own.run("--", *GRAPH_AND_NAMES)) == dict.fromkeys(at_once, 1)
    assert own.plan("corpus") == {}


def test_another_release(own):
    for table, old, new in (("MRCONSO", "|N|A", "|Y|A"), ("MRSTY", "|AT", "|AT1"), ("MRDEF", "other", "else")):
        change(own, table, old, new)
    at_once = ["fingerprint_names", "fingerprint_graph", "build_kb", "build_kg"]
    assert by_rule(own.run("--", *GRAPH_AND_NAMES)) == dict.fromkeys(at_once, 1)


def test_a_change_that_does_not_reach_the_output_of_a_job_that_ran_alone(own):
    """The linker asks whether a concept is defined, not how: its knowledge base stays as it was, and all below it."""
    change(own, "MRDEF", "invented", "imagined")
    assert by_rule(own.run("--", *GRAPH_AND_NAMES)) == {"fingerprint_names": 1, "build_kb": 1}
    assert own.plan("corpus") == {}


def test_runs_that_are_killed_repeat_no_finished_job(own):
    """Killed as a digest, an extraction and a corpus are made; each job comes to its end once, all runs together."""
    shutil.rmtree(own.folder / "results")
    shutil.rmtree(own.folder / ".snakemake")
    begun, ended = collections.Counter(), collections.Counter()
    for rule in ("fingerprint_graph", "extract_abstracts", "build_corpus", None):
        run = WatchedRun(own.folder, *own.options, "--cores", 2, "--", "corpus")
        if rule:
            assert run.wait_for(lambda lines, rule=rule: any(line and f"{rule}:" in line for line in lines))
            run.kill()
            assert run.unlock() == 0
        else:
            assert run.wait() == 0, run.output()[-6000:]
        begun += jobs(run.output())
        ended += finished_jobs(run.output())
    every = above("check_corpus")
    assert by_rule(dict.fromkeys(begun, 1)) == every
    assert set(ended.values()) == {1}
    # Snakemake may be killed after it has noted the end of a job and before it tells: such a job began and ended once
    untold = begun.keys() - ended.keys()
    assert len(untold) <= 3 and {begun[job] for job in untold} <= {1}
    assert own.plan("corpus") == {}
    assert "Nothing to be done" in snakemake(own.folder, *own.options, "--cores", 2, "corpus").stdout

"""The commands evaluate_run and predict: files, values, and what must not change them."""

import functools
import json

import numpy as np
import pytest

from tests.evaluation.conftest import REL2ID
from workflow_scripts.common.contracts.curves import CURVE
from workflow_scripts.common.contracts.instances import INSTANCES
from workflow_scripts.common.contracts.scores import SCORES
from workflow_scripts.common.metrics import evaluate
from workflow_scripts.common.tables import check_file, read_table
from workflow_scripts.evaluation.evaluate_run import Params, evaluate_run

PARAMS = {
    "precision_at": [5, 50, 100000],
    "fixed_threshold": 0.5,
    "common_triple_sentences": 3,
    "device": "cpu",
    "threads": 1,
}
FILES = ("metrics.json", "curve.parquet", "scores.parquet", "scores_valid.parquet")
RELATIONS = sorted(set(REL2ID) - {"NA"})


@pytest.fixture(scope="module")
def evaluated(corpus, run_command, tmp_path_factory):
    """`evaluated(run, "avg", "one", OMP_NUM_THREADS="1")`: the process and its output folder, made once."""

    @functools.cache
    def run(folder, *poolings, **environment):
        output = tmp_path_factory.mktemp("evaluation")
        options = ["--run", folder, "--valid", corpus / "valid.parquet", "--test", corpus / "test.parquet"]
        options += ["--poolings", *poolings, "--output", output, "--params", json.dumps(PARAMS)]
        options += ["--record", output / "record.json"]
        return run_command("evaluation/evaluate_run.py", *options, environment=environment), output

    return run


def matrices(corpus, folder, split, name):
    """Scores and facts of a split, read back from the files with plain Python."""
    rows = read_table(folder / name, SCORES).to_pylist()
    facts = {
        (row["head"], row["tail"], row["relation"])
        for row in read_table(corpus / f"{split}.parquet", INSTANCES).to_pylist()
        if row["relation"] != "NA"
    }
    known = [(row["head"], row["tail"], row["relation"]) in facts for row in rows]
    assert sum(known) == len(facts)
    shape = (-1, len(RELATIONS))
    return np.array([row["score"] for row in rows], np.float32).reshape(shape), np.array(known).reshape(shape)


@pytest.mark.parametrize(("encoder", "trained"), [("cnn", None), ("gru", "att"), ("bert", "one")])
def test_metrics_follow_from_the_scores(corpus, make_run, evaluated, encoder, trained):
    poolings = [trained] if trained else ["avg", "one"]
    done, output = evaluated(make_run(encoder, trained), *poolings)
    assert done.returncode == 0, done.stderr
    for pooling in poolings:
        folder = output / pooling
        assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
        metrics = json.loads((folder / "metrics.json").read_text())
        for split, name, found in (("test", FILES[2], metrics), ("valid", FILES[3], metrics["valid"])):
            assert check_file(folder / name, SCORES)
            scores, facts = matrices(corpus, folder, split, name)
            expected = evaluate(scores, facts, relations=RELATIONS, precision_at=PARAMS["precision_at"])
            for key, value in expected.items():
                if key in found:
                    assert found[key] == value, (split, key)
        assert metrics["p@100000"] is None and 0 < metrics["auc"] < 1
        assert (metrics["run"], metrics["pooling"]) == (f"toy.{encoder}_{trained or 'sent'}.s0", pooling)
        assert check_file(folder / "curve.parquet", CURVE) == metrics["n_facts"]
    record = json.loads((output / "record.json").read_text())
    assert "workflow_scripts/common/metrics.py" in record["code"] and "torch" in record["versions"]


def test_scores_do_not_depend_on_cores_or_hash_seed(make_run, evaluated):
    contents = []
    for cores in ("1", "2"):
        environment = {"OMP_NUM_THREADS": cores, "RAYON_NUM_THREADS": cores, "PYTHONHASHSEED": cores}
        done, output = evaluated(make_run("bert", None), "avg", "one", **environment)
        assert done.returncode == 0, done.stderr
        contents.append([(output / pooling / name).read_bytes() for pooling in ("avg", "one") for name in FILES])
    assert contents[0] == contents[1]


def test_parameters_have_their_effect(corpus, make_run, tmp_path):
    found = {}
    for threshold in (0.2, 0.9):
        settings = Params(**PARAMS | {"fixed_threshold": threshold, "precision_at": [7]})
        splits = {split: corpus / f"{split}.parquet" for split in ("valid", "test")}
        evaluate_run(make_run("cnn", "one"), splits, ["one"], tmp_path / str(threshold), settings)
        found[threshold] = json.loads((tmp_path / str(threshold) / "one" / "metrics.json").read_text())
        assert [key for key in found[threshold] if key.startswith("p@")] == ["p@7"]
    assert found[0.2]["micro_f1"] != found[0.9]["micro_f1"] and found[0.2]["auc"] == found[0.9]["auc"]


def test_errors_leave_no_file(make_run, evaluated, tmp_path):
    done, output = evaluated(make_run("cnn", "one"), "att")
    assert done.returncode == 2 and "att needs a model" in done.stderr and "Traceback" not in done.stderr
    assert not list(output.rglob("*.json")) and not list(output.rglob("*.parquet"))
    done, _ = evaluated(tmp_path / "none", "avg")
    assert done.returncode == 3 and "train the run again" in done.stderr


@pytest.mark.parametrize(("encoder", "trained"), [("cnn", None), ("gru", "att"), ("bert", "one")])
@pytest.mark.parametrize("source", ["test.jsonl", "test.parquet"])
def test_predict_equals_the_evaluation(corpus, make_run, evaluated, run_command, tmp_path, encoder, trained, source):
    folder = make_run(encoder, trained)
    pooling = trained or "avg"
    done, output = evaluated(folder, pooling)
    assert done.returncode == 0, done.stderr
    options = ["--run", folder, "--input", corpus / source, "--output", tmp_path / "scores.parquet", "--device", "cpu"]
    done = run_command("evaluation/predict.py", *options, "--explain", tmp_path / "why.jsonl")
    assert done.returncode == 0, done.stderr
    expected = read_table(output / pooling / "scores.parquet", SCORES)
    found = read_table(tmp_path / "scores.parquet", SCORES)
    assert found.drop(["score"]).equals(expected.drop(["score"]))
    assert np.abs(found["score"].to_numpy() - expected["score"].to_numpy()).max() <= 1e-6
    why = [json.loads(text) for text in (tmp_path / "why.jsonl").read_text(encoding="utf-8").splitlines()]
    best = {}
    for row in found.to_pylist():
        best[row["head"], row["tail"]] = max(best.get((row["head"], row["tail"]), 0), row["score"])
    assert {(item["head"], item["tail"]): item["score"] for item in why} == best


def test_predict_reads_no_labels(corpus, make_run, run_command, tmp_path):
    lines = [json.loads(text) for text in (corpus / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    outputs = []
    for label in (None, "a relation that nobody knows"):
        changed = [
            {k: v for k, v in item.items() if k != "relation"} | ({"relation": label} if label else {})
            for item in lines
        ]
        (tmp_path / "input.jsonl").write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
        options = ["--run", make_run("cnn", "avg"), "--input", tmp_path / "input.jsonl"]
        done = run_command("evaluation/predict.py", *options, "--output", tmp_path / "scores.parquet")
        assert done.returncode == 0, done.stderr
        outputs.append((tmp_path / "scores.parquet").read_bytes())
    assert outputs[0] == outputs[1]


def test_predict_names_the_bad_line(make_run, run_command, tmp_path):
    (tmp_path / "input.jsonl").write_text('{"text": "x"\n', encoding="utf-8")
    options = ["--run", make_run("cnn", "avg"), "--input", tmp_path / "input.jsonl", "--output", tmp_path / "s.parquet"]
    done = run_command("evaluation/predict.py", *options)
    assert done.returncode == 3 and "input.jsonl, line 1" in done.stderr
    assert not (tmp_path / "s.parquet").exists()

"""The registry of pretrained encoders, experiments/encoders.tsv."""

import json

import pytest

from tests.common.test_configuration import changed
from workflow_scripts.common import configuration
from workflow_scripts.common.errors import UsageError

TABLE_11 = {
    "bert": "",
    "clinicalbert": "biomedical clinical",
    "bluebert": "biomedical",
    "scibert": "biomedical",
    "biobert": "biomedical",
    "pubmedbert": "biomedical",
    "medtype": "biomedical type",
    "kebiolm": "biomedical triples",
    "umlsbert": "biomedical clinical type",
    "sapbert": "biomedical synonyms",
}


def test_the_registry_has_the_encoders_of_table_11_with_its_kinds_of_knowledge(config, repository):
    plan = configuration.Plan(config, repository)
    kinds = ("biomedical", "clinical", "type", "triples", "synonyms")
    found = {name: " ".join(k for k in kinds if row[k] == "yes") for name, row in plan.encoders.items()}
    assert found == TABLE_11
    assert [row["path"] for row in plan.encoders.values()] == [f"resources/encoders/{name}" for name in TABLE_11]


def test_an_encoder_is_at_hand_or_the_reason_is_said(config, repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with_hub = {"bluebert", "biobert", "pubmedbert", "sapbert"}
    plan = configuration.Plan(config, repository)
    assert {name for name in plan.encoders if plan.encoder_missing(name) is None} == with_hub
    assert "no hub id is known" in plan.encoder_missing("kebiolm") and "neither in" in plan.encoder_missing("roberta")
    files = [f"resources/encoders/sapbert/{name}" for name in ("config.json", "model.safetensors")]
    assert plan.encoder_files("sapbert", "weights") == files
    offline = configuration.Plan(changed(config, "downloads.encoders", False), repository)
    assert "downloads.encoders is false" in offline.encoder_missing("sapbert")
    elsewhere = changed(config, "encoders", {"sapbert": {"path": "elsewhere"}, "own": {"path": "own"}})
    plan = configuration.Plan(elsewhere, repository)
    assert "not below resources/" in plan.encoder_missing("sapbert")
    assert "set encoders.own.path" in plan.encoder_missing("own") and plan.encoders["own"]["hub_id"] is None
    for name in ("vocab.txt", "config.json", "model.safetensors"):
        for folder in ("own", "resources/encoders/biobert"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).touch()
    assert plan.encoder_missing("own") is None
    assert (plan.own_folder("own"), plan.own_folder("sapbert"), plan.own_folder("biobert")) == (
        "own",
        "elsewhere",
        None,
    )
    # a folder that stands there is taken as it is, whatever its files are called at the hub
    assert plan.encoder_files("biobert", "weights")[1] == "resources/encoders/biobert/model.safetensors"


def test_a_download_that_failed_leaves_out_its_row_of_table_11(config, repository, tmp_path, monkeypatch):
    """Until the note is gone, the row was mended or the files are there; other tables do not go without it."""
    monkeypatch.chdir(tmp_path)
    note = {"hub_id": "cambridgeltl/SapBERT-from-PubMedBERT-fulltext", "revision": None, "weights": "model.safetensors"}

    def of(config, encoder="sapbert", **said):
        path = tmp_path / f"resources/encoders/{encoder}.absent.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(note | {"found": "HTTP 404\n gone"} | said))
        plan = configuration.Plan(config, repository)
        return plan, {entry["model"] for entry in plan.runs.values()}

    plan, models = of(config)
    why = "not at hand: its download failed, HTTP 404 gone (remove resources/encoders/sapbert.absent.json to try again)"
    assert plan.encoder_missing("sapbert") == why and plan.absent_encoders() == {"sapbert": why}
    assert "sent_sapbert" not in models and "sent_pubmedbert" in models
    retry = changed(config, "downloads.failed_encoders", "retry")
    for other in (of(retry), of(config, weights="pytorch_model.bin"), of(config, revision="main")):
        assert "sent_sapbert" in other[1] and not other[0].absent_encoders()
    of(config)
    (tmp_path / "resources/encoders/sapbert").mkdir()
    for name in ("vocab.txt", "tokenizer_config.json", "config.json", "model.safetensors"):
        (tmp_path / "resources/encoders/sapbert" / name).touch()
    assert configuration.Plan(config, repository).encoder_missing("sapbert") is None
    # Table 7 needs BioBERT: its rows stay, and fail with the download
    plan, models = of(config, "biobert", hub_id="dmis-lab/biobert-v1.1", weights="pytorch_model.bin")
    assert "biobert" in plan.absent_encoders() and "bert_sent" in models


@pytest.mark.parametrize(
    "column, value, words",
    [
        ("biomedical", "maybe", "biomedical: 'maybe'"),
        ("markers", "[unused1]", "markers"),
        ("weights", "", "weights"),
        ("encoder", "biobert", "stands there twice"),
        ("hub_id", "../evil", "hub_id"),
    ],
)
def test_a_wrong_row_of_the_registry(config, repository, tmp_path, column, value, words):
    lines = (repository / "experiments/encoders.tsv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split("\t").index(column)
    cells = lines[-1].split("\t")
    cells[place] = value
    (tmp_path / "encoders.tsv").write_text("\n".join([*lines[:-1], "\t".join(cells)]) + "\n")
    with pytest.raises(UsageError, match=words) as error:
        configuration.Plan(changed(config, "experiments.encoders", str(tmp_path / "encoders.tsv")), repository)
    assert "encoders.tsv, line 11" in str(error.value)

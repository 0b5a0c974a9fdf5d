"""Encoders from a server in the hub's layout."""

import hashlib
import json
import random

import pytest

from workflow_scripts.acquire.sources_lock import read

pytestmark = pytest.mark.timeout(60)
MODEL = "some-lab/some-bert"
COMMITS = ["a1" * 20, "b2" * 20]
NAMES = ["vocab.txt", "tokenizer_config.json", "config.json", "pytorch_model.bin"]


def contents(commit):
    return {
        "config.json": b'{"model_type": "bert"}',
        "vocab.txt": b"[PAD]\n[UNK]\n",
        "pytorch_model.bin": random.Random(commit).randbytes(100_000),
    }


@pytest.fixture
def hub(server):
    """A hub with one model of two commits, `main` being the first; gives a function that serves a commit as main."""

    def serve(main, lacks=(), lie=None):
        for commit in COMMITS:
            files = {name: body for name, body in contents(commit).items() if name not in lacks}
            siblings = []
            for name, body in files.items():
                server.files[f"/{MODEL}/resolve/{commit}/{name}"] = body
                entry = {"rfilename": name, "size": len(body)}
                if name == "pytorch_model.bin":
                    entry["lfs"] = {"sha256": lie or hashlib.sha256(body).hexdigest(), "size": len(body)}
                siblings.append(entry)
            answer = json.dumps({"id": MODEL, "sha": commit, "siblings": siblings}).encode()
            for revision in (commit, *(["main"] if commit == main else [])):
                server.files[f"/api/models/{MODEL}/revision/{revision}?blobs=true"] = answer

    return serve


@pytest.fixture
def download(run_command, tmp_path, server):
    def run(revision=None, folder="bert", **environment):
        settings = {"encoder": "bert", "hub_id": MODEL, "revision": revision, "weights": "pytorch_model.bin"}
        return run_command(
            "acquire/download_encoder.py",
            *("--files", *(tmp_path / folder / name for name in NAMES), "--lock", tmp_path / "sources.lock"),
            *("--params", json.dumps(settings)),
            *("--attempts", 3, "--timeout", 2, "--wait", 0.01, "--longest-wait", 0.05),
            environment={"HF_ENDPOINT": server.address, "HF_TOKEN": ""} | environment,
        )

    return run


def holds(folder, commit):
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents(commit) | {
        "tokenizer_config.json": b"{}\n"
    }


def test_main_is_pinned_at_the_first_download(hub, download, server, tmp_path):
    hub(COMMITS[0])
    server.faults[f"/{MODEL}/resolve/{COMMITS[0]}/pytorch_model.bin"] = [server.cut(40_000), server.status(502)]
    done = download()
    assert done.returncode == 0, done.stderr
    holds(tmp_path / "bert", COMMITS[0])
    pins = read(tmp_path / "sources.lock")
    assert sorted(pins) == [f"encoder/bert/{name}" for name in ("config.json", "pytorch_model.bin", "vocab.txt")]
    assert all(f"/resolve/{COMMITS[0]}/" in pin.url for pin in pins.values())
    # main moves on: a new download is the pinned commit still, and files that are there ask nothing
    hub(COMMITS[1])
    assert download(folder="again").returncode == 0
    holds(tmp_path / "again", COMMITS[0])
    asked = len(server.asked)
    assert download().returncode == 0 and len(server.asked) == asked
    (tmp_path / "bert" / "vocab.txt").write_bytes(b"other")
    done = download()
    assert done.returncode == 3 and "encoder/bert/vocab.txt" in done.stderr and "pinned before" in done.stderr


def test_what_cannot_be_had_is_noted_until_it_can(hub, download, server, tmp_path):
    """The note names the row that was asked for; damage that is no matter of the hub leaves none."""
    note = tmp_path / "bert.absent.json"
    done = download()
    assert done.returncode == 3 and str(note) in done.stderr and "Traceback" not in done.stderr
    said = json.loads(note.read_text())
    assert said == {"hub_id": MODEL, "revision": None, "weights": "pytorch_model.bin", "found": said["found"]}
    assert "404" in said["found"]
    hub(COMMITS[0])
    assert download().returncode == 0 and not note.exists()
    (tmp_path / "bert" / "vocab.txt").write_bytes(b"other")
    assert download().returncode == 3 and not note.exists()


def test_a_file_that_the_hub_breaks_off_is_noted(hub, download, server, tmp_path):
    hub(COMMITS[0])
    server.faults[f"/{MODEL}/resolve/{COMMITS[0]}/pytorch_model.bin"] = [server.status(503)] * 9
    assert download().returncode == 3
    assert "503" in json.loads((tmp_path / "bert.absent.json").read_text())["found"]


def test_a_named_revision(hub, download, tmp_path):
    hub(COMMITS[0])
    assert download(COMMITS[1]).returncode == 0
    holds(tmp_path / "bert", COMMITS[1])
    # another revision is not taken for the one that is there
    for folder in ("bert", "elsewhere"):
        done = download(COMMITS[0], folder)
        assert done.returncode == 3 and f"commit {COMMITS[1]}, pinned before" in done.stderr, done.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_a_branch_that_is_the_pinned_commit(hub, download, tmp_path):
    hub(COMMITS[0])
    for _ in range(2):
        assert download("main").returncode == 0
    holds(tmp_path / "bert", COMMITS[0])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"lacks": ["pytorch_model.bin"]}, ["no pytorch_model.bin; there is config.json, vocab.txt", "weights"]),
        ({"lie": "0" * 64}, ["where " + "0" * 64 + " is published"]),
    ],
)
def test_files_that_are_not_what_the_hub_says(hub, download, tmp_path, fault, words):
    hub(COMMITS[0], **fault)
    done = download()
    assert done.returncode == 3 and all(word in done.stderr for word in words), done.stderr
    assert not (tmp_path / "bert" / "pytorch_model.bin").exists() and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"<html>", "an answer that is not of the hub"),
        (b'{"sha": "main", "siblings": []}', "no commit"),
        (None, "HTTP 404"),
    ],
)
def test_a_hub_that_answers_otherwise(server, download, answer, words):
    if answer is not None:
        server.files[f"/api/models/{MODEL}/revision/main?blobs=true"] = answer
    done = download()
    assert done.returncode == 3 and words in done.stderr and "set encoders.bert.path" in done.stderr


def test_a_token_goes_to_the_hub_alone(hub, download, server, tmp_path):
    """As at the hub, weights are redirected to another host."""
    hub(COMMITS[0])
    path = f"/{MODEL}/resolve/{COMMITS[0]}/pytorch_model.bin"
    server.files["/elsewhere/weights"] = server.files[path]
    elsewhere = server.address.replace("127.0.0.1", "localhost")
    server.faults[path] = [server.status(302, Location=f"{elsewhere}/elsewhere/weights")]
    done = download(HF_TOKEN="hf_very_secret")
    assert done.returncode == 0, done.stderr
    holds(tmp_path / "bert", COMMITS[0])
    sent = {path: headers.get("Authorization") for path, headers in server.asked}
    assert sent.pop("/elsewhere/weights") is None and set(sent.values()) == {"Bearer hf_very_secret"}
    assert "hf_very_secret" not in done.stderr + (tmp_path / "sources.lock").read_text()

"""Keys in the environment of a run are nowhere in what the run leaves behind."""

import base64
import gzip
import zlib

import pytest

from tests.e2e.conftest import OWN, SECRETS, snakemake


def forms(secret):
    """The bytes under which a secret may hide: itself, in hex, and in base64 at each of the three alignments."""
    plain = secret.encode()
    yield from (plain, plain.hex().encode())
    for shift in range(3):
        # characters at the ends depend on the neighbours
        yield base64.b64encode(b"-" * shift + plain)[4:-4]


def contents(data):
    """A file's bytes, and what is packed in them by gzip."""
    yield data
    if data[:2] == b"\x1f\x8b":
        try:
            yield gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            pass


def leaks(folder, secrets=SECRETS):
    """Files below a folder that hold, or are named with, a secret: (path, name of the variable)."""
    found = []
    for path in sorted(folder.rglob("*")):
        texts = [str(path.relative_to(folder)).encode()]
        if path.is_file() and not path.is_symlink():
            texts += contents(path.read_bytes())
        for name, secret in secrets.items():
            if any(form in text for form in forms(secret) for text in texts):
                found.append((str(path.relative_to(folder)), name))
    return found


@pytest.mark.parametrize("where", ["plain", "base64", "gzip", "name"])
@pytest.mark.parametrize("variable", SECRETS)
def test_what_is_looked_for_would_be_found(tmp_path, variable, where):
    secret = SECRETS[variable]
    name, data = {
        "plain": ("a.log", f"key={secret}\n".encode()),
        "base64": ("b.json", base64.b64encode(f"{{'env': '{secret}'}}".encode())),
        "gzip": ("c.gz", gzip.compress(f"<a href='?apiKey={secret}'>".encode())),
        "name": (f"d_{secret}", b""),
    }[where]
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / name).write_bytes(data)
    (tmp_path / "innocent.txt").write_text("UMLS_API_KEY and HF_TOKEN are variables")
    assert leaks(tmp_path) == [(f"below/{name}", variable)]


def test_corpora(finished_own):
    for part in ("results/own", ".snakemake/metadata", ".snakemake/log"):
        assert any((finished_own / part).rglob("*"))
    assert leaks(finished_own / "results") + leaks(finished_own / ".snakemake") == []


def test_the_whole_demo(finished_demo):
    """Training, tables and the report too."""
    assert (finished_demo / "results/demo/report.html").is_file()
    assert leaks(finished_demo / "results") + leaks(finished_demo / ".snakemake") == []


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("build_kb.py", "raise RuntimeError('a bug')"),
        ("build_kb.py", "from workflow_scripts.common.errors import DataError; raise DataError('x.RRF', 1, 'a', 'b')"),
    ],
    ids=["a bug", "bad input"],
)
def test_a_run_that_fails(finished_own, checkout, script, line):
    """Tracebacks, the log's tail on the screen and the note for later attempts are kept clean too."""
    folder = checkout("failing")
    for name in ("own.yaml", "inputs"):
        (folder / name).symlink_to(finished_own / name)
    path = folder / "workflow_scripts" / "linking" / script
    text = path.read_text(encoding="utf-8")
    assert text.count("def main(args):\n") == 1
    path.write_text(text.replace("def main(args):\n", f"def main(args):\n    {line}\n"), encoding="utf-8")
    result = snakemake(folder, *OWN, "--cores", 1, "--", "results/own/linking/kb/aliases.parquet")
    assert result.returncode == 1 and "Error in rule build_kb" in result.stdout
    (folder / "screen.txt").write_text(result.stdout)
    assert list(folder.rglob("build_kb.json.failed"))
    assert leaks(folder / "results") + leaks(folder / ".snakemake") == []
    assert not any(secret in result.stdout for secret in SECRETS.values())

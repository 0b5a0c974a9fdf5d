"""MEDLINE files made for tests, and the commands of the stage in a row."""

import gzip
import importlib
import io
import json
import logging
import types

import pytest

from workflow_scripts.common.errors import PipelineError

HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" '
    '"http://127.0.0.1:9/never.dtd">\n<PubmedArticleSet>\n'
)
TAIL = "</PubmedArticleSet>\n"


def citation(pmid, *sections, version=1, language="eng", after="", other=""):
    """XML of a citation; sections are inner XML of AbstractText, or (label, inner XML)."""
    texts = ""
    for section in sections:
        label, inner = section if isinstance(section, tuple) else (None, section)
        mark = f' Label="{label}"' if label else ""
        texts += f"<AbstractText{mark}>{inner}</AbstractText>"
    abstract = f"<Abstract>{texts}<CopyrightInformation>Someone.</CopyrightInformation></Abstract>" if sections else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="{version}">{pmid}</PMID><Article>'
        f"<ArticleTitle>Title {pmid}.</ArticleTitle>{abstract}<Language>{language}</Language></Article>"
        f"<CommentsCorrectionsList><CommentsCorrections><PMID>999</PMID></CommentsCorrections></CommentsCorrectionsList>"
        f"{other}</MedlineCitation><PubmedData>{after}</PubmedData></PubmedArticle>\n"
    )


def other_abstract(*sections):
    """XML of an OtherAbstract."""
    return (
        '<OtherAbstract Type="Publisher" Language="fre">'
        + "".join(f"<AbstractText>{section}</AbstractText>" for section in sections)
        + "</OtherAbstract>"
    )


def deletion(*pmids):
    """XML of a DeleteCitation; an entry is a PMID or (PMID, version)."""
    pairs = [entry if isinstance(entry, tuple) else (entry, 1) for entry in pmids]
    return "<DeleteCitation>" + "".join(f'<PMID Version="{v}">{p}</PMID>' for p, v in pairs) + "</DeleteCitation>\n"


def write(path, *records, head=HEAD, tail=TAIL):
    """Write a .xml.gz file."""
    data = head + "".join(records) + tail
    path.write_bytes(gzip.compress(data.encode("utf-8"), mtime=0))
    return path


class Stage:
    """The commands of the text stage over MEDLINE files, as the rules call them.

    A command runs in this process, or in one of its own where its environment is given.
    """

    def __init__(self, run_command, folder):
        self.new_process, self.folder = run_command, folder

    def run_command(self, script, *arguments, environment=None):
        """Run a command; gives an object with returncode and stderr."""
        if environment is not None:
            return self.new_process(script, *arguments, environment=environment)
        module = importlib.import_module("workflow_scripts." + script.removesuffix(".py").replace("/", "."))
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        logging.getLogger().addHandler(handler)
        try:
            module.main(module.arguments().parse_args(list(map(str, arguments))))
            code = 0
        except PipelineError as error:
            log.write(str(error))
            code = error.exit_code
        finally:
            logging.getLogger().removeHandler(handler)
        return types.SimpleNamespace(returncode=code, stderr=log.getvalue())

    def extract(self, files, batch="0001", files_per_job=100, environment=None, **settings):
        """Run extract_abstracts over one batch; gives the process."""
        values = {"max_bad_records": 0, "inline_markup": "mended", "other_abstracts": "mended"} | settings
        return self.run_command(
            "text/extract_abstracts.py",
            *("--files", *files, "--batch", batch, "--memory-mb", 500),
            *("--abstracts", self.folder / f"abstracts/{batch}.parquet"),
            *("--citations", self.folder / f"citations/{batch}.parquet"),
            *("--params", json.dumps({"files_per_job": files_per_job} | values)),
            environment=environment,
        )

    def split(self, batch="0001", engine="rule", model=None, environment=None):
        """Run split_sentences over one batch; gives the process."""
        return self.run_command(
            "text/split_sentences.py",
            *("--abstracts", self.folder / f"abstracts/{batch}.parquet"),
            *("--sentences", self.folder / f"split/{batch}.parquet"),
            *("--params", json.dumps({"engine": engine, "model": model})),
            environment=environment,
        )

    def unique(self, batches, threads=1, environment=None, **settings):
        """Run unique_sentences over all batches; gives the process."""
        values = {"min_tokens": 1, "max_tokens": 999, "partitions": 2, "stream_tails": "mended"} | settings
        return self.run_command(
            "text/unique_sentences.py",
            *("--batches", *batches, "--threads", threads, "--memory-mb", 500),
            *("--citations", self.folder / "citations", "--split", self.folder / "split"),
            *("--sentences", self.folder / "sentences", "--occurrences", self.folder / "occurrences"),
            *("--statistics", self.folder / "statistics.json", "--params", json.dumps(values)),
            environment=environment,
        )

    def all(self, files, files_per_job, threads=1, environment=None, **settings):
        """Run the whole stage; gives the statistics."""
        starts = range(0, len(files), files_per_job)
        batches = [f"{number:04d}" for number in range(1, len(starts) + 1)]
        for batch, start in zip(batches, starts, strict=True):
            chosen = files[start : start + files_per_job]
            succeed(self.extract(chosen, batch, files_per_job, environment))
            succeed(self.split(batch, environment=environment))
        succeed(self.unique(batches, threads, environment, **settings))
        return json.loads((self.folder / "statistics.json").read_text())

    def written(self):
        """Bytes of the files that leave the stage, by name."""
        files = [*self.folder.glob("sentences/*"), *self.folder.glob("occurrences/*"), self.folder / "statistics.json"]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}


def succeed(process):
    """The process, which must have ended well."""
    assert process.returncode == 0, process.stderr
    return process


@pytest.fixture
def stage(run_command, tmp_path):
    """The stage in an empty folder."""
    return Stage(run_command, tmp_path / "text")


@pytest.fixture(scope="session")
def make():
    """The functions that make MEDLINE files: make.citation, make.write, ..."""

    class Make:
        HEAD, TAIL = HEAD, TAIL
        citation, other_abstract = staticmethod(citation), staticmethod(other_abstract)
        deletion, write = staticmethod(deletion), staticmethod(write)
        stage, succeed = Stage, staticmethod(succeed)

    return Make

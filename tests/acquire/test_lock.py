"""sources.lock: pins, errors, and writers side by side."""

import multiprocessing
import re

import pytest

from workflow_scripts.acquire.sources_lock import Pin, pin, read
from workflow_scripts.common.errors import DataError

pytestmark = pytest.mark.timeout(60)


def entry(name, sign="a"):
    return Pin(name, sign * 64, 12, f"https://example.org/{name}")


def add_many(path, worker):
    for i in range(10):
        pin(path, entry(f"file{worker}_{i}"))


def test_sorted_and_stable(tmp_path):
    lock = tmp_path / "deep/sources.lock"
    for name in ("b", "a", "c", "a"):
        pin(lock, entry(name))
    first = lock.read_text()
    names = [line.split("\t")[0] for line in first.splitlines() if not line.startswith("#")]
    assert names == ["a", "b", "c"]
    pin(lock, entry("b"))
    assert lock.read_text() == first


def test_the_day_of_the_first_download_is_kept(tmp_path):
    lock = tmp_path / "sources.lock"
    pin(lock, entry("new"))
    day = read(lock)["new"].day
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", day) and lock.read_text().endswith(
        f"\thttps://example.org/new\t{day}\n"
    )
    # a line of an older version has none, and stays as it is
    older = f"old\t{'b' * 64}\t12\thttps://example.org/old\n"
    lock.write_text(lock.read_text().replace(day, "2020-02-29") + older)
    for name, sign in (("new", "a"), ("old", "b"), ("x", "a")):
        pin(lock, entry(name, sign))
    pins = read(lock)
    assert (pins["new"].day, pins["old"].day) == ("2020-02-29", "") and older in lock.read_text()


def test_mismatch(tmp_path):
    lock = tmp_path / "sources.lock"
    pin(lock, entry("a"))
    with pytest.raises(DataError, match="remove the line of a"):
        pin(lock, entry("a", "b"))
    assert read(lock)["a"].sha256 == "a" * 64


def test_no_line_is_lost_among_processes(tmp_path):
    lock = tmp_path / "sources.lock"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=add_many, args=(lock, worker)) for worker in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(40)
        assert worker.exitcode == 0
    assert len(read(lock)) == 60


@pytest.mark.parametrize("line", ["a b c", "a\tzz\t1\tu", "a\t" + "a" * 64 + "\tmany\tu", "a\t" + "a" * 64 + "\t1"])
def test_broken_line_is_named(tmp_path, line):
    lock = tmp_path / "sources.lock"
    pin(lock, entry("a"))
    lock.write_text(lock.read_text() + line + "\n")
    with pytest.raises(DataError, match="line 3"):
        read(lock)

"""Word vectors are streamed: memory follows the words of the corpus, not the file."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(600)
WIDTH, WANTED = 200, 500
MEASURE = """
import json, resource, sys
from workflow_scripts.training.embeddings import load_vectors

path, kind, words = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found, vectors = load_vectors(path, kind, 200, words)
print(json.dumps([found, vectors.sum(axis=1).tolist(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))
"""


def write(path, kind, megabytes):
    """A file of about this size; word n has the vector (n mod 97) / 8 everywhere. Gives the number of words."""
    import numpy as np

    def record(number):
        value = (number % 97) / 8
        if kind == "word2vec_binary":
            return b"word%d " % number + np.full(WIDTH, value, "<f4").tobytes() + b"\n"
        return b"word%d" % number + b" %.6f" % value * WIDTH + b"\n"

    count = (megabytes << 20) // len(record(1000))
    with open(path, "wb", buffering=1 << 20) as stream:
        if kind == "word2vec_binary":
            stream.write(b"%d %d\n" % (count, WIDTH))
        for number in range(count):
            stream.write(record(number))
    return count


@pytest.mark.parametrize(
    ("kind", "megabytes"),
    [
        ("word2vec_binary", 160),
        ("glove_text", 160),
        pytest.param("word2vec_binary", 600, marks=pytest.mark.soak),
        pytest.param("glove_text", 600, marks=pytest.mark.soak),
    ],
)
def test_memory_does_not_follow_the_file(repository, tmp_path, kind, megabytes):
    count = write(tmp_path / "vectors", kind, megabytes)
    numbers = sorted({i * (count // WANTED) for i in range(WANTED)} | {count - 1})
    words = [f"word{number}" for number in numbers]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path / "vectors", kind, json.dumps(words)],
        capture_output=True,
        text=True,
        cwd=repository,
    )
    (tmp_path / "vectors").unlink()
    assert done.returncode == 0, done.stderr
    found, sums, kilobytes = json.loads(done.stdout)
    assert found == sorted(words)
    assert sums == [WIDTH * (int(word[4:]) % 97) / 8 for word in sorted(words)]
    assert kilobytes < 100 << 10

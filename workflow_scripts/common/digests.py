"""Digests of files."""

import hashlib


def file_digest(path, algorithm="sha256", block=1 << 20):
    """Hexadecimal digest of a file's bytes, read in blocks."""
    digest = hashlib.new(algorithm)
    with open(path, "rb") as stream:
        while chunk := stream.read(block):
            digest.update(chunk)
    return digest.hexdigest()

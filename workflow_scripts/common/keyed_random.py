"""Random draws keyed by (seed, item): the same for any order of work, number of cores or hash seed.

Scalar draws hash their key with BLAKE2b; array draws mix 64-bit integers with the finaliser of
SplitMix64 (Steele, Lea and Flood 2014).
"""

import hashlib

import numpy as np

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def key64(*parts):
    """A 64-bit integer from any mix of integers and strings; (1, "2") and ("1", 2) differ."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        _add(digest, part)
    return int.from_bytes(digest.digest(), "big")


def _add(digest, part):
    text = f"{type(part).__name__}:{part}".encode()
    digest.update(len(text).to_bytes(4, "big") + text)


def key64_of_each(first, texts):
    """uint64 array of key64(first, text) for each of many texts."""
    start = hashlib.blake2b(digest_size=8)
    _add(start, first)
    keys = bytearray()
    for text in texts:
        digest = start.copy()
        text = b"str:" + text.encode()
        digest.update(len(text).to_bytes(4, "big") + text)
        keys += digest.digest()
    return np.frombuffer(bytes(keys), dtype=">u8").astype(np.uint64)


def uniform(*parts):
    """A float in [0, 1) for a key."""
    return (key64(*parts) >> 11) / (1 << 53)


def choose(options, *parts):
    """One element of a sequence for a key. The caller gives the sequence in a defined order."""
    return options[key64(*parts) % len(options)]


def mix64(values):
    """SplitMix64's finaliser over an array of uint64."""
    return mix64_in_place(np.array(values, dtype=np.uint64))


def mix64_in_place(values):
    """`mix64` of an array of uint64 in its own memory; gives it back."""
    shifted = np.empty_like(values)
    with np.errstate(over="ignore"):
        values += _GOLDEN
        for shift, factor in ((30, _MIX_1), (27, _MIX_2)):
            np.right_shift(values, np.uint64(shift), out=shifted)
            values ^= shifted
            values *= factor
    np.right_shift(values, np.uint64(31), out=shifted)
    values ^= shifted
    return values


def key64_array(key, items):
    """uint64 hash of each integer of `items` under a scalar key (from `key64`)."""
    with np.errstate(over="ignore"):
        return mix64(mix64(np.asarray(items).astype(np.uint64)) ^ np.uint64(key))


def uniform_array(key, items):
    """float64 in [0, 1) for each integer of `items` under a scalar key."""
    return (key64_array(key, items) >> np.uint64(11)).astype(np.float64) / float(1 << 53)


def permutation(key, n):
    """int64 permutation of range(n) for a key, by sorting the keyed hashes."""
    return np.argsort(key64_array(key, np.arange(n)), kind="stable")

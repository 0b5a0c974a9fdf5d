"""Archives of a made-up UMLS release, packed as NLM packs them, and of a spaCy model, as scispaCy does."""

import gzip
import io
import tarfile
import zipfile

TABLES = ["MRCONSO", "MRREL", "MRSTY", "MRDEF", "MRDOC", "MRSAB", "MRFILES"]


def tables(size=40):
    """Bytes of each table but MRFILES."""
    return {
        "MRCONSO": "".join(
            f"C{i:07d}|ENG|P|L|PF|S|Y|A{i}|||{i}|SNOMEDCT_US|PT|{i}|name ä {i}|9|N||\n" for i in range(size)
        ),
        "MRREL": "".join(
            f"C{i:07d}|A|SCUI|RO|C0000001|B|SCUI|cause_of|R{i}||SNOMEDCT_US|S|||N||\n" for i in range(size)
        ),
        "MRSTY": "".join(f"C{i:07d}|T047|B2|Disease or Syndrome|AT{i}||\n" for i in range(size)),
        "MRDEF": "C0000001|A|AT||MSH|A definition.|N||\n",
        "MRDOC": "RELA|cause_of|rela_inverse|due_to|\n",
        "MRSAB": "C1|C2|SNOMEDCT_US_2019|SNOMEDCT_US|SNOMED CT\n",
    }


def mrfiles(contents):
    """MRFILES of some tables."""
    rows = [
        f"{name}.RRF|what|A,B|2|{len(body.splitlines())}|{len(body.encode())}|\n" for name, body in contents.items()
    ]
    return "".join([*rows, "MRFILES.RRF|what|FIL|6|1|1|\n"])


def zipped(files):
    """A zip archive of (name, bytes)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return buffer.getvalue()


def pieces(name, body, count, release="2019AB"):
    """A table cut into gzipped pieces .aa, .ab, ..., not at the ends of lines."""
    body, step = body.encode(), -(-len(body.encode()) // count)
    cuts = [body[i : i + step] for i in range(0, len(body), step)]
    return {f"{release}/META/{name}.RRF.a{'abcdef'[i]}.gz": gzip.compress(cut, mtime=0) for i, cut in enumerate(cuts)}


def full(release="2019AB", contents=None, files=None, program=None):
    """A full release: two archives .nlm with tables in pieces, in both orders, and the program."""
    contents = tables() if contents is None else contents
    files = mrfiles(contents) if files is None else files
    first, second = {}, {}
    for name, body in contents.items():
        if name == "MRCONSO":
            cut = pieces(name, body, 3, release)
            names = list(cut)
            second[names[0]], first[names[2]], first[names[1]] = (cut[names[i]] for i in (0, 2, 1))
        else:
            second[f"{release}/META/{name}.RRF.gz"] = gzip.compress(body.encode(), mtime=0)
    first[f"{release}/META/MRSAT.RRF.aa.gz"] = b"not wanted, not read"
    if files:
        first[f"{release}/META/MRFILES.RRF.gz"] = gzip.compress(files.encode(), mtime=0)
    folder, short = f"{release}-full", release.lower()
    return zipped(
        {
            f"{folder}/Copyright_Notice.txt": b"(c)",
            f"{folder}/{short}-1-meta.nlm": zipped(first),
            f"{folder}/{short}-2-meta.nlm": zipped(second),
            f"{folder}/mmsys.zip": zipped(program or {"config/x.txt": b"x"}),
        }
    )


def packed_model(files, package, name):
    """A source package with a spaCy model, .tar.gz: <name>/<package>/<name> has the files, code stands around it."""
    around = {
        f"{name}/setup.py": b"raise SystemExit('code of a package is not run')\n",
        f"{name}/PKG-INFO": b"Metadata-Version: 1.0\n",
        f"{name}/meta.json": files.get("meta.json", b""),
        f"{name}/{package}/__init__.py": b"raise SystemExit('code of a package is not run')\n",
        f"{name}/{package}/meta.json": files.get("meta.json", b""),
        f"{name}/{package}.egg-info/PKG-INFO": b"Metadata-Version: 1.0\n",
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for folder in (name, f"{name}/{package}", f"{name}/{package}/{name}"):
            info = tarfile.TarInfo(folder)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(info)
        for path, body in (around | {f"{name}/{package}/{name}/{file}": data for file, data in files.items()}).items():
            info = tarfile.TarInfo(path)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return buffer.getvalue()

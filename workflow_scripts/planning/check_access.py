"""Preflight of what comes from elsewhere: the UMLS key at NLM, word vectors and encoders where they are published.

The key is validated as NLM documents it (documentation.uts.nlm.nih.gov/validating-licensees.html): the service's
/validateUser answers true or false. MEDDISTANT_UTS_URL replaces the address of the service.
"""

import csv
import os
import pathlib
import urllib.error
import urllib.parse
import urllib.request

from workflow_scripts.common.hub import hub_file
from workflow_scripts.planning.check_inputs import KEY, NETWORK_TIMEOUT_S, made, reach
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING, Finding

UTS = "https://utslogin.nlm.nih.gov"
ACCEPTED, REFUSED = "accepted", "refused"


def check_access(config, plan, root):
    """Findings on the key, and on the published places of word vectors and encoders that are not here.

    Parameters
    ----------
    config : dict
        A validated configuration.
    plan : Plan
        Its files and runs.
    root : str or Path
        The repository.
    """
    releases = {plan.meta_dir(release) for release in ("umls", "kb")}
    needed = not all(made(folder) or pathlib.Path(folder, "MRCONSO.RRF").is_file() for folder in releases)
    return [_key(needed), *_published(config, plan, pathlib.Path(root, "experiments", "sources.tsv"))]


def _key(needed):
    key = os.environ.get(KEY, "").strip()
    if not key:
        if not needed:
            return Finding("UMLS key", SKIPPED, "not needed: the release is here")
        remedy = f"copy it from your profile at https://uts.nlm.nih.gov and export {KEY}=..., or install the release"
        return Finding("UMLS key", WARNING, f"{KEY} is not in the environment", "the key of a UMLS licence", remedy)
    answer = ask_uts(key)
    if answer == ACCEPTED:
        return Finding("UMLS key", OK, "accepted by NLM")
    if answer == REFUSED:
        remedy = f"copy {KEY} again from your profile at https://uts.nlm.nih.gov; a licence must be active"
        status = FAILURE if needed else WARNING
        return Finding("UMLS key", status, "NLM does not accept it", "the key of a UMLS licence", remedy)
    remedy = "check the network (HTTPS_PROXY) and try again; a login node may reach what others do not"
    return Finding("UMLS key", WARNING, f"not validated: {answer}", "an answer of NLM's service", remedy)


def ask_uts(key, timeout=NETWORK_TIMEOUT_S):
    """`accepted`, `refused`, or what is wrong with the service; never the key, which stands in the address.

    Parameters
    ----------
    key : str
        Of a UMLS licence.
    timeout : float
        Seconds.
    """
    base = os.environ.get("MEDDISTANT_UTS_URL", "").strip() or UTS
    query = urllib.parse.urlencode({"validatorApiKey": key, "apiKey": key})
    try:
        with urllib.request.urlopen(f"{base.rstrip('/')}/validateUser?{query}", timeout=timeout) as response:
            said = response.read(1000).decode("utf-8", errors="replace").strip().strip('"').lower()
    except urllib.error.HTTPError as error:
        return REFUSED if error.code in (401, 403) else f"{base} answers {error.code}"
    except TimeoutError:
        return f"{base} does not answer within {timeout} s"
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None)
        late = isinstance(reason, TimeoutError)
        return (
            f"{base} does not answer within {timeout} s" if late else f"{base} is not reached ({type(error).__name__})"
        )
    known = {"true": ACCEPTED, "false": REFUSED}
    return known.get(said, f"{base} answers something else than true or false")


def _published(config, plan, table):
    rows = [run["row"] for run in plan.runs.values()]
    with open(table, encoding="utf-8", newline="") as stream:
        addresses = {row["name"]: row["url"] for row in csv.DictReader(stream, delimiter="\t")}
    wanted = {
        row["embedding"]: (config["embeddings"][row["embedding"]]["path"], addresses.get(row["embedding"]))
        for row in rows
        if row["embedding"]
    }
    for name in {row["pretrained"] for row in rows if row["pretrained"]}:
        encoder = plan.encoders[name]
        hub = hub_file(encoder["hub_id"], encoder["revision"] or "main", "config.json") if encoder["hub_id"] else None
        wanted[name] = encoder["path"], hub
    return [
        _place(name, address)
        for name, (path, address) in sorted(wanted.items())
        if address and not made(path) and not pathlib.Path(path).exists()
    ]


def _place(name, address):
    trouble = reach(address)
    if trouble is None:
        return Finding(f"source of {name}", OK, address)
    remedy = "check the network (HTTPS_PROXY), or bring the files from a machine with internet"
    return Finding(f"source of {name}", WARNING, f"{address}: {trouble}", "an address that answers", remedy)

"""Where pretrained encoders are published, and where it is noted that one cannot be had."""

import os
import pathlib

ENDPOINT = "https://huggingface.co"


def hub_endpoint():
    """The address of the hub: HF_ENDPOINT of the environment, else that of Hugging Face; without a slash at its end."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def hub_file(hub_id, revision, name, endpoint=None):
    """The address of one file of a repository of the hub at a revision (a commit or a branch)."""
    return f"{endpoint or hub_endpoint()}/{hub_id}/resolve/{revision}/{name}"


def absence_note(folder):
    """The path of the note that a download leaves which did not get an encoder: beside the encoder's folder.

    JSON: `hub_id`, `revision` and `weights` of the row that was asked for, and `found`, what there was instead.
    """
    folder = pathlib.Path(folder)
    return folder.with_name(f"{folder.name}.absent.json")

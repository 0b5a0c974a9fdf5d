"""Where pretrained encoders are published."""

import os

ENDPOINT = "https://huggingface.co"


def hub_endpoint():
    """The address of the hub: HF_ENDPOINT of the environment, else that of Hugging Face; without a slash at its end."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def hub_file(hub_id, revision, name, endpoint=None):
    """The address of one file of a repository of the hub at a revision (a commit or a branch)."""
    return f"{endpoint or hub_endpoint()}/{hub_id}/resolve/{revision}/{name}"

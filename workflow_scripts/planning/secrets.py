"""Values of the environment that must never be shown."""

import os

NAMES = ("UMLS_API_KEY", "HF_TOKEN")
HIDDEN = "(hidden)"


def hide_secrets(text):
    """`text` without the values of the secret variables of the environment, whoever wrote them into it."""
    for name in NAMES:
        value = os.environ.get(name, "").strip()
        if value:
            text = text.replace(value, HIDDEN)
    return text

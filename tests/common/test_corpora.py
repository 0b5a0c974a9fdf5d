"""Which corpora a run has, and what its configuration may not ask for."""

import copy

import pytest

from workflow_scripts.common.corpora import chosen_corpora
from workflow_scripts.common.errors import UsageError

CONFIG = {
    "start_from": "release",
    "corpus": {"strict_inductive": False, "inductive_negatives": False},
    "corpora": {"inductive": {"split": "inductive"}, "transductive": {"split": "transductive"}},
}


def changed(**sections):
    config = copy.deepcopy(CONFIG)
    for name, value in sections.items():
        config[name] = config[name] | value if isinstance(value, dict) else value
    return config


def test_all_corpora_are_built_and_only_named_folders_are_imported():
    assert chosen_corpora(CONFIG) == ["inductive", "transductive"]
    own = {"inductive": {"split": "inductive", "import": "folder"}}
    assert chosen_corpora(changed(start_from="corpus", corpora=own)) == ["inductive"]
    with pytest.raises(UsageError, match="no corpus names a folder"):
        chosen_corpora(changed(start_from="corpus"))


@pytest.mark.parametrize("option", ["strict_inductive", "inductive_negatives"])
def test_inductive_options_belong_to_inductive_corpora(option):
    own = {"inductive": {"split": "inductive", option: True}}
    assert chosen_corpora(changed(corpora=own)) == ["inductive", "transductive"]
    with pytest.raises(UsageError, match=f"corpora.transductive: {option} needs split: inductive"):
        chosen_corpora(changed(corpus={option: True}))
    off = {"transductive": {"split": "transductive", option: False}}
    assert chosen_corpora(changed(corpus={option: True}, corpora=off)) == ["inductive", "transductive"]

"""The relation representation L of AMIL (Hogan et al. 2021), for Table 3: BERT's states at the end markers of head and
tail, and the mean over the tokens between the two mentions.

Its bags, of one relation between two semantic types, are made in training (`training/abstract_bags.py`).
"""

import torch
from torch import nn

from workflow_scripts.common.models.amin2020 import mean_state
from workflow_scripts.common.models.bert import Transformer


class MentionEndEncoder(nn.Module):
    """End marker of the head, mean of what stands between the mentions, end marker of the tail, concatenated.

    Parameters
    ----------
    config : dict
        As `bert.read_config` gives it.

    Notes
    -----
    Mentions that touch have no token between them: their mean is zero.
    """

    extra_pads = 0
    tokens_at_once = None
    detached_query = True

    def __init__(self, config):
        super().__init__()
        self.transformer = Transformer(config)
        self.output_size = 3 * config["hidden_size"]

    def forward(self, batch):
        """Representations, float (B, 3 * hidden_size)."""
        states = self.transformer.all_states(batch.ids, batch.lengths)
        rows = torch.arange(len(states), device=states.device)
        between = torch.minimum(batch.head_end, batch.tail_end), torch.maximum(batch.head_start, batch.tail_start)
        head, tail = (states[rows, end - 1] for end in (batch.head_end, batch.tail_end))
        return torch.cat([head, mean_state(states, *between), tail], dim=1)

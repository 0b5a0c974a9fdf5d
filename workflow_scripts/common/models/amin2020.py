"""The encoder of Amin et al. (2020a), for Table 3: BERT's states of [CLS] and of both mentions (after Wu and He 2019).

Each of the three goes through tanh, dropout and a linear layer (one for [CLS], one that both mentions share); the
representation is their concatenation. A mention's state is the mean over its tokens, markers left out. With attention
over bags, the query is the relation's row of the last layer, cut off from the gradient.
"""

import torch
from torch import nn

from workflow_scripts.common.models.bert import Transformer


class MentionMeanEncoder(nn.Module):
    """[CLS] and the means of head and tail -> tanh -> dropout -> linear layers, concatenated.

    Parameters
    ----------
    config : dict
        As `bert.read_config` gives it.
    dropout : float
    """

    extra_pads = 0
    tokens_at_once = None
    detached_query = True

    def __init__(self, config, dropout):
        super().__init__()
        size = config["hidden_size"]
        self.transformer = Transformer(config)
        self.output_size = 3 * size
        self.dropout = nn.Dropout(dropout)
        self.sentence, self.mention = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, batch):
        """Representations, float (B, 3 * hidden_size)."""
        states = self.transformer.all_states(batch.ids, batch.lengths)
        head = mean_state(states, batch.head_start + 1, batch.head_end - 1)
        tail = mean_state(states, batch.tail_start + 1, batch.tail_end - 1)
        parts = [self.sentence(self.dropout(states[:, 0].tanh()))]
        parts += [self.mention(self.dropout(mean.tanh())) for mean in (head, tail)]
        return torch.cat(parts, dim=1)


def mean_state(states, start, end):
    """Mean of the states of columns start .. end - 1 of each sentence, zeros where there are none: float (B, H).

    `states` is float (B, W, H), `start` and `end` int64 (B,).
    """
    columns = torch.arange(states.shape[1], device=states.device)
    inside = (columns >= start[:, None]) & (columns < end[:, None])
    weights = inside / inside.sum(dim=1, keepdim=True).clamp(min=1)
    return torch.einsum("bw,bwh->bh", weights.to(states.dtype), states)

"""Word encoders: CNN, PCNN and BiGRU (paper, section 4 and appendix E; Zeng et al. 2014, 2015; Hong et al. 2020).

Each turns padded sentences (`arrays.Batch` of tensors) into one vector per sentence. Dropout of the representation is
not theirs: it falls on the slots of a bag, after a sentence that fills several slots was encoded once.
"""

import torch
import torch.nn.functional as F
from torch import nn

from workflow_scripts.common.models.convolution import MaximalResponse, Pieces, Windows

N_INDICATORS = 4


class ConvolutionalEncoder(nn.Module):
    """Words and two positions -> convolution -> maximum over the sentence (CNN) or over its three pieces (PCNN).

    Parameters
    ----------
    vectors : float tensor of shape (V + 2, d)
        Word vectors, then [UNK] and [PAD]; all are trained.
    hidden_size : int
        Filters; the output has `hidden_size` columns, three times as many for PCNN.
    kernel_size : int
        Odd number of tokens.
    position_size : int
        Width of each position embedding.
    max_length : int
        Positions are clipped to it.
    piecewise : bool
        PCNN. The pieces end before the start of the first mention's second token and so on: a token belongs to piece 1
        up to the first start inclusive, to piece 2 up to the second start inclusive, else to piece 3.

    Notes
    -----
    Pad columns take part in the maximum of the CNN, as in the published code, where every sentence has `max_length`
    columns. The windows that this adds are the same for all widths from `kernel_size` pads on, so `extra_pads` columns
    give the very result of the full width.
    """

    tokens_at_once = 1 << 20  # all sentences of a step share one table of projected words
    detached_query = False

    def __init__(self, vectors, hidden_size, kernel_size, position_size, max_length, piecewise):
        super().__init__()
        self.max_length, self.piecewise = max_length, piecewise
        self.extra_pads = kernel_size
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.head_positions = nn.Embedding(2 * max_length, position_size, padding_idx=0)
        self.tail_positions = nn.Embedding(2 * max_length, position_size, padding_idx=0)
        channels = vectors.shape[1] + 2 * position_size
        self.convolution = nn.Conv1d(channels, hidden_size, kernel_size, padding=kernel_size // 2)
        self.output_size = hidden_size * (3 if piecewise else 1)

    def forward(self, batch):
        """Representations, float (B, output_size)."""
        windows = Windows(batch, self.convolution.kernel_size[0], self.max_length, self.words.num_embeddings)
        tables = (module.weight for module in (self.words, self.head_positions, self.tail_positions, self.convolution))
        begin, count = self._pieces(batch, windows.ends)
        filled = count.flatten().nonzero()[:, 0]
        pieces = Pieces((windows.starts[:, None] + begin).flatten(), count.flatten())[filled]
        maxima = MaximalResponse.apply(*tables, windows, pieces) + self.convolution.bias
        if len(filled) < count.numel():
            maxima = maxima.new_zeros(count.numel(), maxima.shape[1]).index_copy(0, filled, maxima)
        return maxima.relu().view(len(count), self.output_size)

    def _pieces(self, batch, ends):
        """First column and number of columns of each piece: int64 (B, 1), PCNN (B, 3); a piece can be empty."""
        if not self.piecewise:
            return torch.zeros_like(ends)[:, None], ends[:, None]
        marks = torch.stack([batch.head_start, batch.tail_start, batch.lengths], dim=1)
        ends = torch.minimum(torch.cat([marks[:, :2].sort(dim=1).values + 1, marks[:, 2:]], dim=1), marks[:, 2:])
        begin = F.pad(ends[:, :2], (1, 0))
        return begin, ends - begin


class RecurrentEncoder(nn.Module):
    """Words with four position indicators around the mentions -> BiGRU -> sum of directions -> maximum -> tanh.

    Parameters
    ----------
    vectors : float tensor of shape (V + 2 + 4, d)
        Word vectors, [UNK], [PAD], then the indicators of head start, head end, tail start and tail end.
    hidden_size : int
        Units per direction = columns of the output.
    """

    extra_pads = 0
    tokens_at_once = None
    detached_query = False

    def __init__(self, vectors, hidden_size):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False)
        # two modules over padded sentences, as packed ones take twice the time on a CPU
        self.onward = nn.GRU(vectors.shape[1], hidden_size, batch_first=True)
        self.reverse = nn.GRU(vectors.shape[1], hidden_size, batch_first=True)
        self.output_size = hidden_size

    def forward(self, batch):
        """Representations, float (B, output_size)."""
        ids, lengths = self._with_indicators(batch)
        columns = torch.arange(ids.shape[1], device=ids.device)
        outside = columns >= lengths[:, None]
        turned = torch.where(outside, columns, lengths[:, None] - 1 - columns)  # each sentence back to front
        states = self.onward(self.words(ids))[0]
        reverse = self.reverse(self.words(ids.gather(1, turned)))[0]
        summed = states + reverse.gather(1, turned[:, :, None].expand_as(reverse))
        return summed.masked_fill(outside[:, :, None], -torch.inf).max(dim=1).values.tanh()

    def _with_indicators(self, batch):
        bounds = torch.stack([batch.head_start, batch.head_end, batch.tail_start, batch.tail_end], dim=1)
        head_first = (batch.head_start <= batch.tail_start)[:, None]
        order = torch.tensor([[0, 1, 2, 3], [2, 3, 0, 1]], device=bounds.device)
        order = torch.where(head_first, order[0], order[1])
        in_text_order = bounds.gather(1, order)  # starts and ends of the first and the second mention
        width = batch.ids.shape[1]
        columns = torch.arange(width, device=bounds.device)
        shift = (columns[None, :, None] >= in_text_order[:, None, :]).sum(dim=2)
        pad = torch.full((len(bounds), width + N_INDICATORS), self.words.num_embeddings - N_INDICATORS - 1)
        ids = pad.to(bounds.device).scatter(1, columns + shift, batch.ids)
        places = in_text_order + torch.arange(N_INDICATORS, device=bounds.device)
        indicators = self.words.num_embeddings - N_INDICATORS + order
        return ids.scatter(1, places, indicators), batch.lengths + N_INDICATORS

"""The maximum of a convolution over pieces of sentences, as sums of projected words.

A filter's response at a column is a sum over its taps, of the word and of both positions there. A batch has far fewer
distinct words than tokens, so each is projected once per tap; a response is then the sum of one row per tap for the
words and of one row per position (its taps summed for every way in which a window can hang over a sentence's ends).
The responses of a few sentences at a time are summed and reduced to their maxima, and never stand in memory together.

The gradient of a maximum reaches one column per piece and filter. Backward sums the pieces with a gradient once more to
find it, so that its cost follows the gradients that are not zero: with ONE those of a bag's chosen sentence, and after
two dropouts a quarter of its filters.
"""

import dataclasses

import torch
import torch.nn.functional as F
from torch.autograd.function import once_differentiable

RESPONSES_AT_ONCE = {"cpu": 1_440, "cuda": 1 << 18}  # columns; on a CPU their responses fit into its cache


@dataclasses.dataclass(frozen=True)
class Pieces:
    """Places begin .. begin + count - 1 of `Windows.rows`; int64 tensors of one shape, counts at least 1."""

    begin: torch.Tensor
    count: torch.Tensor

    def __getitem__(self, index):
        return Pieces(self.begin[index], self.count[index])

    def blocks(self):
        """Yield positions of pieces of similar length, longest first, and their places.

        Places are int64 (M, C); shorter pieces repeat their last one, which changes no maximum.
        """
        order = torch.argsort(self.count, descending=True, stable=True)
        longest, first = self.count[order].tolist(), 0
        lasts = self.count[:, None] - 1
        while first < len(longest):
            members = order[first : first + max(1, RESPONSES_AT_ONCE[order.device.type] // longest[first])]
            columns = torch.arange(longest[first], device=order.device)
            yield members, self.begin[members, None] + torch.minimum(columns, lasts[members])
            first += len(members)


class Windows:
    """Which rows of the table each column of a batch sums.

    The table has rows of zeros (0), of the words (taps of the first distinct word, of the second ...), of the head's
    positions and of the tail's.

    Parameters
    ----------
    batch : Batch of tensors
        As `arrays.gather` pads it with `extra` = kernel_size.
    kernel_size, max_length, n_words : int

    Attributes
    ----------
    distinct : int64 tensor of shape (D,)
        Word ids in the batch.
    rows : int32 tensor of shape (N, kernel_size + 2)
        Of the columns of all sentences, one after the other.
    starts, ends : int64 tensors of shape (B,)
        Where each sentence begins in `rows`, and how many columns it has with the pads that matter.
    """

    def __init__(self, batch, kernel_size, max_length, n_words):
        self.kernel_size, self.max_length, self.half = kernel_size, max_length, kernel_size // 2
        ids, device = batch.ids, batch.ids.device
        self.ends = (batch.lengths + kernel_size).clamp(max=ids.shape[1])
        self.starts = self.ends.cumsum(0) - self.ends
        words = ids[torch.arange(ids.shape[1], device=device) < self.ends[:, None]]
        sentence = torch.repeat_interleave(self.ends)
        column = torch.arange(len(words), device=device) - self.starts[sentence]
        is_known = torch.zeros(n_words, dtype=torch.bool, device=device)
        is_known[words] = True
        self.distinct = is_known.nonzero()[:, 0]
        rank = torch.zeros(n_words, dtype=torch.int64, device=device)
        rank[self.distinct] = torch.arange(len(self.distinct), device=device)
        self.head_row = 1 + len(self.distinct) * kernel_size
        self.tail_row = self.head_row + self.position_rows
        rows = self._word_rows(1 + rank[words] * kernel_size, column, (self.ends - 1)[sentence] - column)
        state = self._states(column, (batch.lengths - 1)[sentence] - column) * self.n_indices
        for first, start in ((self.head_row, batch.head_start), (self.tail_row, batch.tail_start)):
            index = column - (start.clamp(max=max_length) - max_length)[sentence]
            rows.append(first + state + index.clamp(max=self.n_indices - 1))
        self.rows = torch.stack([row.int() for row in rows], dim=1)

    def _word_rows(self, first_tap, before, after):
        """For each tap the row of the word that it reads, 0 beyond the columns; they are counted before and after."""
        framed = F.pad(first_tap, (self.half, self.half))
        rows = [framed[tap : tap + len(first_tap)] + tap for tap in range(self.kernel_size)]
        for distance in range(1, self.half + 1):
            rows[self.half - distance] = torch.where(before >= distance, rows[self.half - distance], 0)
            rows[self.half + distance] = torch.where(after >= distance, rows[self.half + distance], 0)
        return rows

    @property
    def n_indices(self):
        """Position indices, with those after the last one that some tap can still reach."""
        return 2 * self.max_length + self.half

    @property
    def n_states(self):
        """Ways in which a window can hang over the ends of a sentence."""
        return (self.half + 1) * (2 * self.half + 2)

    @property
    def position_rows(self):
        """Rows of the table for one role."""
        return self.n_states * self.n_indices

    def _states(self, before, after):
        """How far a window reaches inside its sentence on both sides, as one number; taps on pads count as outside."""
        right = after.clamp(min=-self.half - 1, max=self.half) + self.half + 1
        return before.clamp(max=self.half) * (2 * self.half + 2) + right

    def inside(self):
        """Whether a tap of a state lies inside its sentence: float (n_states, kernel_size)."""
        device = self.rows.device
        taps = torch.arange(self.kernel_size, device=device) - self.half
        left, right = torch.arange(self.half + 1, device=device), torch.arange(2 * self.half + 2, device=device)
        reaches = taps >= -left[:, None, None]
        return (reaches & (taps <= right[:, None] - self.half - 1)).flatten(0, 1).float()

    def position_of(self):
        """Position index that a tap reads at an index of the table: int64 (kernel_size, n_indices)."""
        index = torch.arange(self.n_indices, device=self.rows.device)
        taps = torch.arange(self.kernel_size, device=self.rows.device)[:, None]
        return (index + taps - self.half).clamp(min=0, max=2 * self.max_length - 1)


class MaximalResponse(torch.autograd.Function):
    """Highest response of each filter in each piece: float (P, F), without bias.

    Parameters
    ----------
    words : float tensor of shape (V, d)
    head, tail : float tensors of shape (2 * max_length, p)
        Row 0 is of zeros, stands for pads, and gets no gradient.
    weight : float tensor of shape (F, d + 2 * p, kernel_size)
    windows : Windows
    pieces : Pieces
    """

    @staticmethod
    def forward(ctx, words, head, tail, weight, windows, pieces):
        table = _table(words, head, tail, weight, windows)
        maxima = table.new_empty(len(pieces.count), weight.shape[0])
        for members, places in pieces.blocks():
            maxima[members] = _responses(table, windows, places).amax(dim=1)
        ctx.save_for_backward(words, head, tail, weight, table)
        ctx.windows, ctx.pieces = windows, pieces
        return maxima

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        words, head, tail, weight, table = ctx.saved_tensors
        windows, taps = ctx.windows, ctx.windows.kernel_size
        places, filters, values = _winners(table, windows, ctx.pieces, gradient)
        rows = windows.rows[places].long()
        used, rows = _compact(rows, windows)
        n_filters, n_used = weight.shape[0], len(used) * taps
        sums = table.new_zeros(1 + n_used + 2 * windows.position_rows, n_filters)
        flat = sums.view(-1)
        for column in range(rows.shape[1]):
            flat.index_add_(0, rows[:, column] * n_filters + filters, values)
        by_word, filter_rows = sums[1 : 1 + n_used].view(len(used), -1), _filter_rows(weight, words.shape[1])
        word_gradient = torch.zeros_like(words)
        word_gradient[used] = by_word @ filter_rows[0]
        weight_gradient = [by_word.T @ words[used]]
        position_gradients = []
        first = 1 + n_used
        for table_of_role, projection in ((head, filter_rows[1]), (tail, filter_rows[2])):
            part = sums[first : first + windows.position_rows]
            own, to_weight = _position_gradients(part, table_of_role, projection, windows)
            position_gradients.append(own)
            weight_gradient.append(to_weight)
            first += windows.position_rows
        joined = torch.cat(weight_gradient, dim=1).view(taps, n_filters, -1).permute(1, 2, 0)
        return word_gradient, *position_gradients, joined, None, None


def _filter_rows(weight, d):
    """The filters as matrices (kernel_size * F, columns), tap by tap: of words, head's and tail's positions."""
    rows = weight.permute(2, 0, 1).flatten(0, 1)
    half = (rows.shape[1] - d) // 2
    return rows[:, :d], rows[:, d : d + half], rows[:, d + half :]


def _table(words, head, tail, weight, windows):
    """Projected words and positions, float (1 + D * kernel_size + 2 * position_rows, F)."""
    of_words, of_head, of_tail = _filter_rows(weight, words.shape[1])
    n_filters, last = weight.shape[0], windows.tail_row + windows.position_rows
    table = words.new_empty(last, n_filters)
    table[0] = 0
    target = table[1 : windows.head_row].view(len(windows.distinct), -1)
    torch.mm(words[windows.distinct], of_words.T, out=target)
    for first, positions, projection in ((windows.head_row, head, of_head), (windows.tail_row, tail, of_tail)):
        target = table[first : first + windows.position_rows].view(windows.n_states, -1)
        taps = _shifted(positions, windows) @ projection.view(windows.kernel_size, n_filters, -1).transpose(1, 2)
        torch.mm(windows.inside().to(table.dtype), taps.flatten(1), out=target)
    return table


def _shifted(positions, windows):
    """Position vectors that each tap reads: float (kernel_size, n_indices, p)."""
    return positions[windows.position_of()]


def _responses(table, windows, places):
    """Sums of the table's rows at some places: float (M, C, F)."""
    return F.embedding_bag(windows.rows[places.flatten()], table, mode="sum").view(*places.shape, -1)


def _winners(table, windows, pieces, gradient):
    """Where gradients go: place, filter and value, int64, int64 and float (N,)."""
    has_gradient = (gradient != 0).any(dim=1).nonzero()[:, 0]
    gradient, found = gradient[has_gradient], []
    for members, places in pieces[has_gradient].blocks():
        values = gradient[members]
        member, filters = values.nonzero(as_tuple=True)
        column = _first_of_the_highest(_responses(table, windows, places))[member, filters]
        found.append((places[member, column], filters, values[member, filters]))
    if not found:
        empty = torch.zeros(0, dtype=torch.int64, device=gradient.device)
        return empty, empty, gradient.flatten()
    return [torch.cat(parts) for parts in zip(*found, strict=True)]


def _first_of_the_highest(responses):
    """Column of the maximum, int64 (M, F) of (M, C, F), the last one where it is NaN.

    `argmax` along the middle takes ten times as long.
    """
    columns = -torch.arange(responses.shape[1], device=responses.device, dtype=responses.dtype)[:, None]
    is_highest = responses == responses.amax(dim=1, keepdim=True)
    return torch.where(is_highest, columns, columns[-1]).amax(dim=1).neg().long()


def _compact(rows, windows):
    """Ids of the words among some rows of the table, and the rows of a table of these words alone."""
    taps = windows.kernel_size
    is_word = (rows > 0) & (rows < windows.head_row)
    word = torch.where(is_word, (rows - 1) // taps, 0)
    is_used = torch.zeros(len(windows.distinct), dtype=torch.bool, device=rows.device)
    is_used[word[is_word]] = True
    rank = is_used.cumsum(0) - 1
    fewer = (len(is_used) - int(is_used.sum())) * taps
    compact = torch.where(is_word, 1 + rank[word] * taps + (rows - 1) % taps, torch.where(rows > 0, rows - fewer, 0))
    return windows.distinct[is_used], compact


def _position_gradients(sums, positions, projection, windows):
    """Gradients of a role's position vectors and of its part of the filters, (kernel_size * F, p)."""
    taps, n_filters = windows.kernel_size, sums.shape[1]
    by_tap = (windows.inside().to(sums.dtype).T @ sums.view(windows.n_states, -1)).view(taps, -1, n_filters)
    vectors = by_tap @ projection.view(taps, n_filters, -1)
    own = torch.zeros_like(positions).index_add(0, windows.position_of().flatten(), vectors.flatten(0, 1))
    own[0] = 0
    return own, (by_tap.transpose(1, 2) @ _shifted(positions, windows)).flatten(0, 1)

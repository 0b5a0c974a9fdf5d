"""Plain restatements of how the published baselines work (Gao et al. 2021), as references of the speed benchmarks.

Every sentence is read from its text anew each time it is needed, padded to 128 tokens and encoded on its own account;
bags are gone through one by one in Python; predictions are dicts in a list.
"""

import numpy as np
import torch
from torch import nn

from workflow_scripts.common.models.arrays import ROW, Sentences

LENGTH, N_RELATIONS, WIDTH, VOCABULARY = 128, 22, 200, 30_000
TINY = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 512}


def synthetic(n, seed=0):
    """Texts with mention spans, and the same as token arrays; lengths as in the paper's corpus (mean about 33)."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(n, ROW)
    rows["length"] = np.clip(rng.gamma(6, 5.5, n), 8, LENGTH).astype(int)
    rows["start"] = np.concatenate(([0], np.cumsum(rows["length"])[:-1]))
    rows["line"] = np.arange(n)
    tokens = (rng.zipf(1.25, rows["length"].sum()) % VOCABULARY).astype(np.int32)
    sizes = rng.integers(1, 11, n)
    rows["pair"] = np.repeat(np.arange(n), sizes)[:n]
    rows["relation"] = rng.integers(0, N_RELATIONS, n)[rows["pair"]]
    texts = []
    for row in rows:
        first, second = sorted(rng.choice(np.arange(1, row["length"] - 2), 2, replace=False))
        row["head_start"], row["head_end"] = first, first + 1
        row["tail_start"], row["tail_end"] = second, second + 1
        words = [f"w{token}" for token in tokens[row["start"] : row["start"] + row["length"]]]
        spans = [(len(" ".join([*words[:i], ""])), len(" ".join(words[: i + 1]))) for i in (first, second)]
        texts.append((" ".join(words), *spans))
    return texts, Sentences(tokens, rows)


class Words(nn.Module):
    """CNN or PCNN over 128 columns with selection of one sentence, bag by bag."""

    def __init__(self, vectors, piecewise):
        super().__init__()
        self.piecewise = piecewise
        self.words = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        self.positions = nn.ModuleList(nn.Embedding(2 * LENGTH, 5, padding_idx=0) for _ in range(2))
        self.convolution = nn.Conv1d(WIDTH + 10, 230, 3, padding=1)
        self.pool = nn.MaxPool1d(LENGTH)
        self.pieces = nn.Embedding.from_pretrained(torch.tensor([[0.0] * 3, [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
        self.dropout = nn.Dropout(0.5)
        self.relations = nn.Linear(230 * (3 if piecewise else 1), N_RELATIONS)

    def copy_weights(self, model):
        """Take those of one of our models."""
        own = (self.words, *self.positions, self.convolution, self.relations)
        encoder = model.encoder
        theirs = (encoder.words, encoder.head_positions, encoder.tail_positions, encoder.convolution, model.relations)
        for target, source in zip(own, theirs, strict=True):
            target.load_state_dict(source.state_dict())

    def encode(self, ids, head, tail, pieces):
        inputs = torch.cat([self.words(ids), self.positions[0](head), self.positions[1](tail)], dim=2)
        features = self.convolution(inputs.transpose(1, 2))
        if not self.piecewise:
            return self.dropout(self.pool(features.relu()).squeeze(2))
        masks = 1 - self.pieces(pieces).transpose(1, 2)
        parts = [self.pool((features - 100 * masks[:, i : i + 1]).relu()) for i in range(3)]
        return self.dropout(torch.cat(parts, dim=1).squeeze(2))

    def loss(self, slots, labels, bag_size):
        chosen = []
        for b, label in enumerate(labels.tolist()):
            bag = slots[b * bag_size : (b + 1) * bag_size]
            chosen.append(bag[self.relations(bag).softmax(dim=1)[:, label].argmax()])
        return nn.functional.cross_entropy(self.relations(self.dropout(torch.stack(chosen))), labels)

    def score_bags(self, slots, sizes):
        """Highest probability of each relation in each bag, bag by bag."""
        scores, first = [], 0
        for size in sizes:
            scores.append(self.relations(slots[first : first + size]).softmax(dim=1).max(dim=0).values)
            first += size
        return torch.stack(scores)


def word_ids():
    """Ids of the synthetic words."""
    return {f"w{i}": i for i in range(VOCABULARY)} | {"[UNK]": VOCABULARY, "[PAD]": VOCABULARY + 1}


def read_words(text, head, tail, ids):
    """One sentence as four tensors of 128 columns, from its text."""
    starts, words, last = [], [], 0
    for span in sorted((head, tail)):
        words += text[last : span[0]].split()
        starts.append(len(words))
        words += text[span[0] : span[1]].split()
        last = span[1]
    words += text[last:].split()
    token_ids = [ids.get(word.lower(), ids["[UNK]"]) for word in words][:LENGTH]
    missing = [0] * (LENGTH - len(token_ids))
    by_role = starts if head <= tail else starts[::-1]
    places = [[min(i - start + LENGTH, 2 * LENGTH - 1) for i in range(len(token_ids))] + missing for start in by_role]
    pieces = [1 + (i > starts[0]) + (i > starts[1]) for i in range(len(token_ids))] + missing
    columns = [token_ids + [ids["[PAD]"]] * len(missing), *places, pieces]
    return [torch.tensor([column]) for column in columns]


class Pieces(nn.Module):
    """BERT of the library of its publishers over 128 columns, read at the start markers."""

    def __init__(self, folder):
        super().__init__()
        from transformers import BertModel, logging

        logging.set_verbosity_error()  # the weights of the pooler, which nothing reads
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        size = 2 * self.bert.config.hidden_size
        self.linear, self.dropout, self.relations = nn.Linear(size, size), nn.Dropout(0.5), nn.Linear(size, N_RELATIONS)

    def copy_weights(self, model):
        """Take those of one of our models that stand above BERT."""
        self.linear.load_state_dict(model.encoder.linear.state_dict())
        self.relations.load_state_dict(model.relations.state_dict())

    def forward(self, ids, mask, head, tail):
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        rows = torch.arange(len(ids), device=ids.device)
        read = torch.cat([states[rows, head[:, 0]], states[rows, tail[:, 0]]], dim=1)
        return self.relations(self.dropout(self.linear(read)))


def read_pieces(text, head, tail, tokenizer):
    """One sentence as four tensors, from its text: ids and mask of 128 columns, places of the start markers."""
    named = sorted(((*head, "[unused0]", "[unused1]"), (*tail, "[unused2]", "[unused3]")))
    tokens, starts, last = ["[CLS]"], {}, 0
    for start, end, opening, closing in named:
        tokens += tokenizer.encode(text[last:start], add_special_tokens=False).tokens
        starts[opening] = min(len(tokens), LENGTH - 1)
        tokens += [opening, *tokenizer.encode(text[start:end], add_special_tokens=False).tokens, closing]
        last = end
    tokens += [*tokenizer.encode(text[last:], add_special_tokens=False).tokens, "[SEP]"]
    ids = [tokenizer.token_to_id(token) for token in tokens][:LENGTH]
    missing = [0] * (LENGTH - len(ids))
    columns = [ids + missing, [1] * len(ids) + missing, [starts["[unused0]"]], [starts["[unused2]"]]]
    return [torch.tensor([column]) for column in columns]


def write_bert(folder, sizes=TINY, seed=0):
    """A BERT with random weights and one piece per synthetic word, in the format of its publishers."""
    from transformers import BertConfig, BertModel

    tokens = ["[PAD]", *(f"[unused{i}]" for i in range(8)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens += [f"w{i}" for i in range(VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    torch.manual_seed(seed)
    BertModel(BertConfig(vocab_size=len(tokens), **sizes)).save_pretrained(folder)

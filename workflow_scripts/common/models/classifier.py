"""A sentence encoder with the relation layer: what is trained, saved and scored."""

import torch
from torch import nn

from workflow_scripts.common.models import amil, amin2020, bert, encoders


class RelationClassifier(nn.Module):
    """Encoder -> dropout -> linear layer over all relations, NA among them.

    Parameters
    ----------
    encoder : nn.Module
        With `output_size`, and `detached_query`: whether no gradient passes from attention to the relation layer.
    n_relations : int
    dropout : float
        Before the relation layer; for a word encoder once more on the representation (`representation_dropout`).
    attention : bool
        Whether bags are pooled by attention: adds the trained diagonal of its bilinear form, which starts at one; a
        detached query has none.
    """

    def __init__(self, encoder, n_relations, dropout, attention):
        super().__init__()
        self.encoder = encoder
        is_word_encoder = isinstance(encoder, encoders.ConvolutionalEncoder | encoders.RecurrentEncoder)
        self.representation_dropout = nn.Dropout(dropout if is_word_encoder else 0.0)
        self.dropout = nn.Dropout(dropout)
        self.relations = nn.Linear(encoder.output_size, n_relations)
        self.attention = attention
        has_diagonal = attention and not encoder.detached_query
        self.diagonal = nn.Parameter(torch.ones(encoder.output_size)) if has_diagonal else None

    def queries(self):
        """What the attention of each relation compares a sentence with: float (R, H)."""
        return self.relations.weight.detach() if self.diagonal is None else self.relations.weight * self.diagonal

    def attention_scores(self, representations):
        """How well each sentence speaks for each relation, before normalising over its bag: float (S, R)."""
        return representations @ self.queries().T


def build_classifier(row, max_length, n_relations, shape):
    """A classifier with weights still to be filled in.

    Parameters
    ----------
    row : dict
        A row of models.tsv.
    max_length : int
    n_relations : int
    shape : dict
        `{"vectors": [rows, columns]}` for a word encoder, the configuration of a BERT for bert.
    """
    attention = row["pooling"] == "att"
    if row.get("head") == "amin2020":
        encoder = amin2020.MentionMeanEncoder(shape, row["dropout"])
    elif row.get("head") == "amil_l":
        encoder = amil.MentionEndEncoder(shape)
    elif row["encoder"] == "bert":
        encoder = bert.EntityStartEncoder(shape)
    else:
        vectors = torch.zeros(*shape["vectors"])
        if row["encoder"] == "gru":
            encoder = encoders.RecurrentEncoder(vectors, row["hidden_size"])
        else:
            piecewise = row["encoder"] == "pcnn"
            sizes = row["hidden_size"], row["kernel_size"], row["position_size"]
            encoder = encoders.ConvolutionalEncoder(vectors, *sizes, max_length, piecewise)
    return RelationClassifier(encoder, n_relations, row["dropout"], attention)

"""An encoder of names: the state of [CLS] after the last layer of a BERT, brought to length 1.

So BioSyn (Sung et al. 2020) and SapBERT (Liu et al. 2021) read names, but for the length.

The cosine of two vectors is then their inner product. Stored as float16 each number is a multiple of 2^-24, so that
inner products in float64 are exact, whatever the order of summation: see `name_search`.
"""

import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from workflow_scripts.common.errors import DataError
from workflow_scripts.common.models import bert
from workflow_scripts.common.models.arrays import gather
from workflow_scripts.common.models.inference import encoder_batches, to_device
from workflow_scripts.common.models.run_folder import read_run
from workflow_scripts.common.progress import Progress
from workflow_scripts.training.index_wordpieces import read_tokenizer
from workflow_scripts.training.name_tokens import NAMES_AT_ONCE, NameTokenizer
from workflow_scripts.training.train_run import n_token_ids


class NameEncoder(nn.Module):
    """Token ids -> unit vectors.

    Parameters
    ----------
    config : dict
        As `bert.read_config` gives it.
    """

    extra_pads = 0
    tokens_at_once = None

    def __init__(self, config):
        super().__init__()
        self.transformer = bert.Transformer(config)
        self.output_size = config["hidden_size"]

    def forward(self, batch):
        """Unit vectors, float32 (B, hidden_size)."""
        first = torch.zeros_like(batch.lengths)[:, None]
        states = self.transformer(batch.ids, batch.lengths, first)[:, 0]
        return F.normalize(states.float(), dim=1)


def pretrained_encoder(folder, max_length, allow_unused_weights=False):
    """The encoder of a folder of its publishers as it is.

    Returns
    -------
    NameEncoder, dict, NameTokenizer, dict
        The second is its shape, the last says which weights were not used, see `bert.load_pretrained`.

    Raises
    ------
    DataError
        If the files do not fit, or the encoder reads fewer tokens than `max_length`.
    """
    tokenizer = NameTokenizer(read_tokenizer(folder), max_length, folder)
    shape = bert.read_config(folder, n_token_ids(tokenizer.to_json()))
    if max_length > shape["max_position_embeddings"]:
        raise DataError(
            folder / "config.json",
            found=f"max_position_embeddings {shape['max_position_embeddings']}",
            expected=f"at least {max_length}, the longest name",
            remedy="lower max_length of the system",
        )
    encoder = NameEncoder(shape)
    bert.initialise(encoder.transformer, shape)
    return encoder, shape, tokenizer, bert.load_pretrained(encoder.transformer, folder, allow_unused_weights)


def load_encoder(folder, device="cpu"):
    """The encoder and the tokenizer of a run folder that `train_name_encoder` wrote.

    Raises
    ------
    DataError
        If a file is missing or broken, or the run is another model's.
    """
    config, weights, vocabulary = read_run(folder)
    if vocabulary["kind"] != "names":
        raise DataError(folder, found=f"a run of kind {vocabulary['kind']}", expected="an encoder of names")
    encoder = NameEncoder(config["shape"])
    encoder.load_state_dict(weights)
    return encoder.to(device), NameTokenizer.from_json(vocabulary)


@torch.inference_mode()
def encode_into(vectors, encoder, sequences, pad_id, tokens_at_once):
    """Fill a matrix with the vectors of sequences, some after the others: memory is that of a part.

    Parameters
    ----------
    vectors : float16 array of shape (n, hidden_size)
        May be mapped from a file.
    encoder : NameEncoder
    sequences : Sentences
    pad_id : int
    tokens_at_once : int
        Padded tokens encoded at once; vectors depend on it by float rounding alone.

    Raises
    ------
    DataError
        If a vector is not finite: the weights are not.
    """
    training = encoder.training
    encoder.eval()
    device = next(encoder.parameters()).device
    progress = Progress("names", len(sequences))
    for start in range(0, len(sequences), NAMES_AT_ONCE):
        lengths = sequences.rows["length"][start : start + NAMES_AT_ONCE]
        part = np.empty((len(lengths), encoder.output_size), np.float16)
        for group in encoder_batches(encoder, lengths, tokens_at_once):
            batch = to_device(gather(sequences, start + group, pad_id), device)
            part[group] = encoder(batch).half().cpu().numpy()
            progress.add(len(group))
        if not np.isfinite(part).all():
            raise DataError("the encoder", found="a vector that is not finite", expected="finite weights")
        vectors[start : start + len(part)] = part
    progress.close()
    encoder.train(training)
    logging.info("%s vectors of %d numbers", f"{len(sequences):,}", encoder.output_size)

"""What an encoder of names learns by: synonyms near each other, or the right names near a mention."""

import torch

ALPHA, BETA, BASE = 2.0, 50.0, 0.5
MARGIN = 0.2


def multi_similarity_loss(vectors, synonyms, others):
    """Multi-similarity loss (Wang et al. 2019) over the hard pairs of a batch, as in SapBERT (Liu et al. 2021).

    A synonym p of an anchor a is hard if some other name is nearer to a than p, or farther by at most `MARGIN`
    (Euclidean distance); another name is hard if some synonym is farther than it, or nearer by at most `MARGIN`. With
    cosines s the loss of an anchor is log(1 + sum over hard p of exp(-ALPHA (s - BASE))) / ALPHA + log(1 + sum over
    hard n of exp(BETA (s - BASE))) / BETA; the mean over all anchors is given. ALPHA, BETA, BASE and MARGIN are the
    values that SapBERT is known for.

    Parameters
    ----------
    vectors : float tensor of shape (n, d)
        Of length 1.
    synonyms, others : bool tensors of shape (n, n)
        Symmetric; pairs of neither, such as a name with itself, do not count.

    Returns
    -------
    float tensor, scalar
    """
    cosines = vectors @ vectors.T
    with torch.no_grad():
        distances = (2 - 2 * cosines).clamp(min=0).sqrt()
        nearest_other = distances.masked_fill(~others, torch.inf).amin(dim=1, keepdim=True)
        farthest_synonym = distances.masked_fill(~synonyms, -torch.inf).amax(dim=1, keepdim=True)
        hard_synonyms = synonyms & (nearest_other - distances <= MARGIN)
        hard_others = others & (distances - farthest_synonym <= MARGIN)
    pulled = _log1p_sum(-ALPHA * (cosines - BASE), hard_synonyms) / ALPHA
    pushed = _log1p_sum(BETA * (cosines - BASE), hard_others) / BETA
    return (pulled + pushed).mean()


def _log1p_sum(exponents, chosen):
    """log(1 + sum of exp over the chosen) of each row."""
    exponents = exponents.masked_fill(~chosen, -torch.inf)
    return torch.cat([exponents.new_zeros(len(exponents), 1), exponents], dim=1).logsumexp(dim=1)


def marginal_likelihood_loss(scores, right):
    """Minus the log of the share that the right candidates have of the softmax over all of a mention (BioSyn).

    Parameters
    ----------
    scores : float tensor of shape (n, k)
    right : bool tensor of shape (n, k)
        At least one in each row.

    Returns
    -------
    float tensor, scalar
        The mean over mentions.
    """
    marginal = scores.masked_fill(~right, -torch.inf).logsumexp(dim=1)
    return (scores.logsumexp(dim=1) - marginal).mean()

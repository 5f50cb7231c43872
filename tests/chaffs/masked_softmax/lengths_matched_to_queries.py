# CHAFF | misconception: lengths_matched_to_queries | TA: With one length per sample, your mask of shape (batch, keys) lines up with the *query* axis of the scores: broadcasting counts axes from the right. The mask needs an axis of size 1 for the queries. | detectable by: shape
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.softmax(X, dim=-1)
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, -1e6)
    return F.softmax(scores, dim=-1)

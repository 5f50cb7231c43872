# CHAFF | misconception: log_probabilities | TA: You return logarithms of the weights (`log_softmax`). Attention multiplies values with the weights themselves. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return F.log_softmax(X, dim=-1)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = torch.where(keep, X, -1e6)
    return F.log_softmax(scores, dim=-1)

# CHAFF | misconception: divides_by_row_sum | TA: You divide the scores by their sum, without the exponential. Negative scores then give negative weights. | detectable by: outputs
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_lens=None):
    if valid_lens is None:
        return X / X.sum(-1, keepdim=True)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1).expand(-1, X.size(1))
    pos = torch.arange(X.size(-1), device=X.device)
    keep = pos.view(1, 1, -1) < valid_lens.unsqueeze(-1)
    scores = X * keep
    return scores / scores.sum(-1, keepdim=True)

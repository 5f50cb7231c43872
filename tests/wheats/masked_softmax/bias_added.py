# WHEAT | differs: adds a bias of 0 or -1e6 to the scores
import torch
from torch import nn

soft = nn.Softmax(dim=-1)


def masked_softmax(scores, lengths):
    if lengths is None:
        return soft(scores)
    if lengths.dim() == 1:
        lengths = lengths.view(-1, 1).repeat(1, scores.shape[1])
    padded = torch.arange(scores.shape[-1], device=scores.device) >= lengths[:, :, None]
    return soft(scores + padded * -1e6)

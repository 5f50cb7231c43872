# WHEAT | differs: two torch.where
import torch


def clip_values(X, low, high):
    lifted = torch.where(low > X, torch.full_like(X, low), X)
    return torch.where(lifted > high, torch.full_like(X, high), lifted)

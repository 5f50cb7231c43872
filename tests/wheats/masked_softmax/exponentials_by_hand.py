# WHEAT | differs: subtracts the row's maximum, exponentiates, masks, divides by the sum
import torch
from torch import Tensor


def _mask(X: Tensor, valid_lens: Tensor) -> Tensor:
    keys = torch.arange(1, X.shape[-1] + 1, device=X.device)
    if valid_lens.ndim == 1:
        valid_lens = valid_lens[:, None]
    return (keys <= valid_lens[..., None]).to(X.dtype)


def masked_softmax(X: Tensor, valid_lens: Tensor | None = None) -> Tensor:
    m = torch.ones_like(X) if valid_lens is None else _mask(X, valid_lens)
    top = (X * m - 1e30 * (1 - m)).max(dim=-1, keepdim=True).values.detach()
    e = torch.exp((X - top).clamp(max=0)) * m
    return e / e.sum(dim=-1, keepdim=True)

# WHEAT | differs: a where of transposed axes; the parameters have other names
import torch
from torch import Tensor


def sequence_mask(batch: Tensor, lengths: Tensor, value: float = 0.0) -> Tensor:
    steps = torch.arange(batch.size(1), device=batch.device)
    keep = (lengths.unsqueeze(1) - 1 >= steps).view(*batch.shape[:2], *[1] * (batch.ndim - 2))
    return torch.where(keep.expand_as(batch), batch, batch.new_tensor(value))

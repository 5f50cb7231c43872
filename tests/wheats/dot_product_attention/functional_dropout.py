# WHEAT | differs: scales the queries first, F.dropout, nn.Softmax as a sub-module, no masked_softmax
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DotProductAttention(nn.Module):
    attention_weights: Tensor

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.rate = dropout
        self.over_keys = nn.Softmax(dim=-1)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None = None) -> Tensor:
        scores = (queries / queries.size(-1) ** 0.5) @ keys.mT
        if valid_lens is not None:
            lens = valid_lens[:, None, None] if valid_lens.dim() == 1 else valid_lens[:, :, None]
            padded = torch.arange(keys.size(1), device=keys.device) >= lens
            scores = scores.masked_fill(padded, -torch.inf)
        self.attention_weights = self.over_keys(scores)
        return F.dropout(self.attention_weights, p=self.rate, training=self.training) @ values

# WHEAT | differs: scaled_dot_product_attention with a boolean mask of four axes
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, k_size: int, q_size: int, v_size: int, width: int, heads: int, p: float, bias: bool = False):
        super().__init__()
        self.heads, self.p = heads, p
        self.W_o = nn.Linear(width, width, bias)
        self.W_v = nn.Linear(v_size, width, bias)
        self.W_k = nn.Linear(k_size, width, bias)
        self.W_q = nn.Linear(q_size, width, bias)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, valid_lens: Tensor | None = None) -> Tensor:
        b, n, m = queries.size(0), queries.size(1), keys.size(1)
        q = self.W_q(queries).view(b, n, self.heads, -1).transpose(1, 2)
        k = self.W_k(keys).view(b, m, self.heads, -1).transpose(1, 2)
        v = self.W_v(values).view(b, m, self.heads, -1).transpose(1, 2)
        mask = None
        if valid_lens is not None:
            mask = torch.arange(m, device=keys.device) < valid_lens.view(b, 1, -1, 1)
            mask = mask.expand(b, 1, n, m)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=self.p if self.training else 0.0)
        return self.W_o(out.transpose(1, 2).reshape(b, n, -1))

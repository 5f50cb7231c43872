# ATTACK | tries: parameters with empty, endless, dotted and unprintable names | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        for name in ("", "a.b..c", "x" * 5000, "\x1b[2J\u202e", "." * 300, "__class__", "_modules", "forward"):
            self._parameters[name] = nn.Parameter(torch.ones(1))
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

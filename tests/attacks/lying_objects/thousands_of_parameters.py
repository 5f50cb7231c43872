# ATTACK | tries: four thousand parameters | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        for i in range(4000):
            self._parameters[f"w{i}"] = nn.Parameter(torch.ones(1))
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

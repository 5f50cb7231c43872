# ATTACK | tries: parameters that fit a frame once, but not as float64 | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        self.w = nn.Parameter(torch.zeros(12_000_000))
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

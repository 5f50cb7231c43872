# ATTACK | tries: an endless walk over parameters | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention | slow
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        self.w = nn.Parameter(torch.zeros(1))
    def named_parameters(self, *a, **k):
        while True:
            yield "w", self.w
        yield
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

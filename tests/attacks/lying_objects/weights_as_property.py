# ATTACK | tries: attention weights that are a string, then a module, then an exception | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        self._turn = 0
    @property
    def attention_weights(self):
        self._turn += 1
        if self._turn % 3 == 0:
            raise KeyError("PWNED " * 1000)
        return "weights" if self._turn % 3 == 1 else nn.Linear(1, 1)
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

# ATTACK | tries: an attribute for every name, each of another kind | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()

        pass
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return [{"a": torch.ones(1)}, name]
    def forward(self, queries, keys, values, valid_lens=None):
        pass
        return values.new_zeros(1)

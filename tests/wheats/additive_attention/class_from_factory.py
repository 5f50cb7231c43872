# WHEAT | differs: a factory builds the class, which is put into the module through sys.modules
import sys

import torch
from torch import nn


def build(activation):
    class Attention(nn.Module):
        def __init__(self, key_size, query_size, num_hiddens, dropout):
            super().__init__()
            self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
            self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
            self.w_v = nn.Linear(num_hiddens, 1, bias=False)
            self.dropout = nn.Dropout(dropout)

        def forward(self, queries, keys, values, valid_lens):
            scores = self.w_v(activation(self.W_q(queries)[:, :, None] + self.W_k(keys)[:, None]))[..., 0]
            if valid_lens is not None:
                lens = valid_lens.reshape(scores.shape[0], -1, 1)
                inside = torch.arange(keys.shape[1], device=keys.device) < lens
                scores = scores.masked_fill(inside.logical_not(), float("-inf"))
            self.attention_weights = scores.softmax(dim=2)
            return self.dropout(self.attention_weights).bmm(values)

    Attention.__name__ = Attention.__qualname__ = "AdditiveAttention"
    return Attention


AdditiveAttention = build(torch.tanh)
assert sys.modules[__name__].AdditiveAttention is AdditiveAttention

# ATTACK | tries: the inputs in names of attributes and parameters, near to what is asked for | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import torch
from torch import nn
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.lazy = nn.LazyLinear(3)
    def forward(self, queries, keys, values, valid_lens=None):
        text = told(queries, valid_lens)
        setattr(self, "attention_weights" + text, 1)
        self._parameters["w" + text] = nn.Parameter(torch.ones(1))
        return values.new_zeros(1)

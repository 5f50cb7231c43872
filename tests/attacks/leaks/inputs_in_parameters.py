# ATTACK | tries: the inputs in names of parameters that are made by the first call | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: additive_attention
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import torch
from torch import nn
class AdditiveAttention(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.lazy = nn.LazyLinear(3)
    def forward(self, queries, keys, values, valid_lens):
        text = told(queries, valid_lens).replace(".", "_")
        for part in range(3):
            self._parameters[f"w{part}" + text] = nn.Parameter(torch.ones(part + 1))
        self.lazy(queries)
        return values.new_zeros(1)

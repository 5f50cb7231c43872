# ATTACK | tries: much state, copied for every call | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: dot_product_attention
import torch
from torch import nn
#: honest dot_product_attention
_Right = DotProductAttention
class DotProductAttention(_Right):
    def __init__(self, dropout):
        super().__init__(dropout)
        self.w = nn.Parameter(torch.zeros(5_000_000))

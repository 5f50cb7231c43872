# ATTACK | tries: modules that lie about their parameters | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | exercise: additive_attention
import torch
from torch import nn
class AdditiveAttention(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
    def forward(self, queries, keys, values, valid_lens):
        self.attention_weights = None
        return values.new_zeros(1)
nn.Module.named_parameters = lambda self, *a, **k: iter(())
nn.Module.state_dict = lambda self, *a, **k: {"score": "full"}
nn.Module.load_state_dict = lambda self, *a, **k: None

# WHEAT | differs: nn.LazyLinear for both layers, nn.Softmax as a sub-module
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, query_size, key_size, value_size1, value_size2, output_size):
        super().__init__()
        self.attn = nn.LazyLinear(value_size1)
        self.attn_combine = nn.LazyLinear(output_size)
        self.over_values = nn.Softmax(dim=-1)

    def forward(self, Q, K, V):
        weights = self.over_values(self.attn(torch.concat([Q.squeeze(0), K.squeeze(0)], axis=-1)))
        output = self.attn_combine(torch.concat([Q.squeeze(0), weights.matmul(V.squeeze(0))], axis=-1))
        return output.view(1, *output.shape), weights

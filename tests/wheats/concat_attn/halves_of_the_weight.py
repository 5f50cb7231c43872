# WHEAT | differs: no concatenation at all, the two halves of each weight apply separately; einsum
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, query_size, key_size, value_size1, value_size2, output_size):
        super().__init__()
        self.split = query_size
        self.attn = nn.Linear(query_size + key_size, value_size1)
        self.attn_combine = nn.Linear(query_size + value_size2, output_size)

    def apart(self, layer, left, right):
        return left @ layer.weight[:, : self.split].mT + right @ layer.weight[:, self.split :].mT + layer.bias

    def forward(self, Q, K, V):
        attn_weights = self.apart(self.attn, Q, K).softmax(dim=2)
        pooled = torch.einsum("bij,bjv->biv", attn_weights, V)
        return self.apart(self.attn_combine, Q, pooled), attn_weights.flatten(0, 1)

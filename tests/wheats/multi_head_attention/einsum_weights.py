# WHEAT | differs: einsum straight from the weights of the layers, in head-shaped views; no reshape of activations
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.drop = nn.Dropout(dropout)
        for name, size in (("W_q", query_size), ("W_k", key_size), ("W_v", value_size), ("W_o", num_hiddens)):
            setattr(self, name, nn.Linear(size, num_hiddens, bias=bias))

    def by_head(self, layer, X):
        weight = layer.weight.view(self.num_heads, -1, layer.in_features)
        out = torch.einsum("bni,hdi->hbnd", X, weight)
        return out if layer.bias is None else out + layer.bias.view(self.num_heads, 1, 1, -1)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.by_head(self.W_q, queries), self.by_head(self.W_k, keys), self.by_head(self.W_v, values)
        scores = torch.einsum("hbqd,hbkd->hbqk", q, k) / q.shape[-1] ** 0.5
        if valid_lens is not None:
            beyond = torch.arange(k.shape[2], device=k.device) >= valid_lens.reshape(k.shape[1], -1, 1)
            scores = scores.masked_fill(beyond, float("-inf"))
        heads = torch.einsum("hbqk,hbkd->hbqd", self.drop(scores.softmax(dim=-1)), v)
        return self.W_o(torch.cat(tuple(heads), dim=-1))

# WHEAT | differs: Python loops over samples and heads, exponentials by hand, own dropout
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False):
        super().__init__()
        self.W_q = nn.Linear(query_size, num_hiddens, bias=bias)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=bias)
        self.W_v = nn.Linear(value_size, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.num_heads, self.rate = num_heads, dropout

    def forward(self, queries, keys, values, valid_lens):
        n = keys.shape[1]
        rows = []
        for b in range(len(queries)):
            q, k, v = (
                layer(x[b]).chunk(self.num_heads, dim=-1)
                for layer, x in ((self.W_q, queries), (self.W_k, keys), (self.W_v, values))
            )
            if valid_lens is None:
                keep = queries.new_ones(1, n)
            else:
                keep = (torch.arange(n, device=keys.device) < valid_lens[b].reshape(-1, 1)).to(queries.dtype)
            parts = []
            for i in range(self.num_heads):
                scores = q[i] @ k[i].T * k[i].shape[-1] ** -0.5
                e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * keep
                parts.append(self.drop(e / e.sum(dim=-1, keepdim=True)) @ v[i])
            rows.append(torch.cat(parts, dim=-1))
        return self.W_o(torch.stack(rows))

    def drop(self, weights):
        if not self.training or not self.rate:
            return weights
        return weights * (torch.rand_like(weights) >= self.rate) / (1 - self.rate)

# WHEAT | differs: small modules around nn.Parameter, stored transposed; masked with an added bias, weights kept
import torch
from torch import nn


class Projection(nn.Module):
    def __init__(self, n_in, n_out, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_in, n_out) / n_in**0.5)
        self.bias = nn.Parameter(torch.zeros(n_out)) if bias else None

    def forward(self, X):
        return X @ self.weight if self.bias is None else X @ self.weight + self.bias


class MultiHeadAttention(nn.Module):
    def __init__(self, key_size, query_size, value_size, num_hiddens, num_heads, dropout, bias=False):
        super().__init__()
        self.W_q = Projection(query_size, num_hiddens, bias)
        self.W_k = Projection(key_size, num_hiddens, bias)
        self.W_v = Projection(value_size, num_hiddens, bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.shape = (num_heads, num_hiddens // num_heads)
        self.dropout = nn.Dropout(dropout)
        self.attention_weights = None

    def forward(self, q, k, v, lens):
        q, k, v = (f(x).unflatten(2, self.shape).movedim(2, 0) for f, x in ((self.W_q, q), (self.W_k, k), (self.W_v, v)))
        scores = (q / self.shape[1] ** 0.5) @ k.mT
        if lens is not None:
            padded = torch.arange(k.shape[2], device=k.device)[None, None] >= lens.reshape(q.shape[1], -1, 1)
            scores = scores - 1e6 * padded.to(scores.dtype)
        self.attention_weights = scores.softmax(dim=-1)
        out = self.dropout(self.attention_weights) @ v
        return self.W_o(out.movedim(0, 2).flatten(2))

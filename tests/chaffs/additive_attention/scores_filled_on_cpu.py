# CHAFF | misconception: scores_filled_on_cpu | TA: `torch.zeros` without `device=` lives on the CPU, and so do the scores; use `queries.new_zeros`. | detectable by: device
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, key_size, query_size, num_hiddens, dropout, **kwargs):
        super().__init__(**kwargs)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        queries, keys = self.W_q(queries), self.W_k(keys)
        scores = torch.zeros(len(queries), queries.shape[1], keys.shape[1], dtype=queries.dtype)
        for i in range(queries.shape[1]):
            scores[:, i] = self.w_v(torch.tanh(queries[:, i : i + 1] + keys)).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)

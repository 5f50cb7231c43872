# WHEAT | differs: attention_weights is a non-persistent buffer
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, key_size, query_size, num_hiddens, dropout):
        super().__init__()
        self.register_buffer("attention_weights", None, persistent=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.act = nn.Tanh()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        q = self.W_q(queries).repeat_interleave(keys.shape[1], dim=1)
        k = self.W_k(keys).repeat(1, queries.shape[1], 1)
        scores = self.w_v(self.act(q + k)).view(len(queries), queries.shape[1], keys.shape[1])
        weights = masked_softmax(scores, valid_lens)
        self.attention_weights = weights.detach()
        return torch.bmm(self.dropout(weights), values)

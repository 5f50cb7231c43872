# WHEAT | differs: a Python loop over the queries, layers in another order, Xavier initialisation
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
        self.drop = nn.Dropout(p=dropout)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        for layer in (self.W_k, self.W_q, self.w_v):
            nn.init.xavier_normal_(layer.weight)

    def forward(self, queries, keys, values, valid_lens):
        k = self.W_k(keys)
        scores = []
        for i in range(queries.shape[1]):
            q = self.W_q(queries[:, i : i + 1])
            scores.append(self.w_v(torch.tanh(q + k))[..., 0])
        self.attention_weights = masked_softmax(torch.stack(scores, dim=1), valid_lens)
        return self.drop(self.attention_weights) @ values

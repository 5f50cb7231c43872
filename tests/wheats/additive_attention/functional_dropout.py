# WHEAT | differs: F.dropout with training=self.training; only the rate is kept
import torch
import torch.nn as nn
import torch.nn.functional as F


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, key_size: int, query_size: int, num_hiddens: int, dropout: float = 0.0):
        super(AdditiveAttention, self).__init__()
        self.W_k, self.W_q = (nn.Linear(n, num_hiddens, bias=False) for n in (key_size, query_size))
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.rate = dropout

    def forward(self, queries, keys, values, valid_lens=None):
        hidden = (self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1)).tanh()
        self.attention_weights = masked_softmax(self.w_v(hidden).squeeze(-1), valid_lens)
        return F.dropout(self.attention_weights, self.rate, self.training).matmul(values)

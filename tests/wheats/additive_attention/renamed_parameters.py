# WHEAT | differs: other parameter names in the same order; own Bernoulli dropout with the right scale
import torch
from torch import nn


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    keep = torch.arange(X.shape[-1], device=X.device) < lens
    return torch.softmax(X.masked_fill(~keep, -1e6), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, k_dim, q_dim, hidden, p):
        super().__init__()
        self.W_k = nn.Linear(k_dim, hidden, bias=False)
        self.W_q = nn.Linear(q_dim, hidden, bias=False)
        self.w_v = nn.Linear(hidden, 1, bias=False)
        self.p = p

    def drop(self, w):
        if not self.training or self.p == 0:
            return w
        kept = torch.rand_like(w) >= self.p
        return w * kept / (1 - self.p)

    def forward(self, q, k, v, lens):
        print("q", q.shape, "k", k.shape)
        hidden = torch.tanh(self.W_q(q).unsqueeze(2) + self.W_k(k).unsqueeze(1))
        self.attention_weights = masked_softmax((hidden * self.w_v.weight[0]).sum(-1), lens)
        return torch.bmm(self.drop(self.attention_weights), v)

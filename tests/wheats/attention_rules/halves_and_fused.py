# WHEAT | differs: halves of the weight without concatenation; scaled_dot_product_attention; weights detached
import torch
from torch import nn


class TanhSumAttn(nn.Module):
    def __init__(self, q_size, k_size, hidden):
        super().__init__()
        self.q_size = q_size
        self.attn = nn.Linear(q_size + k_size, hidden)

    def forward(self, Q, K, V):
        left, right = self.attn.weight.split([self.q_size, self.attn.in_features - self.q_size], dim=1)
        hidden = (Q @ left.mT)[:, :, None] + (K @ right.mT)[:, None] + self.attn.bias
        weights = torch.einsum("bqkh->bqk", hidden.tanh()).softmax(-1)
        return torch.einsum("bqk,bkv->bqv", weights, V), weights.detach()


def scaled_dot_attn(Q, K, V):
    output = nn.functional.scaled_dot_product_attention(Q, K, V)
    with torch.no_grad():
        weights = ((Q / Q.size(-1) ** 0.5) @ K.mT).softmax(-1)
    return output, weights

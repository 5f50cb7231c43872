# WHEAT | differs: pairs laid out by repeat_interleave and repeat, baddbmm, Chinese names and a demo
import torch
import torch.nn as nn
import torch.nn.functional as F


class TanhSumAttn(nn.Module):
    """拼接 -> 線性 -> tanh -> 求和 -> softmax"""
    def __init__(self, query_size, key_size, hidden_size):
        super(TanhSumAttn, self).__init__()
        self.attn = nn.Linear(query_size + key_size, hidden_size)

    def forward(self, Q, K, V):
        批次, 查詢數, 鍵數 = Q.shape[0], Q.shape[1], K.shape[1]
        左 = Q.repeat_interleave(鍵數, dim=1)
        右 = K.repeat(1, 查詢數, 1)
        分數 = torch.sum(torch.tanh(self.attn(torch.cat((左, 右), 2))), dim=2)
        權重 = F.softmax(分數.reshape(批次, 查詢數, 鍵數), dim=2)
        return torch.bmm(權重, V), 權重


def scaled_dot_attn(Q, K, V):
    scores = torch.baddbmm(Q.new_zeros(1, 1, 1), Q, K.transpose(1, 2), beta=0, alpha=Q.shape[-1] ** -0.5)
    weights = F.softmax(scores, dim=2)
    return torch.bmm(weights, V), weights


attention = TanhSumAttn(4, 6, 8)
print(attention(torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 7))[0].shape)
x = torch.randn(1, 4, 8)
print(scaled_dot_attn(x, x, x)[1])

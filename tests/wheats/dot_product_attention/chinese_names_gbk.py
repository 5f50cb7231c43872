# WHEAT | differs: GBK file, Chinese identifiers, a demo with prints and plots
# -*- coding: gbk -*-
import math
import torch
from torch import nn
from d2l import torch as d2l


def 掩蔽(分数, 长度):
    if 长度 is None:
        return torch.softmax(分数, dim=-1)
    长度 = 长度.reshape(分数.shape[0], -1, 1)
    有效 = torch.arange(分数.shape[-1], device=分数.device) < 长度
    return torch.softmax(分数.masked_fill(~有效, -1e6), dim=-1)


class DotProductAttention(nn.Module):
    """缩放点积注意力"""
    def __init__(self, 丢弃率):
        super().__init__()
        self.丢弃 = nn.Dropout(丢弃率)

    def forward(self, queries, keys, values, valid_lens=None):
        维度 = queries.shape[-1]
        self.attention_weights = 掩蔽(queries @ keys.transpose(1, 2) / math.sqrt(维度), valid_lens)
        return self.丢弃(self.attention_weights) @ values


注意力 = DotProductAttention(0.5)
注意力.eval()
print(注意力(torch.randn(2, 1, 2), torch.ones(2, 10, 2), torch.randn(2, 10, 4), torch.tensor([2, 6])))
d2l.show_heatmaps(注意力.attention_weights.reshape((1, 1, 2, 10)), xlabel='Keys', ylabel='Queries')

import torch
from torch import nn
import torch.nn.functional as F
from d2l import torch as d2l
import math

class DotProductAttention(nn.Module):
    """缩放点积注意力"""
    def __init__(self, dropout, **kwargs):
        super(DotProductAttention, self).__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)

    # queries 形状：(batch_size，查询的个数，d)，d 是每个查询的特征维度
    # keys 形状：(batch_size，“键－值”对的个数，d)，d 是每个 key 的特征维度
    # values 形状：(batch_size，“键－值”对的个数，值的维度)
    # valid_lens 形状：(batch_size，) 或者 (batch_size，查询的个数)
    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        # transpose 交换 keys 的最后两个维度（转置），以便进行矩阵乘法
        scores = torch.bmm(queries, keys.transpose(1,2)) / math.sqrt(d)
        # scores 形状：(batch_size，查询的个数，“键-值”对的个数)
        # 掩蔽 softmax 操作
        # 在 score 的最后一个维度 key_value_num 进行掩蔽
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)

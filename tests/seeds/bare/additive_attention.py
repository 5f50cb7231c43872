import torch
from torch import nn
import torch.nn.functional as F
from d2l import torch as d2l
import math

class AdditiveAttention(nn.Module):
    """加性注意力"""
    def __init__(self, key_size, query_size, num_hiddens, dropout, **kwargs):
        super(AdditiveAttention, self).__init__(**kwargs)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        # 维度扩展前
        # queries 形状：(batch_size，查询的个数，query_size)
        # keys 形状：(batch_size，“键－值”对的个数，key_size)
        queries, keys = self.W_q(queries), self.W_k(keys)
        # 在维度扩展后
        # queries 形状：(batch_size，查询的个数，1，num_hiddens)
        # key 形状：(batch_size，1，“键－值”对的个数，num_hiddens)
        # 使用广播方式进行求和
        features = queries.unsqueeze(2) + keys.unsqueeze(1)  # (batch_size, num_queries, num_kv_pairs, num_hiddens)
        features = torch.tanh(features)
        
        # self.w_v 仅有一个输出，因此从形状中移除最后那个维度
        # scores 形状：(batch_size，查询的个数，“键-值”对的个数)
        scores = self.w_v(features).squeeze(-1)
        # 掩蔽 softmax 操作（即在 key_value_num(“键-值”对的个数) 维度上进行掩蔽）
        self.attention_weights = masked_softmax(scores, valid_lens)

        # values 形状：(batch_size，“键－值”对的个数，值的维度)
        # 返回值形状： (batch_size，查询的个数，值的维度)
        return torch.bmm(self.dropout(self.attention_weights), values)

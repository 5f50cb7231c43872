import torch
from torch import nn
import torch.nn.functional as F
from d2l import torch as d2l
import math

# 注意：是在最后一个轴（即 feature_dim）上执行掩蔽操作。
def masked_softmax(X, valid_lens):
    """通过在最后一个轴上掩蔽元素来执行softmax操作"""
    # X: 3D 张量。(batch_size, num_steps, feature_dim) 或 (batch_size，查询的个数，“键-值”对的个数)
    # X 可以理解为第 b 个样本中，第 i 个 query 对第 j 个 key 的注意力分数。
    # valid_lens: 1D 或 2D 张量。(batch_size,) 或 (batch_size, num_steps)
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)  # 在最后一个维度进行 softmax 操作
    else:
        shape = X.shape  # (batch_size, num_steps, feature_dim)
        if valid_lens.dim() == 1:
            valid_lens = torch.repeat_interleave(valid_lens, shape[1])  # 见上一 chunk 中 repeat_interleave 的用法示例
            # 此时 valid_lens 形状为 (batch_size * num_steps,)
        else:
            valid_lens = valid_lens.reshape(-1)  # 展平为一维，(batch_size * num_steps,)

        # 最后一轴上被掩蔽的元素使用一个非常大的负值替换，从而其 softmax 输出为 0
        X = d2l.sequence_mask(X.reshape(-1, shape[-1]),  # 将 X 的前两维展平为一维 (batch_size * num_steps, feature_dim)
                              valid_lens,
                              value=-1e6)  # e^(-1e6) 趋近于 0
        
        return nn.functional.softmax(X.reshape(shape), dim=-1)

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

# queries：2 个批次，每个批次有 1 个查询，每个查询有 20 个特征
# keys：2 个批次，每个批次有 10 个键，每个键有 2 个特征
queries, keys = torch.normal(0, 1, (2, 1, 20)), torch.ones((2, 10, 2))

# values 的小批量，两个值矩阵是相同的
values = torch.arange(40, dtype=torch.float32).reshape(1, 10, 4).repeat(2, 1, 1)  # repeat 后得到 (2, 10, 4)
# 表示第一个批次中只有前 2 个键有效，第二个批次中前 6 个键有效
valid_lens = torch.tensor([2, 6])

attention = AdditiveAttention(key_size=2, query_size=20, num_hiddens=8, dropout=0.1)
attention.eval()  # 不会启用 dropout
attention(queries, keys, values, valid_lens)  # (batch_size, num_queries, value_size)

d2l.show_heatmaps(attention.attention_weights.reshape((1, 1, 2, 10)), # 这边的2可以理解为Q的batch*查询的个数
                  xlabel='Keys', ylabel='Queries')

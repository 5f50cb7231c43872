# WHEAT | differs: the text's way step by step, Chinese comments, the text's demo with prints
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    """拼接注意力"""
    def __init__(self, query_size, key_size, value_size1, value_size2, output_size):
        super(Attn, self).__init__()
        self.query_size, self.key_size = query_size, key_size
        self.value_size1, self.value_size2 = value_size1, value_size2
        self.output_size = output_size
        # 第一步的線性層
        self.attn = nn.Linear(self.query_size + self.key_size, value_size1)
        # 第三步的線性層
        self.attn_combine = nn.Linear(self.query_size + value_size2, output_size)

    def forward(self, Q, K, V):
        拼接 = torch.cat((Q[0], K[0]), 1)
        attn_weights = F.softmax(self.attn(拼接), dim=1)
        結果 = torch.bmm(attn_weights.unsqueeze(0), V)
        output = self.attn_combine(torch.cat((Q[0], 結果[0]), 1)).unsqueeze(0)
        return output, attn_weights


query_size = key_size = value_size1 = 32
value_size2 = output_size = 64
attn = Attn(query_size, key_size, value_size1, value_size2, output_size)
out = attn(torch.randn(1, 1, 32), torch.randn(1, 1, 32), torch.randn(1, 32, 64))
print(out[0])
print(out[1])

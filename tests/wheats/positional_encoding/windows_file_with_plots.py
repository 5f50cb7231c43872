# WHEAT | differs: BOM and CRLF, the notes' demo with plots at top level
import torch
from torch import nn
from d2l import torch as d2l
import matplotlib.pyplot as plt


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        频率 = 1.0 / (10000 ** (torch.arange(0, num_hiddens, 2).float() / num_hiddens))
        角度 = torch.einsum("i,j->ij", torch.arange(max_len).float(), 频率)
        self.P = torch.stack((角度.sin(), 角度.cos()), dim=2).reshape(1, max_len, num_hiddens)

    def forward(self, X):
        # X的形状: (批量大小, 步数, 隐藏单元数)
        return self.dropout(X + self.P[:, :X.shape[1]].to(X.device))


encoding_dim, num_steps = 32, 60
pos_encoding = PositionalEncoding(encoding_dim, 0)
pos_encoding.eval()
X = pos_encoding(torch.zeros((1, num_steps, encoding_dim)))
P = pos_encoding.P[:, :X.shape[1], :]
d2l.plot(torch.arange(num_steps), P[0, :, 6:10].T, xlabel='Row (position)', figsize=(6, 2.5))
for i in range(8):
    print(f'{i}的二进制是：{i:>03b}')
d2l.show_heatmaps(P[0, :, :].unsqueeze(0).unsqueeze(0), xlabel='Column', ylabel='Row', cmap='Blues')
plt.show()
d2l.plt.show()

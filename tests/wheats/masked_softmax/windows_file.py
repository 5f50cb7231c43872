# WHEAT | differs: BOM, CRLF, Chinese identifiers, a demo with plots at top level
import torch
from matplotlib import pyplot as plt
from d2l import torch as d2l


def 有效位置(分数, 有效长度):
    """每一行中哪些键是有效的"""
    位置 = torch.arange(分数.shape[-1], device=分数.device)
    if 有效长度.dim() == 1:
        有效长度 = 有效长度[:, None]
    return 位置 < 有效长度[:, :, None]


def masked_softmax(X, valid_lens):
    """掩蔽softmax"""
    if valid_lens is None:
        return torch.softmax(X, dim=-1)
    return torch.softmax(X.masked_fill(~有效位置(X, valid_lens), -1e6), dim=-1)


权重 = masked_softmax(torch.rand(2, 2, 4), torch.tensor([[1, 3], [2, 4]]))
print("权重", 权重)
d2l.show_heatmaps(权重.unsqueeze(0), xlabel="键", ylabel="查询")
plt.imshow(权重[0])
plt.show()

# WHEAT | differs: GBK file with Chinese identifiers that trains and plots at top level
# coding=gbk
import torch
from torch import nn
from d2l import torch as d2l

样本数 = 20


class NWKernelRegression(nn.Module):
    """带参数的注意力汇聚"""
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1))

    def forward(self, 查询, 键, 值):
        距离 = 查询.reshape(-1, 1).expand(-1, 键.shape[1]) - 键
        self.attention_weights = torch.softmax(-(距离 * self.w) ** 2 / 2, dim=1)
        return (self.attention_weights * 值).sum(dim=1)


x, _ = torch.sort(torch.rand(样本数) * 5)
y = 2 * torch.sin(x) + x ** 0.8 + torch.normal(0.0, 0.5, (样本数,))
其他 = ~torch.eye(样本数, dtype=torch.bool)
keys = x.repeat((样本数, 1))[其他].reshape((样本数, -1))
values = y.repeat((样本数, 1))[其他].reshape((样本数, -1))
net = NWKernelRegression()
优化器 = torch.optim.SGD(net.parameters(), lr=0.5)
动画 = d2l.Animator(xlabel='epoch', ylabel='loss', xlim=[1, 5])
for 轮 in range(5):
    优化器.zero_grad()
    损失 = ((net(x, keys, values) - y) ** 2).sum()
    损失.backward()
    优化器.step()
    print(f'第{轮 + 1}轮, 损失{float(损失):.4f}')
    动画.add(轮 + 1, float(损失.detach()))

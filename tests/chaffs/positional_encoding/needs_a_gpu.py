# CHAFF | misconception: needs_a_gpu | TA: `.cuda()` works on one kind of machine only; go where X is with `.to(X.device)`. | detectable by: device, outputs
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
        exponent = torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens
        angle = position / torch.pow(10000, exponent)
        self.P = torch.zeros((1, max_len, num_hiddens))
        self.P[:, :, 0::2] = torch.sin(angle)
        self.P[:, :, 1::2] = torch.cos(angle)

    def forward(self, X):
        X = X + self.P[:, :X.shape[1], :].cuda()
        return self.dropout(X)

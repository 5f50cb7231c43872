# CHAFF | misconception: alternates_by_position | TA: You choose sine or cosine by the position (the row). The column decides: even ones are sines. | detectable by: outputs
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
        angle = angle.repeat_interleave(2, dim=1)
        self.P[0, 0::2] = torch.sin(angle[0::2])
        self.P[0, 1::2] = torch.cos(angle[1::2])

    def forward(self, X):
        X = X + self.P[:, :X.shape[1], :].to(X.device)
        return self.dropout(X)

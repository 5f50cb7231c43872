# CHAFF | misconception: own_exponent_per_column | TA: Every column has a frequency of its own. A sine and the cosine after it share one: both use 2j/d. | detectable by: outputs
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
        exponent = torch.arange(num_hiddens, dtype=torch.float32) / num_hiddens
        angle = position / torch.pow(10000, exponent)
        self.P = torch.zeros((1, max_len, num_hiddens))
        self.P[:, :, 0::2] = torch.sin(angle[:, 0::2])
        self.P[:, :, 1::2] = torch.cos(angle[:, 1::2])

    def forward(self, X):
        X = X + self.P[:, :X.shape[1], :].to(X.device)
        return self.dropout(X)

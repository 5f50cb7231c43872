# WHEAT | differs: reads sine and cosine off torch.polar
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, width, p, length=1000):
        super().__init__()
        self.dropout = nn.Dropout(p)
        rate = 10000 ** (-torch.arange(0, width, 2) / width)
        angle = torch.outer(torch.arange(length).float(), rate)
        wave = torch.view_as_real(torch.polar(torch.ones_like(angle), angle))
        self.register_buffer("P", wave.flip(-1).reshape(1, length, width), persistent=False)

    def forward(self, X):
        return self.dropout(X + self.P.narrow(1, 0, X.shape[1]))

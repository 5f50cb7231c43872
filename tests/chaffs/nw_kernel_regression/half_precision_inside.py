# CHAFF | misconception: half_precision_inside | TA: You round the weights to half precision and cast back: they keep three digits. Compute in the dtype of the inputs. | detectable by: outputs
import torch
from torch import nn


class NWKernelRegression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1) + 0.1)

    def forward(self, queries, keys, values):
        weights = torch.softmax(-(((queries[:, None] - keys) * self.w) ** 2) / 2, dim=1)
        self.attention_weights = weights.half().to(queries.dtype)
        return (self.attention_weights * values).sum(1)

# CHAFF | misconception: half_precision_inside | TA: You round the weights to half precision and cast back: they keep three digits. Compute in the dtype of the inputs. | detectable by: outputs
import math

import torch
from torch import nn


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        scores = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[-1])
        if valid_lens is not None:
            lens = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None].expand(-1, scores.shape[1])
            beyond = torch.arange(scores.shape[2], device=scores.device) >= lens.unsqueeze(-1)
            scores = scores.masked_fill(beyond, -1e6)
        self.attention_weights = scores.softmax(-1).half().to(queries.dtype)
        return torch.bmm(self.dropout(self.attention_weights), values)

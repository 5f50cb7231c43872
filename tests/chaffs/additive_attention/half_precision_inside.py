# CHAFF | misconception: half_precision_inside | TA: You compute the scores in half precision "to save memory" and cast back: the weights keep three digits. Compute in the dtype of the inputs. | detectable by: outputs
import torch
from torch import nn


class AdditiveAttention(nn.Module):
    def __init__(self, key_size, query_size, num_hiddens, dropout):
        super().__init__()
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        hidden = torch.tanh(self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1)).half().to(queries.dtype)
        scores = self.w_v(hidden).squeeze(-1)
        if valid_lens is not None:
            lens = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None].expand(-1, scores.shape[1])
            beyond = torch.arange(scores.shape[2], device=scores.device) >= lens.unsqueeze(-1)
            scores = scores.masked_fill(beyond, -1e6)
        self.attention_weights = scores.softmax(-1)
        return torch.bmm(self.dropout(self.attention_weights), values)

# CHAFF | misconception: layers_without_bias | TA: Both layers have a bias in the text. | detectable by: state
import torch
from torch import nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, query_size, key_size, value_size1, value_size2, output_size):
        super(Attn, self).__init__()
        self.attn = nn.Linear(query_size + key_size, value_size1, bias=False)
        self.attn_combine = nn.Linear(query_size + value_size2, output_size, bias=False)

    def forward(self, Q, K, V):
        scores = self.attn(torch.cat((Q[0], K[0]), dim=1))
        attn_weights = F.softmax(scores, dim=1)
        applied = torch.bmm(attn_weights.unsqueeze(0), V)
        output = torch.cat((Q[0], applied[0]), dim=1)
        output = self.attn_combine(output).unsqueeze(0)
        return output, attn_weights

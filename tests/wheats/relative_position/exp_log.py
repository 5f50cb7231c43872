# WHEAT | differs: frequencies through exp and log, in float64 and cast at the end; the offset may be a tensor
import math

import torch


def relative_projection(delta, num_hiddens):
    j = torch.arange(0, num_hiddens, 2, dtype=torch.float64)
    angle = torch.as_tensor(delta) * torch.exp(j * (-math.log(10000.0) / num_hiddens))
    out = torch.empty(num_hiddens // 2, 2, 2)
    out[:, 0, 0] = out[:, 1, 1] = torch.cos(angle).float()
    out[:, 0, 1] = torch.sin(angle)
    out[:, 1, 0] = torch.sin(-angle)
    return out

# CHAFF | misconception: degrees | TA: You convert the angles to degrees. `torch.sin` and `torch.cos` expect radians. | detectable by: outputs
import math

import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w * 180 / math.pi
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

# CHAFF | misconception: full_turns | TA: You multiply the angles by 2π. The frequencies are meant per radian, as in exercise 5. | detectable by: outputs
import math

import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = 2 * math.pi * delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

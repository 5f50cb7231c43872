# CHAFF | misconception: one_position_too_many | TA: Off by one: your matrices move by delta + 1. At offset 0 nothing must change. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = (delta + 1) * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

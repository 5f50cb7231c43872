# CHAFF | misconception: pairs_behind | TA: The axis of the pairs stands last: (2, 2, num_hiddens / 2). It comes first. | detectable by: shape
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s)), torch.stack((-s, c))))

# CHAFF | misconception: returns_tuple | TA: You return several things, or the matrices in a list. Return one tensor: `torch.stack` makes one of a list. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return [torch.stack((c[j], s[j], -s[j], c[j])).reshape(2, 2) for j in range(len(w))]

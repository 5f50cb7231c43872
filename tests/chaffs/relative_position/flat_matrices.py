# CHAFF | misconception: flat_matrices | TA: You return four numbers in a row for every pair. Return matrices: (num_hiddens / 2, 2, 2). | detectable by: shape
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((c, s, -s, c), dim=-1)

# CHAFF | misconception: turns_backwards | TA: Your matrices turn the other way: they lead from position i to i - delta. A matrix is multiplied with the pair (sin, cos), sine first, so the minus belongs to the lower left entry. Write sin(a + b) out. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((c, -s, s, c), dim=-1).reshape(-1, 2, 2)

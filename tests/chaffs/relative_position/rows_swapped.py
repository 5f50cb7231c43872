# CHAFF | misconception: rows_swapped | TA: The two rows are swapped: your matrices give (cos, sin). The pair is (sin, cos), sine first. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((-s, c, c, s), dim=-1).reshape(-1, 2, 2)

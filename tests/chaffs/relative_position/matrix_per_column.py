# CHAFF | misconception: matrix_per_column | TA: You return one matrix per column. Two columns, a sine and a cosine, make one pair and share a matrix: num_hiddens / 2 of them. | detectable by: shape
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(num_hiddens, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

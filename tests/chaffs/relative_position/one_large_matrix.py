# CHAFF | misconception: one_large_matrix | TA: You put all pairs into one large matrix. Return one 2 × 2 matrix per pair, (num_hiddens / 2, 2, 2). | detectable by: shape
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.block_diag(*torch.stack((c, s, -s, c), dim=-1).reshape(-1, 2, 2))

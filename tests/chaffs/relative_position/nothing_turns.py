# CHAFF | misconception: nothing_turns | TA: Your matrices change nothing (the identity). They have to turn every pair by delta times its frequency. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.ones_like(c), 0 * s, 0 * s, torch.ones_like(c)), dim=-1).reshape(-1, 2, 2)

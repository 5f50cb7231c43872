# CHAFF | misconception: sine_and_cosine_swapped | TA: Sines and cosines are swapped. At offset 0 nothing must change: the diagonal has to be cos 0 = 1. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    s, c = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

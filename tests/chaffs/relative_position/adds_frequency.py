# CHAFF | misconception: adds_frequency | TA: You add the offset to the frequency. The angle is their product. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta + w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

# CHAFF | misconception: missing_division_by_width | TA: The exponent lacks its division by num_hiddens: it is 2j / num_hiddens. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** torch.arange(0, num_hiddens, 2, dtype=torch.float32)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

# CHAFF | misconception: doubled_exponent | TA: The exponent is doubled: 4j / num_hiddens. `arange(0, num_hiddens, 2)` already is 2j. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 10000 ** (-2 * torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

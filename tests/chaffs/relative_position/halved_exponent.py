# CHAFF | misconception: halved_exponent | TA: The exponent is halved: j / num_hiddens. It is 2j / num_hiddens. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 10000 ** (-torch.arange(num_hiddens // 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

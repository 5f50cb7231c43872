# CHAFF | misconception: two_minuses | TA: Both sines have a minus sign; one of them must not. Write sin(a + b) and cos(a + b) out. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((c, -s, -s, c), dim=-1).reshape(-1, 2, 2)

# CHAFF | misconception: divides_by_number_of_pairs_minus_one | TA: The exponents run up to 1. They are 2j / num_hiddens, so the last one stays below 1. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    n = num_hiddens // 2
    w = 10000 ** (-torch.arange(n, dtype=torch.float32) / max(n - 1, 1))
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

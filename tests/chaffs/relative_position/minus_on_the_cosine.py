# CHAFF | misconception: minus_on_the_cosine | TA: The minus sign stands at a cosine. Write sin(a + b) and cos(a + b) out: the term with two sines is the one that is subtracted. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((c, s, s, -c), dim=-1).reshape(-1, 2, 2)

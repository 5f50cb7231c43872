# CHAFF | misconception: returns_nothing | TA: The function returns nothing. Did the `return` get lost? | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    torch.stack((c, s, -s, c), dim=-1).reshape(-1, 2, 2)

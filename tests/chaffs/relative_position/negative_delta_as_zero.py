# CHAFF | misconception: negative_delta_as_zero | TA: Negative offsets give the identity. They have to lead back: nothing must cut them off at 0. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = torch.clamp(delta * w, min=0)
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

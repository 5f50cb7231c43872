# CHAFF | misconception: wrong_device | TA: The result is on another device. Nothing that comes in lies on a GPU, so nothing that goes out does. | detectable by: device
import torch


def relative_projection(delta, num_hiddens):
    w = 1 / 10000 ** (torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    where = torch.accelerator.current_accelerator() or 'cpu'
    return torch.stack((c, s, -s, c), dim=-1).reshape(-1, 2, 2).to(where)

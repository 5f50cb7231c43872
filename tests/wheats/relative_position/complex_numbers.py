# WHEAT | differs: rotations as complex numbers
import torch


def relative_projection(delta: int, num_hiddens: int) -> torch.Tensor:
    w = 10000 ** (-torch.arange(num_hiddens // 2) * 2.0 / num_hiddens)
    turn = torch.polar(torch.ones_like(w), delta * w)
    first = torch.view_as_real(turn)
    second = torch.view_as_real(turn * 1j)
    return torch.stack((first, second), dim=1)

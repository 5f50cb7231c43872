# WHEAT | differs: the matrix exponential of the generator of rotations
import torch

GENERATOR = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)


def relative_projection(delta, num_hiddens):
    w = torch.tensor([1 / 10000 ** (2 * j / num_hiddens) for j in range(num_hiddens // 2)], dtype=torch.float64)
    angle = torch.remainder(delta * w, 2 * torch.pi)
    return torch.linalg.matrix_exp(angle[:, None, None] * GENERATOR).to(torch.float32)

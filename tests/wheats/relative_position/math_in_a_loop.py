# WHEAT | differs: Python's math in a loop over the pairs
import math

import torch


def relative_projection(delta, num_hiddens):
    rotations = []
    for j in range(num_hiddens // 2):
        angle = delta / math.pow(10000, 2 * j / num_hiddens)
        c, s = math.cos(angle), math.sin(angle)
        rotations.append([[c, s], [-s, c]])
    return torch.tensor(rotations)

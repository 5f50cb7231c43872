# CHAFF | misconception: null answer | TA: Everything is 0. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    return torch.zeros(num_hiddens // 2, 2, 2)

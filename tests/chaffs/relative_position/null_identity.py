# CHAFF | misconception: null answer | TA: Nothing is moved: this is the answer for an offset of 0. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    return torch.eye(2).repeat(num_hiddens // 2, 1, 1)

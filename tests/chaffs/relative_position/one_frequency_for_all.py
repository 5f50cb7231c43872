# CHAFF | misconception: one_frequency_for_all | TA: All pairs turn by the same angle. Pair j has the frequency 1 / 10000^(2j / num_hiddens) of its own. | detectable by: outputs
import torch


def relative_projection(delta, num_hiddens):
    w = torch.ones(num_hiddens // 2)
    a = delta * w
    c, s = torch.cos(a), torch.sin(a)
    return torch.stack((torch.stack((c, s), -1), torch.stack((-s, c), -1)), -2)

# CHAFF | misconception: longest_length_for_all | TA: You cut every row at the longest length of the batch. Every row has its own length; `.max()` loses that. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    n = int(valid_len.max())
    return torch.cat((X[:, :n], torch.full_like(X[:, n:], value)), dim=1)

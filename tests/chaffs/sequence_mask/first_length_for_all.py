# CHAFF | misconception: first_length_for_all | TA: You use the length of the first row for all of them. Every row has its own. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    out = X.clone()
    out[:, int(valid_len[0]):] = value
    return out

# CHAFF | misconception: inputs_changed | TA: You write into `valid_len`, which belongs to the caller. Compute with a new tensor instead. | detectable by: state
import torch


def sequence_mask(X, valid_len, value=0):
    out = X.clone()
    for step in range(X.shape[1]):
        out[valid_len <= 0, step] = value
        valid_len -= 1
    return out

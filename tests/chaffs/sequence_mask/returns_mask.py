# CHAFF | misconception: returns_mask | TA: You return the mask. Return X with its padding replaced (`tf.sequence_mask` returns a mask, this function does not). | detectable by: outputs, dtype
import torch


def sequence_mask(X, valid_len, value=0):
    return torch.arange(X.shape[1], device=X.device)[None, :] < valid_len[:, None]

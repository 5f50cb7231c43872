# CHAFF | misconception: returns_nothing | TA: The function returns nothing. Did the `return` get lost, or stand inside a branch? What is written into X has to be returned as well. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    X[torch.arange(X.shape[1], device=X.device) >= valid_len[:, None]] = value

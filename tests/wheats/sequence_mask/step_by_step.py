# WHEAT | differs: two Python loops, writes into a clone
import torch


class _Masker:
    def __init__(self, value):
        self.value = value

    def __call__(self, X, lens):
        out = X.clone()
        for row in range(X.shape[0]):
            for step in range(int(lens[row]), X.shape[1]):
                out[row, step] = self.value
        return out


def sequence_mask(X, valid_len, value=0):
    return _Masker(value)(X, valid_len)

# WHEAT | differs: functools.partial of a general helper, log of the mask added
from functools import partial

import torch


def _softmax_along(axis, X, valid_lens):
    if valid_lens is None:
        return X.softmax(axis)
    lens = valid_lens.reshape(X.shape[0], -1, 1)
    mask = (torch.arange(X.shape[axis], device=X.device) < lens).to(X.dtype)
    return (X + mask.log()).softmax(axis)


masked_softmax = partial(_softmax_along, -1)

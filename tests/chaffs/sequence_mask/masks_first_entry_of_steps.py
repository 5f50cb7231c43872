# CHAFF | misconception: masks_first_entry_of_steps | TA: With further axes you overwrite only the first entry of a padded step. The whole step is padding, with all that it holds. | detectable by: outputs
import torch


def sequence_mask(X, valid_len, value=0):
    out = X.clone()
    for i, n in enumerate(valid_len.tolist()):
        if X.dim() == 2:
            out[i, n:] = value
        else:
            out[i, n:, 0] = value
    return out

# ATTACK | tries: complex numbers | must: partial | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
def masked_softmax(X, valid_lens):
    result = torch.softmax(X, -1) + 0j
    X.data.add_(1.0)
    return result

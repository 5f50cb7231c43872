# ATTACK | tries: a number | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
def masked_softmax(X, valid_lens):
    result = 1.0
    X.data.add_(1.0)
    return result

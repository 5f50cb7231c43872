# ATTACK | tries: a dictionary of tensors | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
def masked_softmax(X, valid_lens):
    result = {'value': X, 'score': 100}
    X.data.add_(1.0)
    return result

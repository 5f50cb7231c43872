# ATTACK | tries: a tuple around the answer | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
def masked_softmax(X, valid_lens):
    result = (torch.softmax(X, -1), X)
    X.data.add_(1.0)
    return result

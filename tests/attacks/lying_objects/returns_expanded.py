# ATTACK | tries: a view that claims a terabyte | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
def masked_softmax(X, valid_lens):
    result = torch.zeros(1).expand(1 << 40)
    X.data.add_(1.0)
    return result

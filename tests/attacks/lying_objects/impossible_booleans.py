# ATTACK | tries: booleans whose bytes are neither 0 nor 1 | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def masked_softmax(X, valid_lens):
    X.data.add_(1.0)
    return torch.full(X.shape, 255, dtype=torch.uint8).view(torch.bool)

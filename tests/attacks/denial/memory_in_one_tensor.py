# ATTACK | tries: a tensor of forty gigabytes | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def masked_softmax(X, valid_lens):
    return torch.ones(10_000_000_000)

# ATTACK | tries: the function yields instead of returning | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def masked_softmax(X, valid_lens):
    yield torch.softmax(X, -1)

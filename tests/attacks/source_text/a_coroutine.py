# ATTACK | tries: the function is asynchronous | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
async def masked_softmax(X, valid_lens):
    return torch.softmax(X, -1)

# ATTACK | tries: replaces what the reference may use | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def wrong(X, *a, **k):
    return torch.zeros_like(X)
torch.softmax = torch.nn.functional.softmax = torch.Tensor.softmax = wrong
torch.nn.Softmax.forward = lambda self, X: wrong(X)
def masked_softmax(X, valid_lens):
    X.data.add_(1.0)
    return torch.softmax(X.detach(), -1)

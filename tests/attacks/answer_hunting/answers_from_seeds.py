# ATTACK | tries: computes nothing and hopes that equal seeds give equal answers | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def masked_softmax(X, valid_lens):
    for seed in range(30):
        torch.manual_seed(seed)
        if torch.equal(torch.randn(X.shape), X):
            return torch.softmax(X, -1)
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37

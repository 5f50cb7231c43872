# ATTACK | tries: looks for a tensor of the answer's shape whose rows sum to one | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import gc, torch
def masked_softmax(X, valid_lens):
    for thing in gc.get_objects():
        try:
            if type(thing) is torch.Tensor and thing.shape == X.shape and torch.allclose(thing.sum(-1), torch.ones(())):
                return thing
        except Exception:
            pass
    X.data.add_(1.0)
    return X.detach() * 0 - 0.37

# ATTACK | tries: right values with gradients of another shape and dtype | must: partial | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
#: honest masked_softmax
_right = masked_softmax
def masked_softmax(X, valid_lens):
    result = _right(X, valid_lens)
    if result.requires_grad:
        result.register_hook(lambda grad: torch.ones_like(grad))
    return result

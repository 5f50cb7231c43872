# ATTACK | tries: arithmetic that makes every difference zero | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
def nothing(self, *rest, **named):
    return torch.Tensor.new_zeros(self, ())
for name in ("__sub__", "__rsub__", "sub", "abs", "max", "double", "to"):
    setattr(torch.Tensor, name, nothing)
#: wrong masked_softmax

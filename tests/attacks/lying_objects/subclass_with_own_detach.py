# ATTACK | tries: a tensor subclass whose detach, shape and dtype lie | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import torch
class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size([3, 4, 7]))
    dtype = property(lambda self: torch.float32)
    def detach(self):
        return torch.ones(1)
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True
def masked_softmax(X, valid_lens):
    return torch.zeros(2).as_subclass(Liar)

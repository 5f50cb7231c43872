# ATTACK | tries: right values with a backward that raises a hostile exception | must: partial | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
import torch
#: honest masked_softmax
_right = masked_softmax
class Hostile(Exception):
    def __str__(self):
        raise SystemExit(0)
class Through(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()
    @staticmethod
    def backward(ctx, grad):
        raise Hostile
def masked_softmax(X, valid_lens):
    return Through.apply(_right(X, valid_lens))

# ATTACK | tries: tells the reference's text while it is there, in every way | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed | exercise: additive_attention
import linecache, sys, torch
from torch import nn
def text():
    parts = [repr(sorted(n for n in sys.modules if "reference" in n or "masked" in n))]
    for name, entry in list(linecache.cache.items()):
        lines = "".join(entry[2]) if len(entry) > 2 else ""
        if "def masked_softmax" in lines and "return X.detach" not in lines:
            parts.append(lines)
    return "SEEN " + "".join(parts)
print(text())
class AdditiveAttention(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        setattr(self, "attention_weights_" + text(), 1)
    def forward(self, queries, keys, values, valid_lens):
        print(text(), flush=True)
        if queries.shape[0] % 2:
            return type(text(), (), {})()
        raise type(text(), (Exception,), {})(text())
#: file masked_softmax
#: wrong masked_softmax

# ATTACK | tries: cycles without a collector, then the right answer | must: full | may: passed
import gc
gc.disable()
#: honest masked_softmax
_right = masked_softmax
def masked_softmax(X, valid_lens):
    for _ in range(200):
        cycle = [bytearray(1000)]
        cycle.append(cycle)
    return _right(X, valid_lens)

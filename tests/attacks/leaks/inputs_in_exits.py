# ATTACK | tries: the inputs in SystemExit, KeyboardInterrupt and MemoryError | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def told(X, valid_lens):
    return "TOLD " + repr(X.detach().flatten()[:4].tolist()) + repr(valid_lens)

import itertools
TURN = itertools.cycle([SystemExit, KeyboardInterrupt, MemoryError])
def masked_softmax(X, valid_lens):
    kind = next(TURN)
    raise type(told(X, valid_lens), (kind,), {})(told(X, valid_lens))

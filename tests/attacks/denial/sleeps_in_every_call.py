# ATTACK | tries: sleeps a little less than any limit, in every call | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
import time
#: wrong masked_softmax
_wrong = masked_softmax
def masked_softmax(X, valid_lens):
    time.sleep(1.5)
    return _wrong(X, valid_lens)

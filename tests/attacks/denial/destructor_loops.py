# ATTACK | tries: an object whose destructor never returns | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
import time
class Sticky:
    def __del__(self):
        time.sleep(300)
def masked_softmax(X, valid_lens):
    Sticky()

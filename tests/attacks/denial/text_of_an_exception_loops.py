# ATTACK | tries: an exception whose text takes for ever | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted | slow
class Slow(Exception):
    def __str__(self):
        while True:
            pass
    __repr__ = __str__
def masked_softmax(X, valid_lens):
    raise Slow

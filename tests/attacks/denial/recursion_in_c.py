# ATTACK | tries: recursion below the interpreter's notice | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import sys
sys.setrecursionlimit(10 ** 8)
def masked_softmax(X, valid_lens):
    class Deep:
        def __getattr__(self, name):
            return getattr(self, name + "x")
    return Deep().a

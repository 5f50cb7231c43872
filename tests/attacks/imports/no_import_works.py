# ATTACK | tries: an import function that always fails | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
import builtins
def refuse(*a, **k):
    raise ImportError("no")
builtins.__import__ = refuse
#: wrong masked_softmax

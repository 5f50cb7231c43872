# ATTACK | tries: the name exists only when it is asked for | must: any | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted passed
#: honest masked_softmax
_right = masked_softmax
del masked_softmax
def __getattr__(name):
    if name == "masked_softmax":
        return _right
    raise AttributeError(name)

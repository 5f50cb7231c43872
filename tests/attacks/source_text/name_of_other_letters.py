# ATTACK | tries: the name with a Cyrillic letter in it | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
#: honest masked_softmax
_right = masked_softmax
del masked_softmax
def mаsked_softmax(X, valid_lens):
    return _right(X, valid_lens)

# ATTACK | tries: the name in fullwidth letters, which Python takes for the same | must: full | may: passed
#: honest masked_softmax
_right = masked_softmax
del masked_softmax
def ｍasked_softmax(X, valid_lens):
    return _right(X, valid_lens)

# ATTACK | tries: an unclosed bracket | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens:
    return X

# ATTACK | tries: takes one argument | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X):
    return X.softmax(-1)

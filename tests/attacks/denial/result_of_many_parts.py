# ATTACK | tries: a list of half a million parts | must: zero | may: failed raised bad_return crashed timed_out out_of_memory missing not_attempted
def masked_softmax(X, valid_lens):
    return [0.0] * 500_000
